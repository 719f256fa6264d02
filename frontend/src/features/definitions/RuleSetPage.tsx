// The page of a rule set.
import { useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { RuleList } from './RuleList';
import { ruleSetScope } from './RuleSetsPage';
import { OneRuleSet } from './rules.graphql';
import { VersionedText } from './VersionedText';

export function RuleSetPage() {
  const { t } = useTranslation();
  const { key } = useParams({ from: '/signed-in/rules/$key' });
  const { version } = useSearch({ from: '/signed-in/rules/$key' });
  const [{ data, error }, refetch] = useQuery({
    query: OneRuleSet,
    variables: { key },
    requestPolicy: 'cache-and-network',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  if (!data) {
    return (
      <>
        <PageHeader title={key} />
        {error ? <ErrorState error={error} onRetry={reload} /> : <LoadingState lines={12} />}
      </>
    );
  }
  return (
    <VersionedText
      kind="rules"
      definitionKey={key}
      versions={data.ruleSets.nodes}
      version={version}
      proposals={data.proposals.nodes}
      me={data.viewer?.person.id ?? null}
      onChanged={reload}
      about={(selected) => ruleSetScope(t, selected.documentTypes)}
      list={(selected) => <RuleList rules={selected.rules} />}
    />
  );
}
