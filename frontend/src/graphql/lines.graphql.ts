import { graphql } from './generated';

/** The line items of the newest document of a case. */
export const LineItemRows = graphql(`
  fragment LineItemRows on LineItems {
    found
    xmlCount
    pageCount
    sumEquals
    sum {
      amount
      currency
    }
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
