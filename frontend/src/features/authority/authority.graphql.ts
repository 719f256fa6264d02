import { graphql } from '../../graphql/generated';

/** The roles with their limits, and the active policy. */
export const Authority = graphql(`
  query Authority {
    viewer {
      person {
        id
      }
    }
    roles {
      name
      description
      builtIn
      people
    }
    limits {
      role
      action
      documentType
      amount {
        amount
        currency
      }
    }
    policy {
      version
      document
    }
    policyTerms {
      actions {
        action
        objects
        limited
      }
    }
  }
`);

/** What each role may do by a text of the policy, with the limits that it changes. */
export const PolicyMatrix = graphql(`
  query PolicyMatrix($document: String) {
    policyMatrix(document: $document) {
      types {
        name
        taken
      }
      cells {
        role
        action
        limited
        others {
          ...MatrixEntry
        }
        types {
          ...MatrixEntry
        }
      }
    }
  }
`);

export const MatrixEntry = graphql(`
  fragment MatrixEntry on PolicyMatrixEntry {
    documentType
    verdict
    grants {
      object
      conditional
    }
    limit {
      documentType
      amount {
        amount
        currency
      }
    }
  }
`);

export const PolicyBound = graphql(`
  fragment PolicyBound on PolicyBound {
    amount {
      amount
      currency
    }
    unknown
    credits
  }
`);

export const PolicyPerson = graphql(`
  fragment PolicyPerson on PolicyPersonEffect {
    person {
      id
      name
    }
    newAccount
    amounts {
      documentType
      before {
        ...PolicyBound
      }
      after {
        ...PolicyBound
      }
    }
    gains {
      ...PolicyRight
    }
    loses {
      ...PolicyRight
    }
    duties {
      one
      other
    }
  }
`);

export const PolicyProposal = graphql(`
  fragment PolicyProposal on Proposal {
    id
    version
    baseVersion
    nextVersion
    restores
    status
    document
    note
    reason
    proposedAt
    decidedAt
    proposedBy {
      id
      name
    }
    decidedBy {
      id
      name
    }
  }
`);

export const PolicyHistory = graphql(`
  query PolicyHistory {
    policies(first: 50) {
      nodes {
        version
        newest
        document
        publishedAt
        publishedBy {
          id
          name
        }
      }
    }
    proposals(first: 20, filter: { kind: POLICY }) {
      nodes {
        ...PolicyProposal
      }
    }
  }
`);

/** What a policy, a limit or an account would change for whom. */
export const PolicyEffectFields = graphql(`
  fragment PolicyEffectFields on PolicyPreview {
    problems {
      rule
      message
      node
      values {
        name
        value
      }
    }
    warnings {
      rule
      message
      node
      values {
        name
        value
      }
    }
    evaluated
    people {
      ...PolicyPerson
    }
    together {
      ...PolicyPerson
    }
    effect
    limits {
      role
      documentType
      before {
        ...PolicyBound
      }
      after {
        ...PolicyBound
      }
      lowers
    }
    changedPeople
    activePeople
    actions {
      action
      before
      after
      everyone
      holders {
        id
        name
      }
    }
    fixedConditions {
      rule
      always
    }
    blockedReviews {
      reviewId
      reference
      queue
    }
    blockedCount
    examinedReviews
    understaffed {
      process
      problem {
        rule
        message
        node
        values {
          name
          value
        }
      }
    }
    complete
  }
`);

/** The faults of a policy, and what it would change for whom. */
export const PreviewPolicy = graphql(`
  query PreviewPolicy($document: String!) {
    previewPolicy(document: $document) {
      ...PolicyEffectFields
    }
  }
`);

/** What an open proposal of a limit or an account would change for whom. */
export const ProposedEffect = graphql(`
  query ProposedEffect($proposalId: ID!) {
    proposedEffect(proposalId: $proposalId) {
      ...PolicyEffectFields
    }
  }
`);

export const PolicyRight = graphql(`
  fragment PolicyRight on PolicyRightChange {
    action
    object
    partly
    queues
  }
`);

export const ProposePolicy = graphql(`
  mutation ProposePolicy($input: ProposeDefinitionInput!) {
    proposePolicy(input: $input) {
      proposal {
        ...PolicyProposal
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PublishPolicy = graphql(`
  mutation PublishPolicy($input: PublishProposalInput!) {
    publishPolicy(input: $input) {
      proposal {
        ...PolicyProposal
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const WithdrawPolicy = graphql(`
  mutation WithdrawPolicy($input: WithdrawProposalInput!) {
    withdrawPolicy(input: $input) {
      proposal {
        ...PolicyProposal
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RestorePolicy = graphql(`
  mutation RestorePolicy($input: RestorePolicyInput!) {
    restorePolicy(input: $input) {
      proposal {
        ...PolicyProposal
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetLimit = graphql(`
  mutation SetLimit($input: SetLimitInput!) {
    setLimit(input: $input) {
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PutRole = graphql(`
  mutation PutRole($input: PutRoleInput!) {
    putRole(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
