import { graphql } from '../../graphql/generated';

/** A receiver of events, how far it is, and what failed last. */
export const ConnectorLine = graphql(`
  fragment ConnectorLine on Connector {
    id
    name
    kind
    url
    mail {
      from
      to
      language
    }
    secrets
    types
    process
    audience
    snapshot
    status
    statusReason
    lagSeconds
    lastError
    lastErrorAt
    lastDeliveredAt
    delivered
    waiting
    dead
    nightly {
      outcome
      endedAt
      error
      result {
        ...Compared
      }
    }
  }
`);

/** What a receiver has and what was delivered to it. */
export const Compared = graphql(`
  fragment Compared on Reconciliation {
    from
    to
    compared
    missing
    missingCount
    unknown
    unknownCount
  }
`);

export const ReconcileConnector = graphql(`
  mutation ReconcileConnector($input: ReconcileConnectorInput!) {
    reconcileConnector(input: $input) {
      reconciliation {
        ...Compared
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ReplayConnector = graphql(`
  mutation ReplayConnector($input: ReplayConnectorInput!) {
    replayConnector(input: $input) {
      connector {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const Connectors = graphql(`
  query Connectors {
    connectors {
      ...ConnectorLine
    }
  }
`);

/** An event that was not delivered at the first attempt. */
export const DeliveryLine = graphql(`
  fragment DeliveryLine on Delivery {
    id
    eventId
    type
    status
    attempts
    since
    nextAt
    error
    answer
  }
`);

export const Deliveries = graphql(`
  query Deliveries($connectorId: ID!, $status: DeliveryStatus) {
    deliveries(connectorId: $connectorId, first: 100, status: $status) {
      nodes {
        ...DeliveryLine
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

export const PutConnector = graphql(`
  mutation PutConnector($input: PutConnectorInput!) {
    putConnector(input: $input) {
      ...ControlOutcome
    }
  }
`);

export const TestConnector = graphql(`
  mutation TestConnector($input: TestConnectorInput!) {
    testConnector(input: $input) {
      test {
        delivered
        httpStatus
        milliseconds
        answer
        error
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PauseConnector = graphql(`
  mutation PauseConnector($input: ConnectorInput!) {
    pauseConnector(input: $input) {
      connector {
        id
        status
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ResumeConnector = graphql(`
  mutation ResumeConnector($input: ConnectorInput!) {
    resumeConnector(input: $input) {
      connector {
        id
        status
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RetryDelivery = graphql(`
  mutation RetryDelivery($input: RetryDeliveryInput!) {
    retryDelivery(input: $input) {
      connector {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SkipDelivery = graphql(`
  mutation SkipDelivery($input: SkipDeliveryInput!) {
    skipDelivery(input: $input) {
      connector {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
