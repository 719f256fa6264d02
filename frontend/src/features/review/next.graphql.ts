import { graphql } from '../../graphql/generated';

/** Claims a review and returns everything that its page shows, so that the page needs no further request. */
export const ClaimNextReview = graphql(`
  mutation ClaimNextReview($input: ClaimNextReviewInput!) {
    claimNextReview(input: $input) {
      review {
        ...ReviewOpened
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/**
 * Decides a review and claims the next one with everything that its page shows. Of the decided one it
 * reads only what changes in lists and what offers to undo the decision.
 */
export const DecideAndClaimNext = graphql(`
  mutation DecideAndClaimNext($input: DecideReviewInput!, $next: ClaimNextReviewInput!) {
    decideReview(input: $input) {
      review {
        id
        version
        status
        undoUntil
        voteHidden
        decision {
          verdict
          reason
          at
          actor {
            id
            name
          }
          onBehalfOf {
            id
            name
          }
        }
        case {
          id
          reference
        }
      }
      userErrors {
        ...RefusalFields
      }
    }
    claimNextReview(input: $next) {
      review {
        ...ReviewOpened
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
