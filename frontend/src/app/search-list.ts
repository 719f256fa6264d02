// The list of the search box. Its code and texts are loaded when the box is used first.
import { loadWithTexts } from './load-with-texts';

export async function loadSearchList() {
  return (await loadWithTexts(() => import('../features/search/SearchList'), 'SearchList'))
    .SearchList;
}
