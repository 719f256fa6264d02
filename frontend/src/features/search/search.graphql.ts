import { graphql } from '../../graphql/generated';

/** A found case, and where the words are. */
export const SearchHitLine = graphql(`
  fragment SearchHitLine on SearchHit {
    case {
      ...CaseLive
      document {
        revision
        fileName
      }
    }
    snippets {
      kind
      field
      text
      marks {
        from
        to
      }
      page {
        number
      }
    }
  }
`);

export const SearchCases = graphql(`
  query SearchCases($query: String!, $first: Int!, $after: Cursor) {
    search(query: $query, unfinished: true, first: $first, after: $after) {
      corrections {
        word
        replacements
      }
      nodes {
        ...SearchHitLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
