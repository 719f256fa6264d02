// Saved views as addresses of their lists.
import type { SavedViewRowFragment } from '../graphql/generated/graphql';
import type { CasesSearch } from './case-address';
import type { QueueSearch } from './queue-address';

export type Address = CasesSearch & QueueSearch;
export type View = SavedViewRowFragment;
type Parameter = { name: string; value: string };

/** The parameters of an address that a view saves. */
export function parametersOf(address: Address): Parameter[] {
  return Object.entries(address)
    .filter(([name, value]) => name !== 'view' && value)
    .map(([name, value]) => ({ name, value }));
}

/** The address that opens a view. */
export function addressOf(view: { id: string; parameters: readonly Parameter[] }): Address {
  return {
    ...Object.fromEntries(view.parameters.map(({ name, value }) => [name, value])),
    view: view.id,
  };
}

const sorted = (parameters: readonly Parameter[]) =>
  parameters.map(({ name, value }) => `${name}=${value}`).sort();

/** Whether the address differs from that of the view. */
export function isChanged(view: { parameters: readonly Parameter[] }, address: Address): boolean {
  return sorted(view.parameters).join('\n') !== sorted(parametersOf(address)).join('\n');
}

/** The views in the order of the bar: the default one, those of the person, the shared ones. */
export function inBarOrder(views: readonly View[]): View[] {
  const rank = (view: View) => (view.default ? 0 : view.own ? 1 : 2);
  return views.filter(({ usable }) => usable).toSorted((a, b) => rank(a) - rank(b));
}
