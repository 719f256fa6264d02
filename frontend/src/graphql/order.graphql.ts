import { graphql } from './generated';

/** A payment order on the pages of a case and of a review. */
export const OrderLines = graphql(`
  fragment OrderLines on Order {
    payer
    payee
    account
    bic
    country
    amount {
      amount
      currency
    }
    purpose
    reference
    covered
    comparison {
      field
      order
      document
      differs
      covered
    }
    earlierValues {
      field
      values
      acceptedBy {
        id
        name
      }
    }
    possibleGrounds
    grounds {
      number
      kind
      state
      confirmable
      explanation
      statedBy {
        id
        name
      }
      statedAt
      confirmedBy {
        id
        name
      }
      confirmedAt
    }
    onEvidence {
      others {
        reference
        amount {
          amount
          currency
        }
        passed
      }
      sum {
        amount
        currency
      }
      supported {
        amount
        currency
      }
      exceeded
    }
  }
`);
