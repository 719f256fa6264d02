// The list of the cases that the user may read, with filters, order and columns.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { documentStates } from '../../lib/document-states';
import { BulkActions } from '../../ui/BulkActions';
import { ExportMenu } from '../../ui/ExportMenu';
import { SavedViewsBar } from '../../ui/SavedViewsBar';
import { PageHeader } from '../../ui/states';
import { CaseFilters, useStaff } from './CaseFilters';
import { CaseList } from './CaseList';
import { columnsOf, exportFilters, filterOf, sortEnum, sortOf } from './case-search';
import { useCasePages } from './use-case-pages';

export function CasesPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/signed-in/cases' });
  const navigate = useNavigate();
  const staff = useStaff();
  const filter = filterOf(search, staff, documentStates);
  const sort = sortEnum(sortOf(search, staff));
  const key = JSON.stringify([filter, sort]);
  const listed = useCasePages(key);
  const shown = useMemo(() => columnsOf(search, staff), [search, staff]);
  const chosen = [...listed.selection.chosen.values()];
  const shownIds = new Set(listed.rows.map(({ id }) => id));
  return (
    <>
      <PageHeader
        title={t('titles.cases')}
        actions={<ExportMenu kind="cases" filters={exportFilters(search, staff, documentStates)} />}
      />
      <SavedViewsBar
        list="CASES"
        address={search}
        onOpen={(next) => void navigate({ to: '/cases', search: next })}
      />
      <CaseFilters />
      <CaseList key={key} filter={filter} sort={sort} shown={shown} listed={listed} />
      {/* Outside of the list, because results and their undo outlive a change of the filter. */}
      <BulkActions
        cases={chosen}
        selected={new Set(listed.selection.chosen.keys())}
        reviews={null}
        notShown={chosen.filter(({ id }) => !shownIds.has(id)).length}
        onBehalf={false}
        exported
        onDone={listed.selection.remove}
        onClear={listed.selection.clear}
      />
    </>
  );
}
