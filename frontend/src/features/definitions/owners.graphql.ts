import { graphql } from '../../graphql/generated';

export const OwnerReviewLines = graphql(`
  fragment OwnerReviewLines on OwnerReview {
    process
    required
    approved
    rejected
    decidable
    withoutFrom
    owners {
      person {
        id
        name
      }
      decision
      reason
      decidedAt
      eligible
    }
  }
`);

/** The owners of a process, and the changes that wait for them. */
export const OwnersOfProcess = graphql(`
  query OwnersOfProcess($process: String!) {
    processOwners(process: $process) {
      required
      owners {
        id
        name
      }
      changes {
        id
        kind
        after
        reason
        sha256
        proposedBy {
          id
          name
        }
        proposedAt
        ownerReviews {
          ...OwnerReviewLines
        }
      }
    }
  }
`);

export const OwnerCandidates = graphql(`
  query OwnerCandidates {
    people {
      id
      name
      disabled
    }
  }
`);

export const DecideAsOwner = graphql(`
  mutation DecideAsOwner($input: DecideAsOwnerInput!) {
    decideAsOwner(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ProposeProcessOwners = graphql(`
  mutation ProposeProcessOwners($input: ProposeProcessOwnersInput!) {
    proposeProcessOwners(input: $input) {
      results {
        applied
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
