import { graphql } from '../../graphql/generated';

export const RuleLine = graphql(`
  fragment RuleLine on Rule {
    id
    phase
    severity
    score
    when
    line
    titles {
      name
      value
    }
    questions {
      name
      value
    }
    messages {
      name
      value
    }
  }
`);

export const RuleSetLine = graphql(`
  fragment RuleSetLine on RuleSet {
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

export const RuleSets = graphql(`
  query RuleSets {
    ruleSets(first: 100, filter: { newest: true }) {
      nodes {
        ...RuleSetLine
      }
    }
    proposals(first: 50, filter: { kind: RULE_SET, status: PROPOSED }) {
      nodes {
        id
        version
        key
      }
    }
  }
`);

export const OneRuleSet = graphql(`
  query OneRuleSet($key: String!) {
    viewer {
      person {
        id
        name
      }
    }
    ruleSets(first: 50, filter: { key: $key }) {
      nodes {
        ...RuleSetLine
        document
        rules {
          ...RuleLine
        }
      }
    }
    proposals(first: 20, filter: { kind: RULE_SET, key: $key }) {
      nodes {
        ...ProposalLine
      }
    }
  }
`);

export const CheckRuleSet = graphql(`
  query CheckRuleSet($document: String!) {
    checkRuleSet(document: $document) {
      key
      milliseconds
      report {
        ...ReportLines
      }
      rules {
        ...RuleLine
      }
    }
  }
`);

export const TrialLine = graphql(`
  fragment TrialLine on TrialFinding {
    rule
    titles {
      name
      value
    }
    severity
    score
    messages {
      name
      value
    }
    evidence {
      name
      value
    }
  }
`);

export const TryRuleSet = graphql(`
  query TryRuleSet($document: String!, $caseId: ID!) {
    tryRuleSet(document: $document, caseId: $caseId) {
      nowScore
      thenScore
      problem
      now {
        ...TrialLine
      }
      after: then {
        ...TrialLine
      }
    }
  }
`);

/** Cases to try a rule set on, by a part of their reference. */
export const CasesToTry = graphql(`
  query CasesToTry($text: String!) {
    cases(first: 8, filter: { text: $text }) {
      nodes {
        id
        version
        updatedAt
        reference
        documentType
        counterparty
      }
    }
  }
`);

export const ProposeRuleSet = graphql(`
  mutation ProposeRuleSet($input: ProposeDefinitionInput!) {
    proposeRuleSet(input: $input) {
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

export const PublishRuleSet = graphql(`
  mutation PublishRuleSet($input: PublishProposalInput!) {
    publishRuleSet(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const WithdrawRuleSet = graphql(`
  mutation WithdrawRuleSet($input: WithdrawProposalInput!) {
    withdrawRuleSet(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RestoreRuleSet = graphql(`
  mutation RestoreRuleSet($input: RestoreDefinitionInput!) {
    restoreRuleSet(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
