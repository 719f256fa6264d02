import { graphql } from '../../graphql/generated';

/** The words of the pages, which a reviewer can click into fields. */
export const ReviewWords = graphql(`
  query ReviewWords($id: ID!) {
    review(id: $id) {
      id
      version
      case {
        id
        version
        updatedAt
        document {
          revision
          pages {
            number
            words {
              text
              alternative
              box {
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
  }
`);
