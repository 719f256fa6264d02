import { graphql } from '../../../graphql/generated';

/** What a process can name: queues of reviews, document types and rules. */
export const DesignOptions = graphql(`
  query DesignOptions {
    queueSettings {
      queue
    }
    documentTypes(first: 100) {
      nodes {
        key
        newest
      }
    }
    ruleSets(first: 100) {
      nodes {
        newest
        rules {
          id
        }
      }
    }
  }
`);
