import { graphql } from '../../graphql/generated';

export const AddDocument = graphql(`
  mutation AddDocument($input: AddDocumentInput!) {
    addDocument(input: $input) {
      case {
        ...CaseLive
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
