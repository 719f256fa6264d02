// What a cell of the matrix says, as signs and in words.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type {
  MatrixEntryFragment,
  PolicyMatrixQuery,
  PolicyVerdict,
} from '../../graphql/generated/graphql';
import { groupedAmount } from '../../lib/money';

export type Cell = NonNullable<PolicyMatrixQuery['policyMatrix']>['cells'][number];
export type Entry = MatrixEntryFragment;

export const signs: Record<PolicyVerdict, string> = {
  NONE: '–',
  DENIED: '✕',
  NO_LIMIT: '–',
  CONDITIONAL: '✓*',
  ALLOWED: '✓',
};

/** The entry of the document type; for all types, that of most and those of the others. */
export function typesOf(cell: Cell, type: string): { main: Entry; others: readonly Entry[] } {
  if (type === '') return { main: cell.others, others: cell.types };
  return {
    main: cell.types.find(({ documentType }) => documentType === type) ?? cell.others,
    others: [],
  };
}

/** The amount of an entry, and everything that it says in words. */
export function entryWords(
  t: TFunction<'translation'>,
  language: string,
  cell: Cell,
  entry: Entry,
): { amount: string; spoken: string } {
  const state = t(`authority.matrix.state.${entry.verdict}`);
  if (!cell.limited || entry.verdict === 'NONE' || entry.verdict === 'DENIED')
    return { amount: '', spoken: state };
  if (entry.verdict === 'NO_LIMIT') return { amount: t('authority.noLimit'), spoken: state };
  const money = entry.limit?.amount;
  const words = money
    ? t('authority.matrix.upTo', {
        amount: `${groupedAmount(money.amount, language)} ${money.currency}`,
      })
    : t('authority.unlimited');
  return {
    amount: money
      ? `≤ ${groupedAmount(shortest(money.amount), language)} ${money.currency}`
      : words,
    spoken: `${state}, ${words}`,
  };
}

/** An amount without decimals that are zero, because a cell is narrow. */
const shortest = (amount: string): string => amount.replace(/\.0+$/, '');

/** The names of actions and roles. */
export function useCellWords() {
  const { t } = useTranslation();
  return {
    action: (action: string) =>
      t(`authority.action.${action}` as 'authority.action.read', { defaultValue: action }),
    role: ({ name, builtIn }: { name: string; builtIn: boolean }) =>
      builtIn ? t(`app.roles.${name}` as 'app.roles.manager', { defaultValue: name }) : name,
  };
}
