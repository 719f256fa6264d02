import { graphql } from '../../graphql/generated';

export const DelegationLine = graphql(`
  fragment DelegationLine on Delegation {
    id
    delegator {
      id
      name
    }
    delegate {
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
export const MyDelegations = graphql(`
  query MyDelegations {
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
    processDefinitions(first: 50, filter: { newest: true, callable: false }) {
      nodes {
        key
        version
        documentTypes
      }
    }
  }
`);

/** Sends a frame whenever a counter changes: a new delegation is an unread notice, and changes what can be claimed. */
export const DelegationCounters = graphql(`
  subscription DelegationCounters {
    notifications {
      at
    }
  }
`);

/** All delegations, for administrators. */
export const AllDelegations = graphql(`
  query AllDelegations($first: Int!) {
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
export const AllAbsences = graphql(`
  query AllAbsences {
    absences {
      ...AbsenceLine
    }
  }
`);

export const CreateDelegation = graphql(`
  mutation CreateDelegation($input: CreateDelegationInput!) {
    createDelegation(input: $input) {
      delegation {
        ...DelegationLine
      }
      proposal {
        id
      }
      reviewsWithoutReviewer
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndDelegation = graphql(`
  mutation EndDelegation($input: EndDelegationInput!) {
    endDelegation(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetOutOfOffice = graphql(`
  mutation SetOutOfOffice($input: SetOutOfOfficeInput!) {
    setOutOfOffice(input: $input) {
      absence {
        ...AbsenceLine
      }
      proposal {
        id
      }
      reviewsWithoutReviewer
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndOutOfOffice = graphql(`
  mutation EndOutOfOffice($input: EndOutOfOfficeInput!) {
    endOutOfOffice(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
