import { graphql } from '../graphql/generated';

/** How much waits for the person; the first frame comes at once. */
export const Waiting = graphql(`
  subscription Waiting {
    notifications {
      available
      mine
      incidents
      overdue
      atRisk
      at
    }
  }
`);
