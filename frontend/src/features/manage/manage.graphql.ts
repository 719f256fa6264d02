import { graphql } from '../../graphql/generated';

/** A review as a row of the board. */
export const ManagedReview = graphql(`
  fragment ManagedReview on Review {
    id
    version
    queue
    level
    status
    overdue
    atRisk
    claimBy
    decideBy
    pausedAt
    pauseReason
    assignee {
      id
      name
    }
    case {
      ...CaseLive
    }
  }
`);

/** The most urgent reviews of the filter as they are now, then what changes. */
export const ManagedQueue = graphql(`
  subscription ManagedQueue($filter: ReviewFilter!) {
    reviewQueue(first: 100, filter: $filter) {
      snapshot
      upserted {
        ...ManagedReview
      }
      left {
        ...ManagedReview
      }
      removed
      order
      totalCount
    }
  }
`);

/** One page of the filter: what lies behind the rows that are live. */
export const ManagedPage = graphql(`
  query ManagedPage($after: Cursor, $filter: ReviewFilter!) {
    reviews(first: 100, after: $after, filter: $filter) {
      nodes {
        ...ManagedReview
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** How much there is in each queue whose reviews the person may give to others. */
export const QueueCounts = graphql(`
  query QueueCounts {
    queues(all: true) {
      name
      available
      assigned
      claimed
      overdue
      atRisk
    }
  }
`);

/** Everybody with what they hold. */
export const PeopleLoad = graphql(`
  query PeopleLoad {
    people {
      id
      name
      roles
      queues
      disabled
      openReviews
    }
  }
`);

/** Who could be given the review. */
export const Eligible = graphql(`
  query Eligible($reviewId: ID!) {
    eligibleReviewers(reviewId: $reviewId) {
      id
      name
      roles
      openReviews
    }
  }
`);

export const Reassign = graphql(`
  mutation Reassign($input: ReassignReviewsInput!) {
    reassignReviews(input: $input) {
      results {
        reviewId
        review {
          ...ManagedReview
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

/** How many reviews of each queue are expected to pass their time, at the pace of the last day. */
export const Outlook = graphql(`
  query Outlook {
    queues(all: true) {
      name
      overdue
      forecast(hours: [4, 24, 48]) {
        pace
        arrivals
        breaches {
          until
          count
        }
      }
    }
  }
`);

/** What giving reviews away would do to the loads. */
export const GiftPreview = graphql(`
  query GiftPreview($reviewIds: [ID!]!, $to: ID) {
    reassignPreview(reviewIds: $reviewIds, to: $to) {
      loads {
        person {
          id
          name
        }
        before
        after
      }
      refused
    }
  }
`);

export const PauseReview = graphql(`
  mutation PauseReview($input: PauseDeadlinesInput!) {
    pauseDeadlines(input: $input) {
      reviews {
        ...ManagedReview
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ResumeReview = graphql(`
  mutation ResumeReview($input: ResumeDeadlinesInput!) {
    resumeDeadlines(input: $input) {
      reviews {
        ...ManagedReview
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
