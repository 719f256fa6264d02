import { graphql } from '../../graphql/generated';

/** Cases in which the words occur. */
export const PaletteCases = graphql(`
  query PaletteCases($query: String!, $first: Int!) {
    search(query: $query, first: $first) {
      nodes {
        case {
          id
          version
          updatedAt
          reference
          counterparty
          status
          document {
            revision
            fileName
          }
        }
      }
    }
  }
`);
