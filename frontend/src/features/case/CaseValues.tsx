// The values of a case: the fields with different values, all fields, and the history of each.
import { useFieldHistory } from '../../graphql/field-history';
import { differenceLines } from '../../lib/differences';
import { documentStateOf, finalStates } from '../../lib/document-states';
import { CountriesPanel } from '../../ui/differences/CountriesPanel';
import { DifferencesPanel } from '../../ui/differences/DifferencesPanel';
import { FieldHistoryDialog } from '../../ui/differences/FieldHistoryDialog';
import { LineItemsPanel } from '../../ui/lines/LineItemsPanel';
import { Fields } from './CaseSections';
import type { CaseData } from './IncidentPanel';

export function CaseValues({ caseData }: { caseData: CaseData }) {
  const history = useFieldHistory(caseData.id);
  const currency = caseData.amount?.currency ?? caseData.declaredAmount?.currency ?? null;
  return (
    <>
      <DifferencesPanel
        lines={differenceLines(caseData.differences, caseData.order !== null)}
        currency={currency}
        me={null}
        ended={finalStates.includes(documentStateOf(caseData.status))}
        onHistory={history.open}
      />
      <Fields caseData={caseData} onHistory={history.open} />
      <CountriesPanel countries={caseData.countryRoles} />
      <LineItemsPanel
        lines={caseData.lineItems}
        form={caseData.fieldForm}
        hasPages={caseData.documents[0]?.mediaType !== 'application/xml'}
      />
      <FieldHistoryDialog {...history} currency={currency} />
    </>
  );
}
