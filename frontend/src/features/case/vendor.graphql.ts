import { graphql } from '../../graphql/generated';

/** The newest documents of a counterparty, as far as the viewer may list them. */
export const VendorCases = graphql(`
  query VendorCases($counterparty: String!) {
    cases(first: 6, filter: { counterparty: $counterparty }, sort: NEWEST) {
      nodes {
        ...CaseLive
      }
    }
  }
`);
