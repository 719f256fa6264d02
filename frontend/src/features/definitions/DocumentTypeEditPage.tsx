// The editor of a document type: checks the text while typing and proposes it.
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { ErrorState, LoadingState, PageHeader } from '../../ui/states';
import classes from './definitions.module.css';
import { EditorPanel } from './EditorPanel';
import { localizedName } from './processes';
import { OneDocumentType } from './types.graphql';
import { useTypeCheck } from './use-check';
import { useDraftText } from './use-draft-text';

export function DocumentTypeEditPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/types/$key/edit' });
  const { version } = useSearch({ from: '/signed-in/types/$key/edit' });
  const isNew = key === 'new';
  const [{ data, error }, refetch] = useQuery({
    query: OneDocumentType,
    variables: { key },
    pause: isNew,
  });
  const versions = data?.documentTypes.nodes ?? [];
  const base = versions.find((one) => one.version === version) ?? versions[0];
  const title = base ? localizedName(base.titles, i18n.language, base.title) : key;
  const text = base?.document ?? data?.proposals.nodes[0]?.document ?? starter;
  return (
    <>
      <PageHeader
        title={isNew ? t('definitions.types.new') : t('definitions.edit.title', { title })}
      >
        {t('definitions.types.editIntro')}{' '}
        <Link to={isNew ? '/types' : '/types/$key'} params={{ key }}>
          {t('definitions.edit.back')}
        </Link>
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && !isNew && <LoadingState lines={12} />}
      {(isNew || data) && (
        <Editor
          key={base?.version ?? 0}
          name={key}
          baseText={text}
          newest={versions[0]?.version ?? 0}
        />
      )}
    </>
  );
}

function Editor({ name, baseText, newest }: { name: string; baseText: string; newest: number }) {
  const { t } = useTranslation();
  const draftKey = `types.${name}`;
  const draft = useDraftText(draftKey, baseText);
  const { text } = draft;
  const state = useTypeCheck(text);
  const { check, current } = state;
  const checkingMessage = !current || !check ? t('definitions.edit.checking') : null;
  const unsoundMessage =
    check && !check.report.sound ? t('definitions.proposals.obstacle.unsound') : null;
  const disabledReason =
    text === baseText ? t('definitions.edit.unchanged') : (checkingMessage ?? unsoundMessage);
  return (
    <div className={classes.stack}>
      <EditorPanel
        kind="types"
        label={t('definitions.types.label')}
        draftKey={draftKey}
        draft={draft}
        baseText={baseText}
        newest={newest}
        state={state}
        nodes={noFields}
        disabledReason={disabledReason}
      />
    </div>
  );
}

const noFields: readonly { id: string; line: number }[] = [];

/** A small document type as the template of a new one. */
const starter = `key: my_document
title: {en: My document, zh: 我的单据}
fields:
  - {name: vendor, required: true}
  - {name: date, required: true}
  - {name: currency}
  - {name: total, required: true}
  - name: cost_centre
    type: text
    label: {en: Cost centre, zh: 成本中心}
    labels: [Cost centre, 成本中心]
    max_length: 20
`;
