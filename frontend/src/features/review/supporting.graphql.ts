import { graphql } from '../../graphql/generated';

/** The supporting documents of the case of a review. None is added while a review is open. */
export const ReviewSupporting = graphql(`
  query ReviewSupporting($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      ...SupportingFiles
      supportingReadings {
        number
        opened
      }
    }
  }
`);
