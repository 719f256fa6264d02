// The commands on selected rows of lists. Their code and texts are loaded with the first selection.
import { provideBulkActions } from '../ui/BulkActions';
import { loadWithTexts } from './load-with-texts';

provideBulkActions(async () => {
  const { BulkDock } = await loadWithTexts(() => import('../features/bulk/BulkDock'), 'BulkDock');
  return { default: BulkDock };
});
