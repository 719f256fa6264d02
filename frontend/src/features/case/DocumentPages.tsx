// The pages of a case's document.
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { PlainPages } from '../../ui/pages/PlainPages';
import { Section } from './CaseSections';
import classes from './case.module.css';
import { CaseDocument } from './document.graphql';
import type { CaseData } from './IncidentPanel';

export function DocumentPages({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({ query: CaseDocument, variables: { id: caseData.id } });
  const pages = data?.case?.document?.pages ?? [];
  // A document that has not been read yet has no pages; its file is in the list of files.
  if (pages.length === 0) return null;
  return (
    <Section id="document-pages" title={t('pages.title')}>
      <div className={classes.pages}>
        <PlainPages pages={pages} label={t('pages.label')} />
      </div>
    </Section>
  );
}
