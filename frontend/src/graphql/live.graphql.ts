import { graphql } from './generated';

/** The fields of a case that can change; every list and page that shows a case selects them. */
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
    counterpartyUncertain
    country
    hasAmount
    amount {
      amount
      currency
    }
    amountAtRisk {
      amount
      currency
    }
    differingFields
    order {
      covered
      comparison {
        field
        order
        document
        differs
        covered
      }
    }
    missing
    risk
    assessed
    createdAt
    cursor
  }
`);

/** One event of a case as the pages show it. */
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

/** The next step of a case; lib/next-step.ts turns it into a message. */
export const NextLine = graphql(`
  fragment NextLine on NextStep {
    kind
    sentence
    by
    late
    claimBy
    decideBy
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

export const CaseState = graphql(`
  query CaseState($id: ID!) {
    case(id: $id) {
      ...CaseLive
      next {
        ...NextLine
      }
    }
  }
`);
