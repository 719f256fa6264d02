import { graphql } from './generated';

/** The supporting documents of a case, and the kinds that its process declares. */
export const SupportingFiles = graphql(`
  fragment SupportingFiles on Case {
    supportingDocuments {
      number
      kind
      labels {
        name
        value
      }
      current
      fileName
      mediaType
      size
      sha256
      path
    }
  }
`);

export const DeclaredDocument = graphql(`
  fragment DeclaredDocument on DocumentDeclaration {
    kind
    required
    max
    labels {
      name
      value
    }
  }
`);
