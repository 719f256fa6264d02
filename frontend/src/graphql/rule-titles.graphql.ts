import { graphql } from './generated';

/** The titles of the rules of the newest rule sets. */
export const RuleTitles = graphql(`
  query RuleTitles {
    ruleSets(first: 100, filter: { newest: true }) {
      nodes {
        key
        rules {
          id
          titles {
            name
            value
          }
        }
      }
    }
  }
`);
