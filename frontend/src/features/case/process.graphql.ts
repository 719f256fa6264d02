import { graphql } from '../../graphql/generated';

/** The process graph of a case and its current position. */
export const CaseProcess = graphql(`
  query CaseProcess($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      tokens {
        node
        visit
      }
      visits {
        node
        visit
      }
      incident {
        id
        version
        node
      }
      process {
        key
        version
        title
        titles {
          name
          value
        }
        graph {
          nodes {
            id
            kind
            label
            labels {
              name
              value
            }
            within
            queue
            level
            status
            seats
            quorum
            decideBy
            votesHidden
            remind
          }
          lines {
            id
            from
            to
            kind
            label
          }
        }
      }
    }
  }
`);
