// The bar of saved views. Its code and texts are loaded beside the list, which does not wait for them.
import { loadTexts } from '../i18n';
import { textsOfPages } from '../i18n/page-texts';
import { provideViewBar } from '../ui/SavedViewsBar';

provideViewBar(async () => {
  const [code] = await Promise.all([
    import('../features/views/ViewBar'),
    loadTexts(textsOfPages.ViewBar),
  ]);
  return { default: code.ViewBar };
});
