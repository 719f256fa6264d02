import { graphql } from '../../graphql/generated';

/** The page images of a case's document. */
export const CaseDocument = graphql(`
  query CaseDocument($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      document {
        revision
        fileName
        pages {
          number
          width
          height
          path
        }
      }
    }
  }
`);
