import { graphql } from '../../graphql/generated';

/** What one archived document taught about its vendor. */
export const LessonLine = graphql(`
  fragment LessonLine on VendorLesson {
    id
    vendor
    taxId
    header
    places {
      field
    }
    learnedFrom {
      reference
    }
    learnedAt
    revokedAt
    revokedBy {
      id
      name
    }
    reason
  }
`);

export const VendorMemory = graphql(`
  query VendorMemory($vendor: String!) {
    vendorMemory(vendor: $vendor) {
      ...LessonLine
    }
  }
`);

export const RevokeLesson = graphql(`
  mutation RevokeLesson($input: RevokeLessonInput!) {
    revokeLesson(input: $input) {
      lessonId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
