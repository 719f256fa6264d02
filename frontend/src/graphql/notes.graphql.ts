import { graphql } from './generated';

export const NoteLines = graphql(`
  fragment NoteLines on NoteList {
    hasEarlier
    writes
    nodes {
      id
      author {
        id
        name
      }
      own
      audience
      text
      mentions {
        id
        name
      }
      attachments {
        number
        name
        size
        path
      }
      at
      withdrawnAt
    }
  }
`);

/** Sends the newest notes after every change. */
export const CaseNotes = graphql(`
  subscription CaseNotes($caseId: ID!, $last: Int!) {
    caseNotes(caseId: $caseId, last: $last) {
      ...NoteLines
    }
  }
`);

export const NoteReaders = graphql(`
  query NoteReaders($caseId: ID!, $audience: NoteAudience!, $text: String!) {
    noteReaders(caseId: $caseId, audience: $audience, text: $text) {
      id
      name
    }
  }
`);

export const AddNote = graphql(`
  mutation AddNote($input: AddNoteInput!) {
    addNote(input: $input) {
      noteId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const WithdrawNote = graphql(`
  mutation WithdrawNote($input: WithdrawNoteInput!) {
    withdrawNote(input: $input) {
      noteId
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const Watched = graphql(`
  query Watched($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      watched
    }
  }
`);

export const WatchCase = graphql(`
  mutation WatchCase($input: WatchCaseInput!) {
    watchCase(input: $input) {
      case {
        id
        version
        updatedAt
        watched
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
