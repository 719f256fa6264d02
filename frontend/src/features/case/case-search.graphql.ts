import { graphql } from '../../graphql/generated';

/** The processes and document types that cases can have. */
export const CaseFilterChoices = graphql(`
  query CaseFilterChoices {
    processDefinitions(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
        title
        titles {
          name
          value
        }
      }
    }
    documentTypes(first: 100, filter: { newest: true }) {
      nodes {
        key
        title
        titles {
          name
          value
        }
      }
    }
  }
`);

/** Every queue, for those who see all of them. */
export const CaseFilterQueues = graphql(`
  query CaseFilterQueues {
    queues(all: true) {
      name
    }
  }
`);

export const CaseFilterPeople = graphql(`
  query CaseFilterPeople {
    people {
      id
      name
    }
  }
`);

/** The cases of a filter, as far as a selection needs them. */
export const MatchingCases = graphql(`
  query MatchingCases($first: Int!, $after: Cursor, $filter: CaseFilter, $sort: CaseSort!) {
    cases(first: $first, after: $after, filter: $filter, sort: $sort) {
      nodes {
        id
        reference
        version
        final
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
