import { graphql } from './generated';

/** What a migration would do to the cases of a page. */
export const MigrationMoves = graphql(`
  fragment MigrationMoves on MigrationPreview {
    next
    hidden
    moves {
      caseId
      reference
      status
      reason
      node
      nodes
      changed
      reviews {
        node
        before
        after
        released
        assignee {
          id
          name
        }
      }
      revoked {
        node
        duty
        person {
          id
          name
        }
      }
    }
  }
`);

/** What a plan would do to running cases. */
export const PreviewMigration = graphql(`
  query PreviewMigration($plan: MigrationPlanInput!, $after: Cursor) {
    previewMigration(plan: $plan, first: 20, after: $after) {
      ...MigrationMoves
    }
  }
`);

/** What a proposed migration would do, for its second person. */
export const PreviewProposedMigration = graphql(`
  query PreviewProposedMigration($id: ID!, $after: Cursor) {
    previewProposedMigration(proposalId: $id, first: 20, after: $after) {
      ...MigrationMoves
    }
  }
`);
