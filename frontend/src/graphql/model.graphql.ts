import { graphql } from './generated';

/** Values that a language model stated and no page shows. */
export const ModelSuggestions = graphql(`
  fragment ModelSuggestions on Case {
    suggestions {
      field
      value {
        value
        raw
        currency
        source
      }
    }
  }
`);

/** What language models were asked about a case. */
export const ModelRuns = graphql(`
  query ModelRuns($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      modelRuns {
        at
        model
        documentRevision
        outcome
        errorCode
        error
        calls {
          status
          outcome
          ms
        }
        inputTokens
        outputTokens
        costMicros
        currency
        tookMs
        promptHash
        prompt
        answer
        pages
        removed
        imageCount
        images {
          page
          sha256
          mediaType
          width
          height
          bytes
        }
        omittedImages {
          reason
          pages
        }
      }
      lastEvents(last: 100) {
        ...CaseEventLine
      }
    }
  }
`);
