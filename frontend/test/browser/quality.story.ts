import { expect, test } from 'vitest';
import { drawInvoice, graphql, openPageAs, submit, type Username } from './environment.ts';
import { act, reviewOf } from './reviews.ts';
import { approvedValues, enter, labels, take } from './samples.ts';
import { desktop, viewed } from './views.ts';

interface Sample {
  reference: string;
  caseId: string;
  status: string;
  correctionId: string | null;
}

async function samples(): Promise<Sample[]> {
  const query = `{ qualitySamples(first: 20) { nodes { reference caseId status correctionId } } }`;
  const found = await graphql<{ qualitySamples: { nodes: Sample[] } }>('auditor', query);
  return found.qualitySamples.nodes;
}

/** Whether the person may read the case. */
async function mayRead(person: Username, caseId: string): Promise<boolean> {
  const query = 'query($id: ID!) { case(id: $id) { id } }';
  return (
    (await graphql<{ case: { id: string } | null }>(person, query, { id: caseId })).case !== null
  );
}

/** The sample of a case, once the sweeper has drawn it. */
async function drawn(reference: string): Promise<Sample> {
  let sample: Sample | undefined;
  await expect
    .poll(async () => {
      sample = (await samples()).find((one) => one.reference === reference);
      return sample !== undefined;
    })
    .toBe(true);
  if (!sample) throw new Error(`${reference} was not drawn`);
  return sample;
}

/** An archived invoice that a reviewer approved, with the values printed on it. */
async function archivedInvoice(euros: number) {
  const { path, invoice } = await drawInvoice(euros);
  const reference = await submit('submitter', path);
  const reviewId = (await reviewOf(reference)).id;
  const values = await approvedValues(reviewId);
  return { reference, invoice, values };
}

async function openQuality(as: Username, locale: 'en-GB' | 'zh-CN' = 'en-GB') {
  const opened = await openPageAs(as, { size: desktop, locale });
  await opened.page.goto('/quality');
  return opened;
}

test('two administrators change the share of the sample', async () => {
  const { context, page } = await openPageAs('admin', { size: desktop });
  await page.goto('/admin/controls');
  const present = page.getByRole('list', { name: 'Shares of the quality sample' });
  await present
    .getByRole('listitem')
    .filter({ hasText: 'Document approval · With an approval · 1 %' })
    .getByText('Default')
    .waitFor();
  const propose = page.getByRole('button', { name: 'Propose share' });
  await expect.poll(() => propose.getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('combobox', { name: 'Process', exact: true }).click();
  await page.getByRole('option', { name: 'Document approval', exact: true }).click();
  await page.getByRole('combobox', { name: 'Archived' }).click();
  await page.getByRole('option', { name: 'With an approval', exact: true }).click();
  await page.getByRole('textbox', { name: 'Share in percent' }).fill('200');
  await page.getByRole('textbox', { name: 'Reason for the share' }).fill('Audit of this month');
  await propose.click();
  await page.getByText(/is not a share from 0 to 100 percent/).waitFor();
  await viewed(page, 'quality-share-refused');
  await page.getByRole('textbox', { name: 'Share in percent' }).fill('100');
  await propose.click();
  await page.getByText(/^New share proposed for Document approval, With an approval\./).waitFor();
  const change = 'Quality sample of Document approval (With an approval): from 1 % to 100 %';
  const mine = page.getByRole('list', { name: 'Waiting for confirmation' });
  await mine.getByText(change).waitFor();
  await expect
    .poll(() => mine.getByRole('button', { name: 'Confirm' }).getAttribute('aria-disabled'))
    .toBe('true');
  await viewed(page, 'quality-share-proposed');
  await context.close();
  const second = await openPageAs('admin2', { size: desktop });
  await second.page.goto('/admin/controls');
  const open = second.page.getByRole('list', { name: 'Waiting for confirmation' });
  await open.getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
  await second.page.getByText(`${change}: confirmed.`).waitFor();
  await second.page
    .getByRole('list', { name: 'Shares of the quality sample' })
    .getByRole('listitem')
    .filter({ hasText: 'With an approval · 100 %' })
    .getByText('Audit of this month')
    .waitFor();
  await viewed(second.page, 'quality-share-confirmed');
  await second.context.close();
  const zh = await openPageAs('admin', { size: desktop, locale: 'zh-CN' });
  await zh.page.goto('/admin/controls');
  await zh.page.getByRole('button', { name: '提议比例' }).waitFor();
  await viewed(zh.page, 'quality-share-zh');
  await zh.context.close();
});

test('a drawn case is checked blind, a third person finds it wrong, and a correction is linked', async () => {
  const { reference, invoice, values } = await archivedInvoice(1_400);
  const sample = await drawn(reference);

  const checker = await openQuality('junior2');
  await checker.page.keyboard.press('Tab'); // a keyboard reaches the button
  await take(checker.page).focus();
  await checker.page.keyboard.press('Enter');
  const vendor = checker.page.getByRole('textbox', { name: 'Vendor', exact: true });
  await vendor.waitFor();
  await expect.poll(() => vendor.evaluate((box) => box === document.activeElement)).toBe(true);
  // Nothing of the archived case except the image of its page.
  const shown = await checker.page.locator('body').ariaSnapshot();
  for (const secret of [invoice, values.vendor, values.total, values.iban, reference])
    expect(shown).not.toContain(secret);
  const sendCheck = checker.page.getByRole('button', { name: 'Send check' });
  await expect.poll(() => sendCheck.getAttribute('aria-disabled')).toBe('true');
  await enter(checker.page, { ...values, total: '1629.60' });
  await checker.page.getByRole('radio', { name: 'Yes' }).click();
  await viewed(checker.page, 'quality-check');
  await sendCheck.click();
  await checker.page.getByText('Your check was recorded.').waitFor();
  await expect
    .poll(() => take(checker.page).evaluate((button) => button === document.activeElement))
    .toBe(true);
  await take(checker.page).click(); // no second check of the same sample
  await checker.page.getByText('No sample is waiting that you can check.').waitFor();
  await viewed(checker.page, 'quality-checked');
  await checker.context.close();

  const third = await openQuality('senior');
  await take(third.page).click();
  await third.page.getByText('The checker disagreed with the archived case.').waitFor();
  const total = third.page.getByRole('row').filter({ hasText: 'Total' });
  await total.getByText(values.total ?? '', { exact: true }).waitFor();
  await total.getByText('1629.60', { exact: true }).waitFor();
  await third.page.getByRole('radio', { name: 'No, submit a correction' }).click();
  await third.page.getByRole('textbox', { name: 'Reason' }).fill('The total is 1629.60.');
  await viewed(third.page, 'quality-settle');
  await third.page.getByRole('button', { name: 'Send decision' }).click();
  await third.page.getByText('A correction case was submitted for review.').waitFor();
  await viewed(third.page, 'quality-settled');
  // The reviewer can read the correction case when it is in their queue.
  const settled = (await samples()).find((one) => one.reference === reference);
  await expect.poll(() => mayRead('senior', settled?.correctionId ?? '')).toBe(true);
  await third.page.getByRole('link', { name: 'Open the correction case' }).click();
  await third.page.getByText(`This case corrects ${reference}`).first().waitFor();
  await third.context.close();

  const { correctionId } = (await samples()).find((one) => one.reference === reference) ?? {};
  expect(correctionId).not.toBeNull();
  const manager = await openQuality('manager');
  const errors = manager.page.getByRole('table', { name: 'Measured errors' });
  await errors
    .getByRole('row')
    .filter({ hasText: 'With an approval' })
    .filter({ hasText: '100%' })
    .waitFor();
  const latest = manager.page.getByRole('table', { name: 'Latest samples' });
  await latest.getByText('Archived wrongly').waitFor();
  await manager.page.getByRole('table', { name: 'Checkers' }).waitFor();
  await viewed(manager.page, 'quality-figures');
  await latest.getByRole('link', { name: 'Correction' }).click();
  const correction = manager.page.getByRole('region', { name: 'Correction', exact: true });
  await correction.getByText(/It pays nothing\./).waitFor();
  await viewed(manager.page, 'quality-correction');
  await correction.getByRole('link', { name: `Open ${reference}` }).click();
  await manager.page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await correction.getByText('The quality sample found this case wrong.').waitFor();
  await viewed(manager.page, 'quality-corrected');
  await manager.context.close();

  // The submitter of the archived case does not learn that it was drawn.
  const own = await openPageAs('submitter', { size: desktop });
  await own.page.goto(`/cases/${sample.caseId}`);
  await own.page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await expect
    .poll(() => own.page.getByRole('region', { name: 'Correction', exact: true }).count())
    .toBe(0);
  await own.context.close();
});

test('a check that agrees lowers the measured error, and an open sample shows its age', async () => {
  const { reference, values } = await archivedInvoice(1_440);
  await drawn(reference);
  const checker = await openQuality('junior2', 'zh-CN');
  await checker.page.getByRole('button', { name: '领取样本' }).click();
  const inputs = checker.page.getByRole('region', { name: '您的核对' }).getByRole('textbox');
  await inputs.first().waitFor();
  for (const [at, name] of Object.values(labels).entries())
    await inputs.nth(at).fill(values[name] ?? '');
  await checker.page.getByRole('radio', { name: '会', exact: true }).click();
  await viewed(checker.page, 'quality-check-zh');
  await checker.page.getByRole('button', { name: '提交核对结果' }).click();
  await checker.page.getByText('您的核对结果已记录。').waitFor();
  await checker.context.close();
  const open = await archivedInvoice(1_480);
  await drawn(open.reference);

  const auditor = await openQuality('auditor');
  const row = auditor.page
    .getByRole('table', { name: 'Measured errors' })
    .getByRole('row')
    .filter({ hasText: 'With an approval' });
  await row.getByRole('cell', { name: '50%', exact: true }).waitFor();
  await row.getByRole('cell', { name: '97.47%', exact: true }).waitFor();
  await row.getByRole('cell', { name: '66.67%', exact: true }).waitFor(); // if the open one is wrong
  await auditor.page.getByText(/^Oldest open sample: drawn/).waitFor();
  await auditor.page
    .getByRole('table', { name: 'Changes of the share' })
    .getByText('Audit of this month')
    .waitFor();
  await viewed(auditor.page, 'quality-figures-open');
  await auditor.context.close();
  const zh = await openQuality('auditor', 'zh-CN');
  await zh.page.getByRole('table', { name: '实测错误率' }).waitFor();
  await viewed(zh.page, 'quality-figures-zh');
  await zh.context.close();
});

/** Two administrators let every archived case of the process be drawn. */
async function drawAllOf(process: string): Promise<void> {
  for (const stratum of ['STRAIGHT', 'APPROVED']) {
    await act('admin', 'proposeSampleShare', { process, stratum, percent: '100', reason: 'Audit' });
    const query = `{ controlChanges(first: 1, filter: {status: PROPOSED}) { nodes { id } } }`;
    const { controlChanges } = await graphql<{ controlChanges: { nodes: { id: string }[] } }>(
      'admin2',
      query,
    );
    await act('admin2', 'confirmControlChange', { proposalId: controlChanges.nodes[0]?.id });
  }
}

/** Takes a sample as the user, and returns its id. */
async function taken(as: Username): Promise<string> {
  await graphql(as, 'mutation { takeQualitySample(input: {}) { status } }');
  const { qualityWork } = await graphql<{ qualityWork: { task: { id: string } | null } }>(
    as,
    '{ qualityWork { task { id } } }',
  );
  if (!qualityWork.task) throw new Error(`${as} has no sample`);
  return qualityWork.task.id;
}

test('the correction of a payment order shows the order and pays nothing', async () => {
  await drawAllOf('cross_border_remittance');
  const { path, vendor, account } = await drawInvoice(1_400);
  const order = {
    type: 'remittance',
    process: 'cross_border_remittance',
    amount: '1692.60',
    currency: 'EUR',
    country: 'DE',
    'order-payer': 'Kunde AG',
    'order-payee': vendor,
    'order-account': account,
    'order-purpose': 'invoice of October',
    'order-reference': 'P-2026-009',
  };
  const options = Object.entries(order).map(([name, value]) => `--${name}=${value}`);
  const reference = await submit('submitter', path, ...options);
  const sample = await drawn(reference);
  await act('aml', 'checkQualitySample', {
    sampleId: await taken('aml'),
    approves: false,
    values: [],
    comment: 'The total is 1629.60.',
  });
  await act('aml2', 'settleQualitySample', {
    sampleId: await taken('aml2'),
    archivedRightly: false,
    reason: 'The total is 1629.60.',
  });
  const { correctionId } = (await samples()).find((one) => one.reference === reference) ?? {};

  const { context, page } = await openPageAs('manager', { size: desktop });
  await page.goto(`/cases/${correctionId}`);
  const correction = page.getByRole('region', { name: 'Correction', exact: true });
  await correction.getByText(/It pays nothing\./).waitFor();
  const shown = correction.getByRole('list', { name: `Payment order of ${reference}` });
  await shown.getByText('P-2026-009').waitFor();
  await shown.getByText(account.replaceAll(/(.{4})(?=.)/g, '$1 ')).waitFor();
  await expect.poll(() => correction.getByRole('button').count()).toBe(0); // read only
  await page.getByRole('link', { name: 'Open review' }).waitFor();
  await viewed(page, 'quality-correction-order');
  await page.getByRole('link', { name: 'Open review' }).click();
  await page.getByRole('heading', { name: 'Fields', exact: true }).waitFor();
  await shown.getByText('P-2026-009').waitFor();
  await viewed(page, 'quality-correction-review');
  await page.goto(`/cases/${sample.caseId}`);
  await correction.getByText('The quality sample found this case wrong.').waitFor();
  await viewed(page, 'quality-corrected-order');
  await context.close();
});
