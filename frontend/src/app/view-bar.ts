// The bar of saved views. Its code and texts are loaded beside the list, which does not wait for them.
import { provideViewBar } from '../ui/SavedViewsBar';
import { loadWithTexts } from './load-with-texts';

provideViewBar(async () => {
  const { ViewBar } = await loadWithTexts(() => import('../features/views/ViewBar'), 'ViewBar');
  return { default: ViewBar };
});
