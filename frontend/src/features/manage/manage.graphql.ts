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
    endsAt
    pausedAt
    pauseReason
    drawn
    assignee {
      id
      name
    }
    case {
      ...CaseLive
    }
  }
`);

/** The most urgent reviews of the filter, then their changes. */
export const ManagedQueue = graphql(`
  subscription ManagedQueue($filter: ReviewFilter!) {
    reviewQueue(first: 100, filter: $filter) {
      snapshot
      upserted {
        ...ManagedReview
      }
      removedReviews {
        ...ManagedReview
      }
      removed
      order
      totalCount
    }
  }
`);

/** One page of the filter, for the rows after the live ones. */
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

/** The counters of the queues whose reviews the user may reassign. */
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

/** All people with their number of open reviews. */
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

export const ReassignReviews = graphql(`
  mutation ReassignReviews($input: ReassignReviewsInput!) {
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

/** The expected deadline breaches of each queue at the last day's pace. */
export const QueueForecasts = graphql(`
  query QueueForecasts {
    queues(all: true) {
      name
      overdue
      forecast(hours: [4, 24, 48]) {
        pace
        arrivals
        historyMinutes
        breaches {
          until
          count
          claims
        }
      }
    }
  }
`);

export const PauseDeadlines = graphql(`
  mutation PauseDeadlines($input: PauseDeadlinesInput!) {
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

export const ResumeDeadlines = graphql(`
  mutation ResumeDeadlines($input: ResumeDeadlinesInput!) {
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
