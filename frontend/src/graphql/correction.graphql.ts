import { graphql } from './generated';

/** The archived case that a case corrects, and the correction of an archived case. */
export const CorrectionLinks = graphql(`
  fragment CorrectionLinks on Case {
    corrects {
      reference
      case {
        id
        reference
      }
      order {
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
        passedAt
      }
    }
    correction {
      id
      reference
    }
  }
`);
