// The list of the search box. Its code and texts are loaded when the box is used first.
import { loadTexts } from '../i18n';
import { textsOfPages } from '../i18n/page-texts';

export async function loadSearchList() {
  const [code] = await Promise.all([
    import('../features/search/SearchList'),
    loadTexts(textsOfPages.SearchList),
  ]);
  return code.SearchList;
}
