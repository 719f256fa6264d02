import { graphql } from '../../graphql/generated';

/** Where searched words are on the pages of a case. */
export const FoundWords = graphql(`
  query FoundWords($query: String!, $caseId: ID!) {
    search(query: $query, unfinished: true, caseId: $caseId, first: 1) {
      nodes {
        case {
          id
          version
          updatedAt
        }
        snippets {
          page {
            number
            width
            height
            path
            boxes {
              x
              y
              w
              h
            }
          }
        }
      }
    }
  }
`);
