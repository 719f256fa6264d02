import { graphql } from '../../graphql/generated';

/** An active conflict of interest. */
export const ConflictLine = graphql(`
  fragment ConflictLine on Conflict {
    id
    counterparty
    reach
    source
    reason
    createdAt
    person {
      id
      name
    }
    declaredBy {
      id
      name
    }
  }
`);

export const ConflictList = graphql(`
  query ConflictList($first: Int!, $after: Cursor, $filter: ConflictFilter) {
    conflicts(first: $first, after: $after, filter: $filter) {
      nodes {
        ...ConflictLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const ImportLine = graphql(`
  fragment ImportLine on ConflictImportLine {
    line
    email
    counterparty
    reason
    result
    message
  }
`);

export const PreviewConflictImport = graphql(`
  query PreviewConflictImport($csv: String!) {
    previewConflictImport(csv: $csv) {
      ...ImportLine
    }
  }
`);

export const ImportConflicts = graphql(`
  mutation ImportConflicts($input: ImportConflictsInput!) {
    importConflicts(input: $input) {
      lines {
        ...ImportLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const EndConflict = graphql(`
  mutation EndConflict($input: EndConflictInput!) {
    endConflict(input: $input) {
      conflictId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
