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

/** What was read of the supporting documents of a case, and which of them the user opened. */
export const SupportingReadings = graphql(`
  query SupportingReadings($id: ID!) {
    case(id: $id) {
      id
      supportingReadings {
        number
        read
        opened
        pages {
          number
          width
          height
          path
        }
      }
    }
  }
`);
