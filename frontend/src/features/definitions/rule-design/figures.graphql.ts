import { graphql } from '../../../graphql/generated';

/** How often each rule found something, and how often a reviewer overruled it. */
export const RuleFigures = graphql(`
  query RuleFigures($period: StatisticsPeriod!, $documentTypes: [String!]) {
    statistics(period: $period, filter: { documentTypes: $documentTypes }) {
      scope
      rules {
        rule
        hits
        overruled
      }
    }
  }
`);
