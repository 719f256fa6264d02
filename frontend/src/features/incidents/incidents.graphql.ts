import { graphql } from '../../graphql/generated';

/** A failed step as a row. */
export const IncidentLine = graphql(`
  fragment IncidentLine on Incident {
    id
    version
    node
    attempt
    code
    message
    openedAt
    actions
    case {
      ...CaseLive
      document {
        fileName
      }
    }
  }
`);

/** The causes, most frequent first. */
export const IncidentGroups = graphql(`
  query IncidentGroups {
    incidentGroups {
      code
      node
      message
      count
      oldest
      newest
    }
  }
`);

/** One page of the incidents of a cause. */
export const IncidentsOfCause = graphql(`
  query IncidentsOfCause($code: String!, $node: String!, $first: Int!, $after: Cursor) {
    incidents(first: $first, after: $after, filter: { code: $code, node: $node }) {
      nodes {
        ...IncidentLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** Notifies when the number of incidents changes. */
export const IncidentCount = graphql(`
  subscription IncidentCount {
    notifications {
      incidents
      at
    }
  }
`);

/** The present incident of a case, read after it failed again. */
export const CaseIncident = graphql(`
  query CaseIncident($caseId: ID!) {
    case(id: $caseId) {
      id
      incident {
        ...IncidentLine
      }
    }
  }
`);

export const RetryIncident = graphql(`
  mutation RetryIncident($input: RetryIncidentInput!) {
    retryIncident(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const AbandonIncidentCase = graphql(`
  mutation AbandonIncidentCase($input: AbandonCaseInput!) {
    abandonCase(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
