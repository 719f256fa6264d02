import { graphql } from '../../graphql/generated';

/** An undecided review of a selected case. */
export const BulkReview = graphql(`
  fragment BulkReview on Review {
    id
    version
    queue
    status
    drawn
    bulkApproval {
      within
      outside
      maxRisk
      maxAmount {
        amount
        currency
      }
    }
    case {
      id
      version
    }
  }
`);

/** The reviews of the cases that the user may decide, and those that the user may reassign. */
export const BulkPlan = graphql(`
  query BulkPlan($own: ReviewFilter!, $all: ReviewFilter!, $manages: Boolean!) {
    own: reviews(first: 100, filter: $own) {
      nodes {
        ...BulkReview
      }
    }
    all: reviews(first: 100, filter: $all) @include(if: $manages) {
      nodes {
        ...BulkReview
      }
    }
  }
`);

/** What is approved, for the question before it. */
export const BulkQuestion = graphql(`
  query BulkQuestion($filter: ReviewFilter!) {
    reviews(first: 50, filter: $filter) {
      nodes {
        id
        version
        case {
          id
          version
          updatedAt
          reference
          counterparty
          amount {
            amount
            currency
          }
          findings {
            rule
            severity
            title
            titleZh: title(locale: "zh")
          }
        }
      }
    }
  }
`);

export const BulkLine = graphql(`
  fragment BulkLine on BulkResult {
    reviewId
    review {
      id
      version
      status
      undoUntil
    }
    userErrors {
      ...RefusalFields
    }
  }
`);

export const ClaimReviews = graphql(`
  mutation ClaimReviews($input: ClaimReviewsInput!) {
    claimReviews(input: $input) {
      results {
        ...BulkLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ReleaseReviews = graphql(`
  mutation ReleaseReviews($input: ReleaseReviewsInput!) {
    releaseReviews(input: $input) {
      results {
        ...BulkLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ApproveReviews = graphql(`
  mutation ApproveReviews($input: ApproveReviewsInput!) {
    approveReviews(input: $input) {
      results {
        ...BulkLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ReassignSelected = graphql(`
  mutation ReassignSelected($input: ReassignReviewsInput!) {
    reassignReviews(input: $input) {
      results {
        reviewId
        review {
          id
          version
          status
          assignee {
            id
            name
          }
        }
        userErrors {
          ...RefusalFields
        }
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** Undoes a decision before it takes effect; returns the review that is open again. */
export const UndoDecision = graphql(`
  mutation UndoDecision($input: UndoDecisionInput!) {
    undoDecision(input: $input) {
      review {
        id
        version
        status
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
