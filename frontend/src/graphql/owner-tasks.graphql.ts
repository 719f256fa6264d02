import { graphql } from './generated';

/** The proposals that wait for the user as an owner. */
export const OwnerTasks = graphql(`
  query OwnerTasks {
    ownerTasks {
      owner
      nodes {
        proposalId
        kind
        process
        note
        proposedAt
        proposedBy {
          id
          name
        }
        review {
          process
          approved
          required
          rejected
          withoutFrom
        }
      }
    }
  }
`);
