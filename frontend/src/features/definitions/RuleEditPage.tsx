// The editor of a rule set: edits rules by forms and as text, tries them on cases, and proposes them.
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { EmptyState, ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { CommonRehearsal } from './CommonRehearsal';
import classes from './definitions.module.css';
import { useSteps } from './design/use-steps';
import { EditorPanel } from './EditorPanel';
import { localizedName } from './processes';
import { RuleDesigner } from './rule-design/RuleDesigner';
import { OneRuleSet } from './rules.graphql';
import { Trial } from './Trial';
import { useRulesCheck } from './use-check';
import { useDraftText } from './use-draft-text';

export function RuleEditPage() {
  const { t, i18n } = useTranslation();
  const { key } = useParams({ from: '/signed-in/rules/$key/edit' });
  const { version, proposal } = useSearch({ from: '/signed-in/rules/$key/edit' });
  const [{ data, error }, refetch] = useQuery({ query: OneRuleSet, variables: { key } });
  const versions = data?.ruleSets.nodes ?? [];
  const base = versions.find((one) => one.version === version) ?? versions[0];
  const changed = data?.proposals.nodes.find(({ id }) => id === proposal);
  const title = base ? localizedName(base.titles, i18n.language, base.title) : key;
  return (
    <>
      <PageHeader title={t('definitions.edit.title', { title })}>
        {t('definitions.rules.editIntro')}{' '}
        <Link to="/rules/$key" params={{ key }}>
          {t('definitions.edit.back')}
        </Link>
      </PageHeader>
      {error && !data && (
        <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />
      )}
      {!error && !data && <LoadingState lines={12} />}
      {data && !base?.document && (
        <EmptyState icon="search" title={t('definitions.rules.gone')}>
          {t('definitions.goneText')}
        </EmptyState>
      )}
      {base?.document && (
        <Editor
          key={`${base.version} ${changed?.id ?? ''}`}
          name={key}
          replaces={changed?.id ?? null}
          baseText={changed?.document ?? base.document}
          newest={versions[0]?.version ?? 0}
        />
      )}
    </>
  );
}

interface EditorProps {
  name: string;
  /** The proposal that is being changed; null if a version is. */
  replaces: string | null;
  baseText: string;
  newest: number;
}

function Editor({ name, replaces, baseText, newest }: EditorProps) {
  const { t } = useTranslation();
  const draftKey = replaces ? `rules.${name}.${replaces}` : `rules.${name}`;
  const draft = useDraftText(draftKey, baseText);
  const { text } = draft;
  const steps = useSteps(text, draft.change);
  const state = useRulesCheck(text);
  const { check, current } = state;
  const checkingMessage = !current || !check ? t('definitions.edit.checking') : null;
  const unsoundMessage =
    check && !check.report.sound ? t('definitions.proposals.obstacle.unsound') : null;
  const disabledReason =
    text === baseText ? t('definitions.edit.unchanged') : (checkingMessage ?? unsoundMessage);
  return (
    <div className={classes.stack}>
      <RuleDesigner text={text} baseText={baseText} steps={steps} />
      <EditorPanel
        kind="rules"
        label={t('definitions.rules.label')}
        draftKey={draftKey}
        draft={{ ...draft, change: (next) => steps.change(next, 'text') }}
        baseText={baseText}
        newest={newest}
        state={state}
        nodes={check?.rules ?? noRules}
        disabledReason={disabledReason}
        replaces={replaces}
      />
      <CommonRehearsal
        change={{ rules: text }}
        disabledReason={checkingMessage ?? unsoundMessage}
      />
      <Trial text={text} obstacle={checkingMessage ?? unsoundMessage} />
    </div>
  );
}

const noRules: readonly { id: string; line: number }[] = [];
