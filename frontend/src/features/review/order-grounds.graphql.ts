// The commands of a reviewer about a payment order.
import { graphql } from '../../graphql/generated';

export const AcceptOrder = graphql(`
  mutation AcceptOrder($input: AcceptOrderInput!) {
    acceptOrder(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** States why the payment order differs from the document. */
export const StateOrderGround = graphql(`
  mutation StateOrderGround($input: StateOrderGroundInput!) {
    stateOrderGround(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ConfirmOrderGround = graphql(`
  mutation ConfirmOrderGround($input: ConfirmOrderGroundInput!) {
    confirmOrderGround(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
