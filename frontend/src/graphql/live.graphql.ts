import { graphql } from './generated';

/** What of a case can change while somebody looks at it; every list and page that shows a case selects it. */
export const CaseLive = graphql(`
  fragment CaseLive on Case {
    id
    version
    updatedAt
    reference
    processKey
    documentType
    channel
    status
    final
    counterparty
    country
    amount {
      amount
      currency
    }
    risk
    createdAt
    cursor
  }
`);

/** One event of a case as the page sees it. */
export const CaseEventLine = graphql(`
  fragment CaseEventLine on CaseEvent {
    cursor
    seq
    type
    schemaVersion
    at
    status
    sentence
    body
    actor {
      id
      name
    }
    onBehalfOf {
      id
      name
    }
    people {
      property
      person {
        id
        name
      }
    }
  }
`);

/** What happens next with a case; lib/next.ts says it in words. */
export const NextLine = graphql(`
  fragment NextLine on NextStep {
    kind
    sentence
    by
    late
    stage
    attempt
    queue
    reviewId
    who {
      id
      name
      roles
    }
  }
`);

export const CaseEvents = graphql(`
  subscription CaseEvents($caseId: ID!, $after: Cursor) {
    caseEvents(caseId: $caseId, after: $after) {
      ...CaseEventLine
      case {
        ...CaseLive
        next {
          ...NextLine
        }
      }
    }
  }
`);

export const CaseAgain = graphql(`
  query CaseAgain($id: ID!) {
    case(id: $id) {
      ...CaseLive
      next {
        ...NextLine
      }
    }
  }
`);
