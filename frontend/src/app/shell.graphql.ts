import { graphql } from '../graphql/generated';

/** Counters of the navigation; the subscription sends the first frame immediately. */
export const NotificationCounters = graphql(`
  subscription NotificationCounters {
    notifications {
      available
      mine
      incidents
      overdue
      atRisk
      returned
      unread
      at
    }
  }
`);
