// The link of a finding about a sum to the documents that were added.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { countedDocuments } from '../lib/counted-documents';

interface SumLinkProps {
  caseId: string;
  finding: { rule: string; evidence: readonly { name: string; value: string }[] };
}

/** Nothing for findings that add no amounts. */
export function SumLink({ caseId, finding }: SumLinkProps) {
  const { t } = useTranslation();
  const count = countedDocuments(finding);
  if (count === null) return null;
  return (
    <Link to="/cases/$id/sums/$rule" params={{ id: caseId, rule: finding.rule }}>
      {t('sums.show', { count })}
    </Link>
  );
}
