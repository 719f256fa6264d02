import { graphql } from '../../graphql/generated';

/** The data of the case page. */
export const CaseDetails = graphql(`
  fragment CaseDetails on Case {
    ...CaseLive
    processVersion
    process {
      order
      supportingDocuments {
        ...DeclaredDocument
      }
    }
    correctable
    packPath
    manifestPath
    declaredAmount {
      amount
      currency
    }
    attributes {
      name
      type
      labels {
        name
        value
      }
      value
      currency
      valueLabels {
        name
        value
      }
    }
    submitter {
      id
      name
    }
    next {
      ...NextLine
    }
    erasure {
      at
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
    legalHolds {
      id
      reason
      placedAt
      liftedAt
      placedBy {
        id
        name
      }
    }
    documents {
      revision
      fileName
      mediaType
      size
      sha256
      createdAt
      path
      archiveCopyPath
    }
    fieldForm {
      name
      type
      labels {
        name
        value
      }
      maxLength
      options {
        value
        labels {
          name
          value
        }
      }
      required
      needsPerson
      doubts
      field {
        ...CaseField
      }
    }
    lineItems {
      ...LineItemRows
    }
    countryRoles {
      ...CountryLines
    }
    differences {
      ...DifferenceLines
    }
    ...ModelSuggestions
    order {
      ...OrderLines
      restatable
    }
    ...CorrectionLinks
    ...PartLinks
    ...SupportingFiles
    findings {
      rule
      severity
      score
      title
      titleZh: title(locale: "zh")
      message
      zh: message(locale: "zh")
      evidence {
        name
        value
      }
    }
    decisions {
      verdict
      reason
      at
      actor {
        id
        name
      }
      onBehalfOf {
        id
        name
      }
      signature {
        passkeyName
        statementSha256
      }
    }
    chain {
      head
      length
    }
    incident {
      id
      version
      node
      attempt
      code
      message
      openedAt
      actions
    }
  }
`);

export const CaseField = graphql(`
  fragment CaseField on Field {
    name
    raw
    normalised
    page
    confidence
    source
    grounded
  }
`);

export const CaseExplanation = graphql(`
  fragment CaseExplanation on Explanation {
    allowed
    sentence
    code
    remedy
  }
`);

export const CaseFull = graphql(`
  query CaseFull($id: ID, $reference: String) {
    case(id: $id, reference: $reference) {
      ...CaseDetails
      reviews {
        id
        version
        queue
        status
        assignee {
          id
          name
        }
        claimBy
        decideBy
        endsAt
      }
      lastEvents(last: 100) {
        ...CaseEventLine
      }
      mayReplace: explain(action: REPLACE_DOCUMENT) {
        ...CaseExplanation
      }
      mayEnter: explain(action: ENTER_FIELDS) {
        ...CaseExplanation
      }
      mayResubmit: explain(action: RESUBMIT) {
        ...CaseExplanation
      }
      mayRetry: explain(action: RETRY) {
        ...CaseExplanation
      }
      mayAbandon: explain(action: ABANDON) {
        ...CaseExplanation
      }
    }
  }
`);

export const RetryCaseIncident = graphql(`
  mutation RetryCaseIncident($input: RetryIncidentInput!) {
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

export const ReplaceDocument = graphql(`
  mutation ReplaceDocument($input: ReplaceDocumentInput!) {
    replaceDocument(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EnterFields = graphql(`
  mutation EnterFields($input: EnterFieldsInput!) {
    enterFields(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const AbandonCase = graphql(`
  mutation AbandonCase($input: AbandonCaseInput!) {
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

export const ResubmitCase = graphql(`
  mutation ResubmitCase($input: ResubmitCaseInput!) {
    resubmitCase(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RestateOrder = graphql(`
  mutation RestateOrder($input: RestateOrderInput!) {
    restateOrder(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const VerifyCase = graphql(`
  query VerifyCase($id: ID!) {
    verifyAudit(caseId: $id) {
      ok
      events
      problems {
        seq
        problem
      }
    }
  }
`);

/** A row of the case list. */
export const CaseRow = graphql(`
  fragment CaseRow on Case {
    ...CaseLive
    next {
      ...NextLine
    }
    document {
      revision
      fileName
    }
    submitter {
      id
      name
    }
  }
`);

export const CaseList = graphql(`
  query CaseList($first: Int!, $after: Cursor, $filter: CaseFilter, $sort: CaseSort!) {
    cases(first: $first, after: $after, filter: $filter, sort: $sort) {
      nodes {
        ...CaseRow
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
