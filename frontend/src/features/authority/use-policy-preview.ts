// Asks the server for the faults of a policy text and for its effect, after typing has paused.
import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { PreviewPolicyQuery } from '../../graphql/generated/graphql';
import { PreviewPolicy } from './authority.graphql';

export type Preview = PreviewPolicyQuery['previewPolicy'];

/** The delay between the last change and the request, in milliseconds. */
const delay = 350;

/** The preview of the text; null until it has arrived. */
export function usePolicyPreview(text: string): { preview: Preview | null; failed: boolean } {
  const client = useClient();
  const [answer, setAnswer] = useState<{ text: string; preview: Preview | null } | null>(null);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const { data } = await client
        .query(PreviewPolicy, { document: text }, { requestPolicy: 'network-only' })
        .toPromise();
      if (current) setAnswer({ text, preview: data?.previewPolicy ?? null });
    }, delay);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, text]);
  const own = answer?.text === text ? answer : null;
  return { preview: own?.preview ?? null, failed: own !== null && own.preview === null };
}
