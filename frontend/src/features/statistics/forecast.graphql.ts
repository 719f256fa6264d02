import { graphql } from '../../graphql/generated';

export const ReplayOfWeeks = graphql(`
  query ReplayOfWeeks($weeks: Int!, $zone: String!, $change: ReplayChange) {
    replay(weeks: $weeks, zone: $zone, change: $change) {
      from
      to
      scope
      excludedProcesses
      unknownQueues
      removed
      added
      error {
        weeks
        decided
        time
      }
      queues {
        queue
        reviewers
        changedReviewers
        recorded {
          ...ReplayFields
        }
        replayed {
          ...ReplayFields
        }
        changed {
          ...ReplayFields
        }
      }
      days {
        day
        recorded
        replayed
        changed
      }
    }
  }
`);

export const ReplayFields = graphql(`
  fragment ReplayFields on ReplayFigures {
    opened
    decided
    open
    late
    time {
      median
      p90
    }
    perReviewer
  }
`);

export const ReplayProcesses = graphql(`
  query ReplayProcesses($period: StatisticsPeriod!) {
    statistics(period: $period, by: PROCESS) {
      rows {
        key
      }
    }
  }
`);
