// The page of a document type.
import { useParams, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { ErrorState, LoadingState, PageHeader } from '../../ui/states';
import { FieldList } from './FieldList';
import { OneDocumentType } from './types.graphql';
import { VersionedText } from './VersionedText';

export function DocumentTypePage() {
  const { key } = useParams({ from: '/signed-in/types/$key' });
  const { version } = useSearch({ from: '/signed-in/types/$key' });
  const [{ data, error }, refetch] = useQuery({
    query: OneDocumentType,
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
      kind="types"
      definitionKey={key}
      versions={data.documentTypes.nodes}
      version={version}
      proposals={data.proposals.nodes}
      me={data.viewer?.person.id ?? null}
      onChanged={reload}
      list={(selected) => <FieldList fields={selected.fields} />}
    />
  );
}
