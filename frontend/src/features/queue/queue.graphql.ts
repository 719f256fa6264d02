import { graphql } from '../../graphql/generated';

/** A review as a row of the queue. */
export const QueueRow = graphql(`
  fragment QueueRow on Review {
    id
    version
    node
    stepTitles {
      name
      value
    }
    queue
    level
    committee {
      decideBy
      seats
      quorum
      cast
      approvals
    }
    status
    overdue
    atRisk
    claimBy
    decideBy
    endsAt
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
    assignee {
      id
      name
    }
    case {
      ...CaseLive
      document {
        revision
        fileName
      }
    }
  }
`);

/** The reviews that the user may decide, soonest due first, then their changes. */
export const QueueLive = graphql(`
  subscription QueueLive($first: Int!, $filter: ReviewFilter!, $sort: ReviewSort!) {
    reviewQueue(first: $first, filter: $filter, sort: $sort) {
      snapshot
      upserted {
        ...QueueRow
      }
      removedReviews {
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
      decidableCount
    }
  }
`);

/** The rows after the live ones. */
export const QueueRows = graphql(`
  query QueueRows($first: Int!, $after: Cursor, $filter: ReviewFilter!, $sort: ReviewSort!) {
    reviews(first: $first, after: $after, filter: $filter, sort: $sort) {
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

/** The current user by their API id. */
export const QueueViewer = graphql(`
  query QueueViewer {
    viewer {
      person {
        id
      }
      delegations {
        id
        active
        delegator {
          id
          name
        }
      }
    }
  }
`);
