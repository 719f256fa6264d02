// The list of document types, with their active version and open proposals.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { hasRole, usePerson } from '../../lib/session';
import { DefinitionList } from './DefinitionList';
import { localizedName } from './processes';
import { DocumentTypes } from './types.graphql';

export function DocumentTypesPage() {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: DocumentTypes,
    requestPolicy: 'cache-and-network',
  });
  const mayPropose = hasRole(usePerson(), 'administrator');
  return (
    <DefinitionList
      title={t('titles.types')}
      intro={t('definitions.types.intro')}
      actions={
        mayPropose && (
          <Link to="/types/$key/edit" params={{ key: 'new' }}>
            {t('definitions.types.new')}
          </Link>
        )
      }
      error={error}
      onRetry={() => refetch({ requestPolicy: 'network-only' })}
      definitions={data?.documentTypes.nodes.map((one) => ({
        ...one,
        name: localizedName(one.titles, i18n.language, one.title),
        note: t('definitions.types.fields', { count: one.fields.length }),
        published: one,
      }))}
      proposals={data?.proposals.nodes ?? []}
      empty={{ icon: 'files', title: t('definitions.types.empty') }}
      link={(key, text) => (
        <Link to="/types/$key" params={{ key }}>
          {text}
        </Link>
      )}
    />
  );
}
