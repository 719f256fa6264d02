import { graphql } from '../../graphql/generated';

/** A row of the list of submitted documents. */
export const IntakeCase = graphql(`
  fragment IntakeCase on Case {
    ...CaseLive
    document {
      revision
      fileName
    }
    next {
      ...NextLine
    }
    incident {
      id
      version
      code
      message
    }
  }
`);

export const SubmitDocument = graphql(`
  mutation SubmitDocument($input: SubmitDocumentInput!) {
    submitDocument(input: $input) {
      case {
        ...IntakeCase
      }
      duplicates {
        id
        version
        updatedAt
        reference
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** The submitted documents, newest first. */
export const SubmittedCases = graphql(`
  query SubmittedCases($first: Int!) {
    cases(first: $first) {
      nodes {
        ...IntakeCase
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const IntakeCaseState = graphql(`
  query IntakeCaseState($id: ID!) {
    case(id: $id) {
      ...IntakeCase
    }
  }
`);

export const IntakeProcesses = graphql(`
  query IntakeProcesses {
    processDefinitions(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
        version
        title
        titles {
          name
          value
        }
        documentTypes
        order
        orderDocumentType
        needs
        attributes {
          ...DeclaredAttributes
        }
        supportingDocuments {
          ...DeclaredDocument
        }
      }
    }
  }
`);

/** How many of the user's cases were returned to them. */
export const ReturnedCounter = graphql(`
  subscription ReturnedCounter {
    notifications {
      returned
    }
  }
`);
