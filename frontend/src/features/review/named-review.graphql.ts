import { graphql } from '../../graphql/generated';

/** The reviews of a case that the viewer sees, for an address with the reference of the case. */
export const ReviewsOfCase = graphql(`
  query ReviewsOfCase($reference: String!) {
    viewer {
      person {
        id
      }
    }
    case(reference: $reference) {
      id
      reviews {
        id
        status
        assignee {
          id
        }
      }
    }
  }
`);
