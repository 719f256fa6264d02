import { graphql } from '../../graphql/generated';

export const FigureFields = graphql(`
  fragment FigureFields on StatisticsRow {
    key
    person {
      id
      name
    }
    cases {
      submitted
      ended
      archived
      rejected
      abandoned
      straightThrough
      drawn
      leadTime {
        median
        p90
      }
    }
    reviews {
      opened
      decided
      late
      missedClaims
      wait {
        median
        p90
      }
      work {
        median
        p90
      }
      total {
        median
        p90
      }
    }
  }
`);

export const Statistics = graphql(`
  query Statistics($period: StatisticsPeriod!, $by: StatisticsGroup!, $filter: StatisticsFilter) {
    statistics(period: $period, by: $by, filter: $filter) {
      scope
      queues
      excludedProcesses
      total {
        ...FigureFields
      }
      rows {
        ...FigureFields
      }
    }
  }
`);

export const StatisticsProcesses = graphql(`
  query StatisticsProcesses {
    processDefinitions(first: 100, filter: { newest: true, callable: false }) {
      nodes {
        key
        titles {
          name
          value
        }
      }
    }
  }
`);

export const StatisticsDetails = graphql(`
  query StatisticsDetails($period: StatisticsPeriod!, $filter: StatisticsFilter) {
    statistics(period: $period, filter: $filter) {
      fieldCorrections {
        name
        corrections
        cases
      }
      vendorCorrections {
        name
        corrections
        cases
      }
      rules {
        rule
        hits
        overruled
        archived
      }
    }
  }
`);

export const StatisticsSteps = graphql(`
  query StatisticsSteps($period: StatisticsPeriod!, $filter: StatisticsFilter, $process: String!) {
    statistics(period: $period, filter: $filter) {
      steps(process: $process) {
        node
        review
        ended
        waiting
        time {
          median
          p90
        }
      }
    }
    processDefinitions(first: 50, filter: { key: $process }) {
      nodes {
        key
        version
        newest
        title
        titles {
          name
          value
        }
        graph {
          ...GraphFields
        }
      }
    }
  }
`);
