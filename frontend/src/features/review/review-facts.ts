// Derives the page's data from the server's response: the viewer's status, the values of the
// fields, and the boxes on the pages.
import type { ReviewDetailsFragment, ReviewPageDataQuery } from '../../graphql/generated/graphql';
import { type DifferenceLine, differenceLines } from '../../lib/differences';
import type { PageBox } from '../../ui/PageImage';
import type { ServerState, ViewerStatus } from './review-values';

export type Review = ReviewDetailsFragment;
export type ReviewWithReasons = NonNullable<ReviewPageDataQuery['review']>;
export type ReviewCase = NonNullable<Review['case']>;
export type Line = ReviewCase['fieldForm'][number];
export type Finding = ReviewCase['findings'][number];
export type ListedCase = ReviewCase['listedCases'][number];
export type Reasons = Pick<
  ReviewWithReasons,
  'claim' | 'decide' | 'return' | 'escalate' | 'correct'
>;

/** A review whose case the user may read, as on this page. */
export type ReadableReview = Review & { case: ReviewCase };

function viewerStatusOf(review: Review, me: string | null): ViewerStatus {
  switch (review.status) {
    case 'DECIDED':
      return 'decided';
    case 'CANCELLED':
      return 'cancelled';
    case 'CLAIMED':
      return review.assignee?.id === me ? 'mine' : 'others';
    case 'OPEN':
      return review.assignee && review.assignee.id !== me ? 'others' : 'open';
  }
}

/** The present value of a field: normalised, otherwise raw. */
export function textOf(line: Line): string {
  return line.field ? line.field.normalised || line.field.raw : '';
}

/** The state that the machine needs. */
export function serverStateOf(review: Review, me: string | null): ServerState {
  const viewerStatus = viewerStatusOf(review, me);
  return {
    version: review.version,
    viewerStatus,
    holder: viewerStatus === 'others' ? (review.assignee?.name ?? null) : null,
    values: Object.fromEntries(
      (review.case?.fieldForm ?? []).map((line) => [line.name, textOf(line)]),
    ),
    parts: partsOf(review.case),
  };
}

/** The parts of the case beside its fields, as texts that are only compared. */
function partsOf(reviewCase: ReviewCase | null): ServerState['parts'] {
  const { document, order, lineItems, findings = [], approvalRequirements = [] } = reviewCase ?? {};
  const { grounds = [], ...values } = order ?? {};
  return {
    document: JSON.stringify(document?.revision),
    findings: JSON.stringify(
      findings.map(({ rule, severity, message }) => [rule, severity, message]),
    ),
    explanations: JSON.stringify(approvalRequirements.flatMap(({ rule, given }) => [rule, given])),
    amount: JSON.stringify([reviewCase?.amount, reviewCase?.amountAtRisk]),
    order: JSON.stringify(values),
    grounds: JSON.stringify(grounds),
    lines: JSON.stringify(lineItems?.items),
  };
}

/** The boxes of the fields on the document's pages. */
export function boxesOf(form: readonly Line[], label: (line: Line) => string): PageBox[] {
  return form.flatMap((line): PageBox[] => {
    const { field } = line;
    if (!field?.box || field.page === 0) return [];
    return [
      {
        id: line.name,
        page: field.page,
        box: field.box,
        label: label(line),
        doubtful: line.needsPerson,
      },
    ];
  });
}

/** The currency of the amounts: typed, otherwise of the document, otherwise declared. */
export function currencyOf(reviewCase: ReviewCase, typed: string | undefined): string | null {
  const line = reviewCase.fieldForm.find(({ name }) => name === 'currency');
  return (typed ?? (line ? textOf(line) : '')) || reviewCase.declaredAmount?.currency || null;
}

/** The currency that the document states, also where a payment order has another; otherwise that of the amounts. */
export function documentCurrency(reviewCase: ReviewCase): string | null {
  const differing = reviewCase.differences.find(({ field }) => field === 'currency');
  const stated = differing?.values.find(({ source, value }) => source !== 'DECLARED' && value);
  return stated?.value ?? currencyOf(reviewCase, undefined);
}

/** The amount due as the document states it, if it is another than the total; otherwise null. */
export function dueBesideTotal({ fieldForm }: Pick<ReviewCase, 'fieldForm'>): string | null {
  const textOfField = (wanted: string) =>
    fieldForm.find(({ name }) => name === wanted)?.field?.normalised || null;
  const [total, due] = [textOfField('total'), textOfField('amount_due')];
  if (total === null || due === null || Number(total) === Number(due)) return null;
  return due;
}

/** The amount that the submitter declared, if the case has another; otherwise null. */
export function declaredOtherwise({
  amount,
  declaredAmount: declared,
}: Pick<ReviewCase, 'amount' | 'declaredAmount'>): ReviewCase['declaredAmount'] {
  const same =
    Number(amount?.amount) === Number(declared?.amount) && amount?.currency === declared?.currency;
  return declared && !same ? declared : null;
}

/** The findings that warn or block and that no reviewer has explained, the blocking ones first. */
export function unexplainedFindings({
  findings,
  approvalRequirements,
}: Pick<ReviewCase, 'findings' | 'approvalRequirements'>): Finding[] {
  const explained = new Set(
    approvalRequirements.filter(({ satisfied }) => satisfied).map(({ rule }) => rule),
  );
  const heavy = findings.filter(
    ({ severity, rule }) => severity !== 'INFO' && !explained.has(rule),
  );
  return [
    ...heavy.filter(({ severity }) => severity === 'BLOCKING'),
    ...heavy.filter(({ severity }) => severity !== 'BLOCKING'),
  ];
}

/**
 * Whether a person has to look at the value. A field that only a finding names is no such field: the
 * finding asks for an explanation, and confirming the value changes nothing.
 */
export function awaitsCheck({
  needsPerson,
  doubts = [],
}: {
  needsPerson: boolean;
  doubts?: readonly string[];
}): boolean {
  return needsPerson && !(doubts.length > 0 && doubts.every((doubt) => doubt === 'FINDING'));
}

/**
 * The fields whose value a person has to confirm or correct before an approval: read with low certainty, or
 * stated with different values. Missing required values are not among them, because an approval without them
 * needs a reason; nor is a value of the user's own: they have looked at it, and another person confirms it where
 * that is needed.
 */
export function fieldsToCheck(
  { fieldForm, differences, order }: Pick<ReviewCase, 'fieldForm' | 'differences' | 'order'>,
  me: string | null,
): Line[] {
  const missing = new Set(missingRequired(fieldForm).map(({ name }) => name));
  const differing = new Set(
    differenceLines(differences, order !== null)
      .filter((line) => line.confirmable !== null && !isOwn(line.confirmable, me))
      .map(({ field }) => field),
  );
  return fieldForm.filter(
    (line) => !missing.has(line.name) && (awaitsCheck(line) || differing.has(line.name)),
  );
}

const isOwn = ({ source, by }: NonNullable<DifferenceLine['confirmable']>, me: string | null) =>
  source === 'HUMAN' && me !== null && by?.id === me;

/** The required fields without a value. */
export function missingRequired<T extends Pick<Line, 'missing' | 'required' | 'doubts'>>(
  form: readonly T[],
): T[] {
  return form.filter(
    ({ missing, required, doubts }) => missing || (required && doubts.includes('MISSING')),
  );
}
