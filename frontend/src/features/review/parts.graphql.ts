import { graphql } from '../../graphql/generated';

export const SplitCase = graphql(`
  mutation SplitCase($input: SplitCaseInput!) {
    splitCase(input: $input) {
      parts {
        reference
        pages {
          first
          last
        }
        case {
          id
          reference
        }
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const MergeParts = graphql(`
  mutation MergeParts($input: MergePartsInput!) {
    mergeParts(input: $input) {
      reference
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
