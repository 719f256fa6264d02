import { graphql } from '../../graphql/generated';

/** All line items of the case of a review, for the form that changes them. */
export const ReviewLineItems = graphql(`
  query ReviewLineItems($id: ID!) {
    review(id: $id) {
      id
      version
      case {
        id
        version
        updatedAt
        lineItems {
          currency
          adjustment {
            amount
          }
          items {
            description
            quantity
            unit
            unitPrice
            priceQuantity
            taxRate
            amount {
              amount
            }
            allowance {
              amount
            }
          }
        }
      }
    }
  }
`);

/** Replaces the line items of the document. */
export const CorrectLineItems = graphql(`
  mutation CorrectLineItems($input: CorrectLineItemsInput!) {
    correctLineItems(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
