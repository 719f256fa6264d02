// A case with supporting documents: submitted with one, returned, another one added, approved, and all of
// them in the archive manifest.
import { expect, test } from 'vitest';
import { drawInvoice, drawLetter, graphql, openPageAs } from './environment.ts';
import { atIntake, card, choose, long, nameOf } from './intake-page.ts';
import { act, openReview, publishProcess, reviewOf } from './reviews.ts';
import { desktop, viewed } from './views.ts';

const letter = async (name: string, text: string) => (await drawLetter(name, [text])).path;

interface Stored {
  id: string;
  status: string;
  manifestPath: string | null;
  supportingDocuments: { kind: string; fileName: string; sha256: string; path: string }[];
}

async function stored(reference: string): Promise<Stored> {
  const query = `query($reference: String!) { case(reference: $reference) { id status manifestPath
    supportingDocuments { kind fileName sha256 path } } }`;
  const found = await graphql<{ case: Stored }>('manager', query, { reference });
  return found.case;
}

/** Which supporting documents of the case the person has opened. */
async function openedBy(person: 'junior', reference: string): Promise<boolean[]> {
  const query =
    'query($reference: String!) { case(reference: $reference) { supportingReadings { opened } } }';
  interface Readings {
    case: { supportingReadings: { opened: boolean }[] };
  }
  const found = await graphql<Readings>(person, query, { reference });
  return found.case.supportingReadings.map(({ opened }) => opened);
}

/** In which parts of the case a search finds the text. */
async function kindsOf(reference: string, text: string): Promise<string[] | undefined> {
  const query =
    'query($text: String!) { search(query: $text) { nodes { case { reference } kinds } } }';
  interface Found {
    search: { nodes: { case: { reference: string }; kinds: string[] }[] };
  }
  const { search } = await graphql<Found>('junior', query, { text });
  return search.nodes.find((node) => node.case.reference === reference)?.kinds;
}

test('a submitter sends an application with a payslip, and the reviewer and the archive have both', async () => {
  await publishProcess('document_approval', (document) =>
    document
      .replace(
        'key: document_approval',
        `key: loan_application
documents:
  - {kind: payslip, label: {en: Payslip, zh: 工资单}, required: true, max: 2}
  - {kind: identity, label: {en: Proof of identity, zh: 身份证明}}`,
      )
      .replace('Document approval', 'Loan application')
      .replace('单据审批', '贷款申请'),
  );
  const application = (await drawInvoice(2_140)).path;
  const payslip = await letter('payslip-may', 'Salary of May: 2,000.00');
  // A scan: its words are those of the engine.
  const identity = (await drawInvoice(9_310, 'png', 'Bodensee Fahrzeugbau')).path;
  const { context, page } = await openPageAs('submitter', { size: desktop });
  await atIntake(page);
  await page.locator('summary').click();
  await page.getByLabel('Process').selectOption({ label: 'Loan application' });
  await page.getByText('Choose the required documents first.').waitFor();
  await page.getByLabel('Choose: Payslip (required)').last().setInputFiles(payslip);
  await page.getByRole('button', { name: `Remove ${nameOf(payslip)}` }).waitFor();
  await viewed(page, 'supporting-intake');
  await choose(page, application);
  const sent = card(page, nameOf(application))
    .getByText(/CS-[\w-]*\w/)
    .first();
  const reference = /CS-[\w-]*\w/.exec((await sent.textContent(long)) ?? '')?.[0] ?? '';
  const caseId = (await stored(reference)).id;
  await expect.poll(async () => (await stored(reference)).status, long).toBe('IN_REVIEW');
  const review = await reviewOf(reference);

  const reviewer = await openPageAs('junior', { size: desktop });
  await openReview(reviewer.page, review);
  const shown = reviewer.page.getByRole('region', { name: 'Supporting documents' });
  await shown.getByText('Payslip', { exact: true }).waitFor();
  const link = shown.getByRole('link', { name: nameOf(payslip) });
  await expect.poll(() => openedBy('junior', reference)).toEqual([false]);
  const opened = await reviewer.page.request.get((await link.getAttribute('href')) ?? '');
  expect(opened.status()).toBe(200);
  await viewed(reviewer.page, 'supporting-review');
  await act('junior', 'claimReview', { reviewId: review.id });
  await reviewer.page.getByRole('button', { name: /^Release/ }).waitFor();
  const question = reviewer.page.getByRole('dialog');
  // The link was requested above, which opened the file.
  await reviewer.page.getByRole('button', { name: /^Approve/ }).click();
  await question.getByText('You have opened all supporting documents.').waitFor();
  await viewed(reviewer.page, 'supporting-question');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'hidden' });
  await shown.getByRole('button', { name: `Show pages of ${nameOf(payslip)}` }).click();
  const image = question.getByRole('img', { name: 'Page 1' });
  await expect
    .poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth), long)
    .toBeGreaterThan(100);
  await viewed(reviewer.page, 'supporting-pages');
  await question.getByRole('button', { name: 'Close' }).click();
  await question.waitFor({ state: 'hidden' });
  await expect.poll(() => kindsOf(reference, 'Salary of May'), long).toEqual(['SUPPORTING_PAGE']);
  await act('junior', 'decideReview', {
    reviewId: review.id,
    decision: 'RETURN',
    reason: 'Please add the proof of identity.',
  });

  await page.goto(`/cases/${caseId}`);
  await page.getByLabel('Choose: Proof of identity').last().setInputFiles(identity);
  await page.getByRole('button', { name: `Remove ${nameOf(identity)}` }).waitFor();
  await viewed(page, 'supporting-answer');
  await page.getByRole('button', { name: 'Resubmit' }).click();
  await expect.poll(async () => (await stored(reference)).status, long).toBe('IN_REVIEW');
  await expect
    .poll(() => kindsOf(reference, 'Bodensee Fahrzeugbau'), long)
    .toEqual(['SUPPORTING_PAGE']);
  await expect.poll(() => openedBy('junior', reference)).toEqual([true, false]);
  const again = await reviewOf(reference);
  await act('junior', 'claimReview', { reviewId: again.id });
  await act('junior', 'decideReview', {
    reviewId: again.id,
    decision: 'APPROVE',
    reason: 'Checked.',
  });
  await expect.poll(async () => (await stored(reference)).status, long).toBe('ARCHIVED');

  const archived = await stored(reference);
  expect(archived.supportingDocuments.map(({ kind }) => kind)).toEqual(['payslip', 'identity']);
  const manifest = await (await reviewer.page.request.get(archived.manifestPath ?? '')).text();
  for (const { sha256 } of archived.supportingDocuments) expect(manifest).toContain(sha256);
  await page.goto(`/cases/${caseId}`);
  const listed = page.getByRole('region', { name: 'Supporting documents' });
  await expect.poll(() => listed.getByRole('listitem').count()).toBe(2);
  await viewed(page, 'supporting-case');
  await reviewer.context.close();
  await context.close();
});
