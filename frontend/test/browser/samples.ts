// The documents of the quality sample, and the form of its check.
import type { Page } from 'playwright-core';
import { graphql } from './environment.ts';
import { act } from './reviews.ts';

/** A junior approves the review. Returns the values that its page showed, by their names. */
export async function approvedValues(reviewId: string): Promise<Record<string, string>> {
  const query = `query($id: ID!) { review(id: $id) { case { fieldForm { name field { normalised } } } } }`;
  interface Form {
    review: { case: { fieldForm: { name: string; field: { normalised: string } | null }[] } };
  }
  const { review } = await graphql<Form>('manager', query, { id: reviewId });
  await act('junior', 'claimReview', { reviewId });
  await act('junior', 'decideReview', { reviewId, decision: 'APPROVE', reason: 'Checked.' });
  return Object.fromEntries(
    review.case.fieldForm.map(({ name, field }) => [name, field?.normalised ?? '']),
  );
}

/** The labels of the check, and the names of their values. */
export const labels = {
  Vendor: 'vendor',
  Number: 'number',
  Date: 'date',
  Total: 'total',
  Currency: 'currency',
  IBAN: 'iban',
};

export async function enter(page: Page, values: Record<string, string | undefined>): Promise<void> {
  for (const [label, name] of Object.entries(labels))
    await page.getByRole('textbox', { name: label, exact: true }).fill(values[name] ?? '');
}

export const take = (page: Page) => page.getByRole('button', { name: 'Take a sample' });
