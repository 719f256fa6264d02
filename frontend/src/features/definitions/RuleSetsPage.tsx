// The list of rule sets, with their active version and open proposals.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { documentTypeLabels } from '../../lib/labels';
import { DefinitionList } from './DefinitionList';
import { localizedName } from './processes';
import { RuleSets } from './rules.graphql';

export function RuleSetsPage() {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: RuleSets,
    requestPolicy: 'cache-and-network',
  });
  return (
    <DefinitionList
      title={t('titles.rules')}
      intro={t('definitions.rules.intro')}
      error={error}
      onRetry={() => refetch({ requestPolicy: 'network-only' })}
      definitions={data?.ruleSets.nodes.map((one) => ({
        ...one,
        name: localizedName(one.titles, i18n.language, one.title),
        note: ruleSetScope(t, one.documentTypes),
        published: one,
      }))}
      proposals={data?.proposals.nodes ?? []}
      empty={{ icon: 'shield', title: t('definitions.rules.empty') }}
      link={(key, text) => (
        <Link to="/rules/$key" params={{ key }}>
          {text}
        </Link>
      )}
    />
  );
}

/** The document types that a rule set applies to. */
export function ruleSetScope(
  t: Parameters<typeof documentTypeLabels>[0],
  types: readonly string[],
): string {
  const named = types.filter((type) => type !== '*');
  const parts =
    named.length > 0 ? [t('definitions.for', { types: documentTypeLabels(t, named) })] : [];
  if (named.length < types.length) parts.push(t('definitions.rules.forOthers'));
  return parts.join(t('caseLabels.next.comma'));
}
