// What the server refused about the attributes of a submission, for the fields of the form.
import { useMemo, useSyncExternalStore } from 'react';
import type { Refusal } from '../../lib/refusals';
import type { UploadItem } from './batch';
import type { UploadMetadata } from './send';

const prefix = 'attributes.';

/** The name of the attribute that the refusal is about; null if it is about something else. */
export const refusedAttribute = ({ field }: Refusal): string | null =>
  field?.startsWith(prefix) ? field.slice(prefix.length) : null;

type Values = Readonly<Record<string, string>>;

/** The refusals by attribute, without those of values that were changed since the file was sent. */
export function refusalsByAttribute(
  refusals: readonly Refusal[],
  sent: Values,
  now: Values,
): Record<string, Refusal> {
  const found: Record<string, Refusal> = {};
  for (const refusal of refusals) {
    const name = refusedAttribute(refusal);
    if (name !== null && (sent[name] ?? '').trim() === (now[name] ?? '').trim())
      found[name] ??= refusal;
  }
  return found;
}

const none: readonly Refusal[] = [];

/** What the server refused about the attributes with the newest file that it refused. */
export function useRefusedAttributes(
  items: readonly UploadItem[],
  metadata: WeakMap<File, UploadMetadata>,
  now: UploadMetadata,
): Record<string, Refusal> {
  const subscribe = useMemo(
    () => (listener: () => void) => {
      const subscriptions = items.map(({ actor }) => actor.subscribe(listener));
      return () => {
        for (const subscription of subscriptions) subscription.unsubscribe();
      };
    },
    [items],
  );
  const newest = useSyncExternalStore(
    subscribe,
    () =>
      items.find(({ actor }) =>
        actor.getSnapshot().context.refusals.some((one) => refusedAttribute(one) !== null),
      ) ?? null,
  );
  return useMemo(() => {
    const context = newest?.actor.getSnapshot().context;
    const sent = context && metadata.get(context.file);
    // Another process can have an attribute with the same name.
    if (!sent || sent.process !== now.process) return {};
    return refusalsByAttribute(context?.refusals ?? none, sent.attributes, now.attributes);
  }, [newest, metadata, now.process, now.attributes]);
}
