import { graphql } from '../../graphql/generated';

/** A proposed change of a country risk, an exchange rate, a conflict of interest, a group or a sample share. */
export const ControlChangeLine = graphql(`
  fragment ControlChangeLine on ControlChange {
    id
    version
    kind
    subject
    before
    after
    reason
    status
    withdrawalReason
    proposedAt
    decidedAt
    person {
      id
      name
    }
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

/** What the operator asked for by the command line. */
export const OperatorRequestLine = graphql(`
  fragment OperatorRequestLine on OperatorRequest {
    id
    subject
    before
    after
    reason
    status
    requestedAt
    effectAt
    expiresAt
    signedBy
    person {
      id
    }
    reviewers {
      id
      name
    }
  }
`);

export const ControlData = graphql(`
  query ControlData {
    viewer {
      person {
        id
      }
    }
    operatorRequests {
      ...OperatorRequestLine
    }
    countryRisks {
      country
      level
      reason
      changedAt
      changedBy {
        id
        name
      }
    }
    exchangeRates {
      percent
      baseCurrency
      rates {
        currency
        rate
        reason
        since
        setBy {
          id
          name
        }
      }
    }
    drawMarks {
      process
      reason
      since
      amount {
        amount
        currency
      }
      setBy {
        id
        name
      }
    }
    retentionPeriods {
      documentType
      days
      validFrom
      inForce
      reason
      setBy {
        id
        name
      }
    }
    documentTypes(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
      }
    }
    sampleShares {
      process
      stratum
      percent
      isDefault
      since
      reason
      proposedBy {
        id
        name
      }
      confirmedBy {
        id
        name
      }
    }
    processDefinitions(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
        titles {
          name
          value
        }
      }
    }
    open: controlChanges(first: 100, filter: { status: PROPOSED }) {
      nodes {
        ...ControlChangeLine
      }
    }
    recent: controlChanges(first: 20) {
      nodes {
        ...ControlChangeLine
      }
    }
  }
`);

export const ControlOutcome = graphql(`
  fragment ControlOutcome on ControlPayload {
    results {
      key
      applied
      proposal {
        id
      }
    }
    userErrors {
      ...RefusalFields
    }
  }
`);

export const SetCountryRisks = graphql(`
  mutation SetCountryRisks($input: SetCountryRisksInput!) {
    setCountryRisks(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const SetExchangeRates = graphql(`
  mutation SetExchangeRates($input: SetExchangeRatesInput!) {
    setExchangeRates(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const ProposeDrawMark = graphql(`
  mutation ProposeDrawMark($input: ProposeDrawMarkInput!) {
    proposeDrawMark(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const SetRetention = graphql(`
  mutation SetRetention($input: SetRetentionInput!) {
    setRetention(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const ProposeSampleShare = graphql(`
  mutation ProposeSampleShare($input: ProposeSampleShareInput!) {
    proposeSampleShare(input: $input) {
      ...ControlOutcome
    }
  }
`);

/** Which approvals of owners the changes of a process lack. */
export const OwnersOfChange = graphql(`
  query OwnersOfChange($process: String!) {
    processOwners(process: $process) {
      changes {
        id
        ownerReviews {
          approved
          required
          rejected
          withoutFrom
        }
      }
    }
  }
`);

/** What a proposed migration is about. */
export const ProposedMigration = graphql(`
  query ProposedMigration($id: ID!) {
    proposedMigration(proposalId: $id) {
      cases
      restartDeadlines
      undoesOf
    }
  }
`);

export const ConfirmControlChange = graphql(`
  mutation ConfirmControlChange($input: ConfirmControlChangeInput!) {
    confirmControlChange(input: $input) {
      ...ControlOutcome
      results {
        signInLink {
          secret
        }
        signInLinkSentTo
        signInLinkFailed
      }
    }
  }
`);

export const WithdrawControlChange = graphql(`
  mutation WithdrawControlChange($input: WithdrawProposalInput!) {
    withdrawControlChange(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const ReviewOperatorRequest = graphql(`
  mutation ReviewOperatorRequest($input: ReviewOperatorRequestInput!) {
    reviewOperatorRequest(input: $input) {
      request {
        ...OperatorRequestLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndOperatorRequest = graphql(`
  mutation EndOperatorRequest($input: EndOperatorRequestInput!) {
    endOperatorRequest(input: $input) {
      request {
        ...OperatorRequestLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
