import { graphql } from '../../graphql/generated';

/** One line of a case's audit trail: a logged event, or an access that changed nothing. */
export const TrailLine = graphql(`
  fragment TrailLine on AuditEntry {
    kind
    at
    type
    sentence
    seq
    hash
    code
    object
    status
    body
    actor {
      id
      name
    }
    onBehalfOf {
      id
      name
    }
  }
`);

/** One page of a case's audit trail. */
export const AuditedCase = graphql(`
  query AuditedCase($caseId: ID!, $first: Int!, $after: Cursor) {
    auditTrail(caseId: $caseId, first: $first, after: $after) {
      nodes {
        ...TrailLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The header of the page. */
export const AuditHead = graphql(`
  query AuditHead($id: ID, $reference: String) {
    case(id: $id, reference: $reference) {
      ...CaseLive
      chain {
        head
        length
      }
      manifestPath
      packPath
      document {
        revision
        path
      }
    }
  }
`);

/** Verifies the hash chain of one case, or of all streams. */
export const VerifyAudit = graphql(`
  query VerifyAudit($caseId: ID) {
    verifyAudit(caseId: $caseId) {
      ok
      streams
      events
      unrecordedDocuments
      problems {
        reference
        seq
        problem
      }
      log {
        verified
        checkpoints
        externalAt
        openEvents
        openAccesses
        away
      }
    }
  }
`);

/** How the audit log is protected by checkpoints. */
export const AuditLog = graphql(`
  query AuditLog {
    auditLog {
      origin
      size
      signedAt
      copies {
        place
        size
        signedAt
      }
    }
  }
`);

/** The search results of the start page. */
export const CasesToAudit = graphql(`
  query CasesToAudit($text: String, $after: Cursor) {
    cases(first: 25, after: $after, filter: { text: $text }) {
      nodes {
        ...CaseLive
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The people whose actions can be searched. */
export const PeopleToAudit = graphql(`
  query PeopleToAudit {
    people {
      id
      name
    }
  }
`);

/** A page of a search in the audit log. */
export const AuditSearch = graphql(`
  query AuditSearch($filter: AuditSearchFilter!, $after: Cursor) {
    auditSearch(filter: $filter, first: 50, after: $after) {
      nodes {
        caseId
        reference
        entry {
          ...TrailLine
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
