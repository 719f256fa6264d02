import { graphql } from './generated';

/** The open proposals, which another administrator than their proposer publishes or confirms. */
export const OpenProposals = graphql(`
  query OpenProposals {
    proposals(first: 100, filter: { status: PROPOSED }) {
      nodes {
        id
        kind
        proposedBy {
          id
        }
      }
    }
    controlChanges(first: 100, filter: { status: PROPOSED }) {
      nodes {
        id
        proposedBy {
          id
        }
      }
    }
  }
`);
