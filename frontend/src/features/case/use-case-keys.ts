// The keys of the case list: moving between rows, and selecting them.
import type { KeyboardEvent, RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selection } from '../../lib/selection';
import type { SelectedCase } from '../../ui/BulkActions';

export function useCaseKeys(
  list: RefObject<HTMLElement | null>,
  selection: Selection<SelectedCase>,
) {
  const { t } = useTranslation();
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const current = () => document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
  const step = (by: 1 | -1) => {
    const all = rows();
    const now = current();
    // The first key goes to the first row in the window.
    const at = now
      ? all.indexOf(now) + by
      : all.findIndex((row) => row.getBoundingClientRect().top >= 0);
    const next = all[Math.max(0, Math.min(all.length - 1, at))];
    next?.querySelector<HTMLElement>('a')?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  const choose = () => {
    const id = current()?.dataset.row;
    if (id) selection.toggle(id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const from = current()?.dataset.row;
    if (!event.shiftKey || by === 0 || !from) return;
    event.preventDefault();
    step(by);
    selection.extend(from, current()?.dataset.row ?? from);
  };
  const keys = [
    { keys: 'j', label: t('case.cases.keys.down'), run: () => step(1), onFocus: true },
    { keys: 'k', label: t('case.cases.keys.up'), run: () => step(-1), onFocus: true },
    { keys: 'x', label: t('case.cases.keys.choose'), run: choose, onFocus: true },
    { keys: '↓', label: t('case.cases.keys.extend'), run: () => undefined, onFocus: true },
  ];
  return { keys, onKeyDown };
}
