import { graphql } from '../../graphql/generated';

/** The documents whose amounts a finding of a case adds up. */
export const SumOfFinding = graphql(`
  query SumOfFinding($caseId: ID!, $rule: String!, $first: Int!, $after: Cursor) {
    sumDocuments(caseId: $caseId, rule: $rule, first: $first, after: $after) {
      case {
        id
        reference
        cursor
      }
      subject
      asOf
      since
      below {
        amount
        currency
      }
      own {
        amount
        currency
      }
      count
      sum {
        amount
        currency
      }
      hiddenCount
      hiddenSum {
        amount
        currency
      }
      missingCount
      missingSum {
        amount
        currency
      }
      nodes {
        case {
          ...CaseRow
        }
        amount {
          amount
          currency
        }
        changed
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
