import { graphql } from './generated';

/** The reviewers who are eligible for a review. */
export const EligibleReviewers = graphql(`
  query EligibleReviewers($reviewId: ID!) {
    eligibleReviewers(reviewId: $reviewId) {
      id
      name
      roles
      openReviews
    }
  }
`);

/** The workload changes of a reassignment. */
export const ReassignPreview = graphql(`
  query ReassignPreview($reviewIds: [ID!]!, $to: ID) {
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
      kept
      drawn
    }
  }
`);
