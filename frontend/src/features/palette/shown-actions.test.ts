import { expect, it, vi } from 'vitest';
import { shownActions } from './shown-actions';

it('lists what the head of a page offers, and what other elements name', () => {
  document.body.innerHTML = `
    <div data-page-actions="true"><button>Correct</button><button disabled>Retry</button>
      <button aria-disabled="true">Hold</button><a href="/audit" aria-label="Audit trail">…</a></div>
    <button>Elsewhere</button><button data-page-action="">Watch</button>
    <textarea data-page-action="New note"></textarea>`;
  const actions = shownActions();
  expect(actions.map(({ label }) => label)).toEqual([
    'Correct',
    'Audit trail',
    'Watch',
    'New note',
  ]);
  const clicked = vi.fn();
  document.querySelectorAll('button')[4]?.addEventListener('click', clicked);
  actions[2]?.run();
  expect(clicked).toHaveBeenCalledOnce();
  actions[3]?.run();
  expect(document.activeElement?.tagName).toBe('TEXTAREA');
});
