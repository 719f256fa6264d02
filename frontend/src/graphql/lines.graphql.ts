import { graphql } from './generated';

/** The line items of the newest document of a case; the first of them. */
export const LineItemRows = graphql(`
  fragment LineItemRows on LineItems {
    found
    xmlCount
    pageCount
    sumEquals
    currency
    sum {
      amount
      currency
    }
    adjustment {
      amount
    }
    corrected {
      at
      by {
        id
        name
      }
    }
    items(first: 100) {
      description
      quantity
      unit
      unitPrice
      priceQuantity
      taxRate
      confidence
      addsUp
      amount {
        amount
      }
      allowance {
        amount
      }
    }
  }
`);
