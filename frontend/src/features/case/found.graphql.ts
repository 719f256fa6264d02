import { graphql } from '../../graphql/generated';

/** Where searched words are on the pages of cases. */
export const FoundWords = graphql(`
  query FoundWords($query: String!) {
    search(query: $query, first: 20) {
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
