import { graphql } from '../../graphql/generated';

/** What the decisions of a case rested on. */
export const DecisionEvidence = graphql(`
  query DecisionEvidence($id: ID!) {
    case(id: $id) {
      id
      decisions {
        at
        evidence
        revoked
      }
    }
  }
`);
