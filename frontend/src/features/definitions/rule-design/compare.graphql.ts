import { graphql } from '../../../graphql/generated';

/** The findings of the last cases under a text, compared with those of the published rules. */
export const CompareRules = graphql(`
  query CompareRules($document: String!, $last: Int!) {
    compareRuleSet(document: $document, last: $last) {
      cases
      same
      different {
        caseId
        reference
        found
        lost
        before
        after
        problem
      }
    }
  }
`);
