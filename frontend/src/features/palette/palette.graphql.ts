import { graphql } from '../../graphql/generated';

/** The saved views of the lists. */
export const PaletteViews = graphql(`
  query PaletteViews {
    cases: savedViews(list: CASES) {
      ...SavedViewRow
    }
    queue: savedViews(list: QUEUE) {
      ...SavedViewRow
    }
  }
`);

/** Cases in which the words occur. */
export const PaletteCases = graphql(`
  query PaletteCases($query: String!, $first: Int!) {
    search(query: $query, unfinished: true, first: $first) {
      nodes {
        case {
          id
          version
          updatedAt
          reference
          counterparty
          counterpartyUncertain
          status
          document {
            revision
            fileName
          }
        }
      }
    }
  }
`);
