import { graphql } from '../../graphql/generated';

export const DefinitionLine = graphql(`
  fragment DefinitionLine on ProcessDefinition {
    key
    version
    title
    titles {
      name
      value
    }
    documentTypes
    newest
    publishedAt
    publishedBy {
      id
      name
    }
  }
`);

export const GraphFields = graphql(`
  fragment GraphFields on ProcessGraph {
    remindSubmitter
    nodes {
      id
      kind
      label
      labels {
        name
        value
      }
      within
      queue
      seats
      quorum
      decideBy
      votesHidden
      remind
      line
    }
    lines {
      id
      from
      to
      kind
      label
    }
  }
`);

export const ProblemLine = graphql(`
  fragment ProblemLine on DefinitionProblem {
    rule
    message
    line
    column
    node
    path {
      event
      node
    }
    values {
      name
      value
    }
  }
`);

export const ReportLines = graphql(`
  fragment ReportLines on DefinitionReport {
    sound
    markings
    problems {
      ...ProblemLine
    }
    warnings {
      ...ProblemLine
    }
    understaffed {
      ...ProblemLine
    }
  }
`);

export const ProposalLine = graphql(`
  fragment ProposalLine on Proposal {
    id
    version
    kind
    key
    baseVersion
    nextVersion
    restores
    status
    document
    note
    report {
      ...ReportLines
    }
    proposedBy {
      id
      name
    }
    proposedAt
    decidedBy {
      id
      name
    }
    decidedAt
    reason
    sha256
    ownerReviews {
      ...OwnerReviewLines
    }
  }
`);

/** The newest version of every process, and the open proposals. */
export const Processes = graphql(`
  query Processes {
    processDefinitions(first: 100, filter: { newest: true }) {
      nodes {
        ...DefinitionLine
      }
    }
    proposals(first: 50, filter: { kind: PROCESS, status: PROPOSED }) {
      nodes {
        id
        version
        key
      }
    }
  }
`);

/** One process: its versions with their graphs, and its proposals. */
export const OneProcess = graphql(`
  query OneProcess($key: String!) {
    viewer {
      person {
        id
        name
      }
    }
    processDefinitions(first: 50, filter: { key: $key }) {
      nodes {
        ...DefinitionLine
        document
        calls {
          node
          process
          version
          newestVersion
        }
        understaffed {
          ...ProblemLine
        }
        attributes {
          ...DeclaredAttributes
        }
        graph {
          ...GraphFields
        }
        nodes {
          id
          kind
          label
          labels {
            name
            value
          }
          next
          signatureAbove {
            amount
            currency
          }
        }
      }
    }
    proposals(first: 20, filter: { kind: PROCESS, key: $key }) {
      nodes {
        ...ProposalLine
      }
    }
  }
`);

export const CheckDefinition = graphql(`
  query CheckDefinition($document: String!) {
    checkProcessDefinition(document: $document) {
      key
      milliseconds
      report {
        ...ReportLines
      }
      graph {
        ...GraphFields
      }
    }
  }
`);

export const ProposeDefinition = graphql(`
  mutation ProposeDefinition($input: ProposeDefinitionInput!) {
    proposeProcessDefinition(input: $input) {
      proposal {
        ...ProposalLine
      }
      problems {
        ...ProblemLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PublishDefinition = graphql(`
  mutation PublishDefinition($input: PublishProposalInput!) {
    publishProcessDefinition(input: $input) {
      proposal {
        ...ProposalLine
      }
      problems {
        ...ProblemLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const WithdrawDefinition = graphql(`
  mutation WithdrawDefinition($input: WithdrawProposalInput!) {
    withdrawProcessDefinition(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RestoreDefinition = graphql(`
  mutation RestoreDefinition($input: RestoreDefinitionInput!) {
    restoreProcessDefinition(input: $input) {
      proposal {
        ...ProposalLine
      }
      problems {
        ...ProblemLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** The route of a made-up case. */
export const TryProcess = graphql(`
  query TryProcess($document: String!, $case: TriedCaseInput!) {
    tryProcessDefinition(document: $document, case: $case) {
      nodes
      reviews {
        node
        queue
      }
      status
      problem
      problemNode
    }
  }
`);
