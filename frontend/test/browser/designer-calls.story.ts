// Calls of other systems and of other processes, made on the drawing.
import { expect, test } from 'vitest';
import { choose, drawing, insert, leads, name, newProcess, publish } from './designing.ts';
import { openPageAs } from './environment.ts';
import { textEditor } from './text-editor.ts';
import { desktop, viewed } from './views.ts';

test('a saga is added from the list of kinds, with its calls, and a failure is caught', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'paid_by_calls', 'Paid by calls', '调用付款');
  const text = textEditor(page, 'Process text');
  await choose(page, 'Review');
  await insert(page, 'When approved, go to', 'Calls of other systems');
  await page.getByRole('heading', { name: 'System calls: Call other systems' }).waitFor();
  await name(page, 'Pay', '付款');
  await page.getByLabel('Id of the call').fill('reserve');
  await page.getByLabel('Operation, such as ledger.reserve').fill('ledger.reserve');
  await page.getByLabel('Operation that undoes it (default: none)').fill('ledger.release');
  await page.getByRole('button', { name: 'Add a call' }).click();
  await page.getByLabel('Operation, such as ledger.reserve').nth(1).fill('bank.pay');
  await expect
    .poll(() => text.inputValue())
    .toMatch(
      /id: reserve\n +call: ledger\.reserve\n +undo: ledger\.release\n +- id: call_2\n +call: bank\.pay/,
    );
  await page.getByText(/^Valid:/).waitFor();
  await viewed(page, 'design-saga');
  await choose(page, 'Read document');
  await page.getByRole('button', { name: 'Catch a failure' }).click();
  await page.getByLabel('Codes of failures').fill('DamagedFile, EncryptedFile');
  await page.getByLabel('Codes of failures').press('Tab');
  await leads(page, 'After the failure DamagedFile, EncryptedFile, go to', 'Close as rejected');
  await expect.poll(() => text.inputValue()).toContain('codes: [DamagedFile, EncryptedFile]');
  await page.getByText(/^Valid:/).waitFor();
  await viewed(page, 'design-failure');
  await context.close();
});

test('a called process is chosen, and its steps are shown read-only in the form of the call', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await newProcess(page, 'identity_part', 'Identity', '身份');
  const text = textEditor(page, 'Process text');
  await text.fill(identity);
  await publish(page, 'identity_part');
  await newProcess(page, 'caller', 'Caller', '调用者');
  await choose(page, 'Validate fields');
  await insert(page, 'Then go to', 'Call of another process');
  await page.getByLabel('Called process', { exact: true }).selectOption({ label: 'Identity' });
  await page.getByText('Steps in version 1').click();
  const called = page.getByRole('region', { name: 'Diagram of identity_part' });
  await called.locator('[data-node="check"]').waitFor();
  await expect.poll(() => called.getByRole('button', { name: /^Edit step/ }).count()).toBe(0);
  await drawing(page).locator('[data-node="identity_part"]').waitFor();
  await page.getByText(/^Valid:/).waitFor();
  // They have a frame on the edited drawing, too; choosing one of them opens the form of the call.
  await drawing(page).locator('[data-node="identity_part/check"]').waitFor();
  await choose(page, 'Validate fields');
  await drawing(page)
    .getByRole('button', { name: /^Edit step .*Check the identity/ })
    .click();
  await page.getByRole('heading', { name: /^Called process: / }).waitFor();
  await viewed(page, 'design-call');
  // An end of the called process that leads to a step too many is reported at the call.
  await leads(page, 'With the outcome refused, go to', 'Archived');
  await drawing(page)
    .getByText(/^\d+ errors?$/)
    .waitFor();
  await context.close();
});

const identity = `key: identity_part
version: 1
title: {en: Identity, zh: 身份}
callable: true
nodes:
  - {id: start, kind: start, next: check}
  - id: check
    kind: review
    title: {en: Check the identity, zh: 核实身份}
    queue: AML
    level: 1
    duty: kyc
    on: {approve: passed, reject: refused, return: }
  - {id: passed, kind: end}
  - {id: refused, kind: end}
`;
