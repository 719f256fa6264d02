import { graphql } from '../../graphql/generated';

export const CorrectArchivedCase = graphql(`
  mutation CorrectArchivedCase($input: CorrectArchivedCaseInput!) {
    correctArchivedCase(input: $input) {
      case {
        id
        version
        updatedAt
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
