// What the user has entered for the next files. It outlives the page, as the uploads do, and belongs
// to one user.
import type { OrderDraft } from '../../lib/order-form';
import { usePerson } from '../../lib/session';
import { makeStore, useStore } from '../../lib/store';
import type { UploadItem } from './batch';
import type { UploadMetadata } from './send';

interface IntakeDraft {
  metadata: UploadMetadata;
  /** The upload that carries the present order, until it is received. */
  sent: { item: UploadItem; order: OrderDraft } | null;
  /** Files that were chosen before the form was complete. */
  held: readonly File[];
}

export const emptyMetadata: UploadMetadata = {
  process: null,
  documentType: null,
  country: null,
  amount: null,
  order: null,
  attributes: {},
  declared: [],
  kinds: [],
  documents: [],
};

const empty: IntakeDraft = { metadata: emptyMetadata, sent: null, held: [] };
const kept = makeStore<{ owner: string | null; draft: IntakeDraft }>({ owner: null, draft: empty });

export function useIntakeDraft(): [IntakeDraft, (next: Partial<IntakeDraft>) => void] {
  const owner = usePerson()?.id ?? null;
  const now = useStore(kept);
  const draftOf = (stored: typeof now) => (stored.owner === owner ? stored.draft : empty);
  return [draftOf(now), (next) => kept.set({ owner, draft: { ...draftOf(kept.get()), ...next } })];
}
