import { graphql } from '../../graphql/generated';

/** A review as a row of the queue. */
export const QueueRow = graphql(`
  fragment QueueRow on Review {
    id
    version
    queue
    level
    status
    overdue
    atRisk
    claimBy
    decideBy
    assignee {
      id
      name
    }
    case {
      ...CaseLive
    }
  }
`);

/** What the person may decide, soonest due first, then what changes of it. */
export const QueueLive = graphql(`
  subscription QueueLive($first: Int!, $filter: ReviewFilter!) {
    reviewQueue(first: $first, filter: $filter) {
      snapshot
      upserted {
        ...QueueRow
      }
      left {
        id
        version
        status
        assignee {
          id
          name
        }
      }
      removed
      order
      totalCount
    }
  }
`);

/** What lies behind the rows that are live. */
export const QueueMore = graphql(`
  query QueueMore($first: Int!, $after: Cursor, $filter: ReviewFilter!) {
    reviews(first: $first, after: $after, filter: $filter) {
      nodes {
        ...QueueRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const ClaimFromQueue = graphql(`
  mutation ClaimFromQueue($input: ClaimReviewInput!) {
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

export const ClaimNextFromQueue = graphql(`
  mutation ClaimNextFromQueue($input: ClaimNextReviewInput!) {
    claimNextReview(input: $input) {
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

/** Who looks, by the id that the API gives to persons. */
export const QueueViewer = graphql(`
  query QueueViewer {
    viewer {
      person {
        id
      }
      delegations {
        id
        active
        giver {
          id
          name
        }
      }
    }
  }
`);

export const ClaimMany = graphql(`
  mutation ClaimMany($input: ClaimReviewsInput!) {
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

export const ApproveMany = graphql(`
  mutation ApproveMany($input: ApproveReviewsInput!) {
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

/** Takes a decision back before it takes effect; the review is the seat that is asked anew. */
export const TakeBack = graphql(`
  mutation TakeBack($input: UndoDecisionInput!) {
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
