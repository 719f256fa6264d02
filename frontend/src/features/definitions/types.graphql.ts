import { graphql } from '../../graphql/generated';

export const TypeField = graphql(`
  fragment TypeField on DocumentField {
    name
    type
    required
    builtin
    maxLength
    pageLabels
    labels {
      name
      value
    }
    options {
      value
      labels {
        name
        value
      }
    }
  }
`);

export const DocumentTypeLine = graphql(`
  fragment DocumentTypeLine on DocumentType {
    key
    version
    title
    titles {
      name
      value
    }
    newest
    publishedAt
    publishedBy {
      id
      name
    }
  }
`);

export const DocumentTypes = graphql(`
  query DocumentTypes {
    documentTypes(first: 100, filter: { newest: true }) {
      nodes {
        ...DocumentTypeLine
        fields {
          name
        }
      }
    }
    proposals(first: 50, filter: { kind: DOCUMENT_TYPE, status: PROPOSED }) {
      nodes {
        id
        version
        key
      }
    }
  }
`);

export const OneDocumentType = graphql(`
  query OneDocumentType($key: String!) {
    viewer {
      person {
        id
        name
      }
    }
    documentTypes(first: 50, filter: { key: $key }) {
      nodes {
        ...DocumentTypeLine
        document
        fields {
          ...TypeField
        }
      }
    }
    proposals(first: 20, filter: { kind: DOCUMENT_TYPE, key: $key }) {
      nodes {
        ...ProposalLine
      }
    }
  }
`);

export const CheckDocumentType = graphql(`
  query CheckDocumentType($document: String!) {
    checkDocumentType(document: $document) {
      key
      milliseconds
      report {
        ...ReportLines
      }
    }
  }
`);

export const ProposeDocumentType = graphql(`
  mutation ProposeDocumentType($input: ProposeDefinitionInput!) {
    proposeDocumentType(input: $input) {
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

export const PublishDocumentType = graphql(`
  mutation PublishDocumentType($input: PublishProposalInput!) {
    publishDocumentType(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const WithdrawDocumentType = graphql(`
  mutation WithdrawDocumentType($input: WithdrawProposalInput!) {
    withdrawDocumentType(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RestoreDocumentType = graphql(`
  mutation RestoreDocumentType($input: RestoreDefinitionInput!) {
    restoreDocumentType(input: $input) {
      proposal {
        ...ProposalLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
