import { expect, it } from 'vitest';
import { fromTemplate, loadTemplates } from './templates';

it('offers the small templates and then the built-in definitions, with texts in both languages', async () => {
  const templates = await loadTemplates();
  const keys = templates.map(({ key }) => key);
  expect(keys.slice(0, 4)).toEqual([
    'approval_by_amount',
    'committee',
    'four_eyes',
    'parallel_checks',
  ]);
  expect(keys).toContain('document_approval');
  for (const { title, about, text } of templates) {
    expect(Object.keys(title)).toEqual(['en', 'zh']);
    expect(text).not.toMatch(/^---/m);
    if (Object.keys(about).length > 0) expect(Object.keys(about)).toEqual(['en', 'zh']);
  }
});

it('gives a copy a key that no process has', async () => {
  const [first] = await loadTemplates();
  if (!first) throw new Error('there are no templates');
  expect(fromTemplate(first, new Set())).toContain('key: approval_by_amount\n');
  const taken = new Set(['approval_by_amount', 'approval_by_amount_2']);
  expect(fromTemplate(first, taken)).toMatch(/^key: approval_by_amount_3\nversion: 1\n/);
});
