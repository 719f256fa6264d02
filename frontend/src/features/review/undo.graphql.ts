import { graphql } from '../../graphql/generated';

/** Undoes a decision before it takes effect; returns the review that is open again. */
export const UndoReview = graphql(`
  mutation UndoReview($input: UndoDecisionInput!) {
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

export const ClaimUndone = graphql(`
  mutation ClaimUndone($input: ClaimReviewInput!) {
    claimReview(input: $input) {
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
  }
`);
