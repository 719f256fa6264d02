import { graphql } from '../../graphql/generated';

/** A plan with its default pairs and its problems. */
export const CheckMigration = graphql(`
  query CheckMigration($plan: MigrationPlanInput!) {
    checkMigration(plan: $plan) {
      cases
      nodes {
        from
        to
        kind
        labels {
          name
          value
        }
        required
        stays
      }
      targets {
        id
        kind
        labels {
          name
          value
        }
      }
      problems {
        ...ProblemLine
      }
    }
  }
`);

export const ProposeMigration = graphql(`
  mutation ProposeMigration($input: ProposeMigrationInput!) {
    proposeMigration(input: $input) {
      results {
        key
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const UndoMigration = graphql(`
  mutation UndoMigration($input: UndoMigrationInput!) {
    undoMigration(input: $input) {
      results {
        key
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** The migrations of a process, again after every change. */
export const MigrationProgress = graphql(`
  subscription MigrationProgress($process: String!) {
    migrationProgress(process: $process) {
      migrations {
        id
        fromVersion
        toVersion
        reason
        startedAt
        endedAt
        undoes
        waiting
        moved
        notMoved
        proposedBy {
          id
          name
        }
        confirmedBy {
          id
          name
        }
      }
    }
  }
`);

/** The cases of a migration that were not moved, or wait. */
export const MigratedCases = graphql(`
  query MigratedCases($id: ID!, $status: MigrationStatus!, $after: Cursor) {
    migratedCases(migrationId: $id, status: $status, first: 50, after: $after) {
      next
      nodes {
        caseId
        reference
        status
        reason
        node
      }
    }
  }
`);
