import { graphql } from '../../graphql/generated';

export const DelegationLine = graphql(`
  fragment DelegationLine on Delegation {
    id
    giver {
      id
      name
    }
    taker {
      id
      name
    }
    validFrom
    validUntil
    queues
    documentTypes
    limit {
      amount
      currency
    }
    reason
    active
  }
`);

export const AbsenceLine = graphql(`
  fragment AbsenceLine on Absence {
    id
    person {
      id
      name
    }
    substitute {
      id
      name
    }
    validFrom
    validUntil
    reason
    active
  }
`);

/** The user's delegations and absences, and the people they can choose. */
export const StandingIn = graphql(`
  query StandingIn {
    viewer {
      person {
        id
        name
      }
      delegations {
        ...DelegationLine
      }
      absences {
        ...AbsenceLine
      }
    }
    colleagues {
      id
      name
    }
    processDefinitions(first: 50, filter: { newest: true }) {
      nodes {
        key
        version
        documentTypes
      }
    }
  }
`);

/** All delegations, for administrators. */
export const EverythingLent = graphql(`
  query EverythingLent($first: Int!) {
    delegations(first: $first) {
      nodes {
        ...DelegationLine
      }
      pageInfo {
        hasNextPage
      }
    }
    people {
      id
      name
      queues
      disabled
    }
  }
`);

/** All current and future absences, for managers and administrators. */
export const EverybodyAway = graphql(`
  query EverybodyAway {
    absences {
      ...AbsenceLine
    }
  }
`);

export const Lend = graphql(`
  mutation Lend($input: CreateDelegationInput!) {
    createDelegation(input: $input) {
      delegation {
        ...DelegationLine
      }
      withNobody
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndLending = graphql(`
  mutation EndLending($input: EndDelegationInput!) {
    endDelegation(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetAway = graphql(`
  mutation SetAway($input: SetOutOfOfficeInput!) {
    setOutOfOffice(input: $input) {
      absence {
        ...AbsenceLine
      }
      withNobody
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndAway = graphql(`
  mutation EndAway($input: EndOutOfOfficeInput!) {
    endOutOfOffice(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
