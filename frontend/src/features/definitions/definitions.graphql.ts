import { graphql } from '../../graphql/generated';

/** Every published process, the newest version first within a key. */
export const Processes = graphql(`
  query Processes {
    processDefinitions(first: 100) {
      nodes {
        key
        version
        title
        titles {
          name
          value
        }
        documentTypes
        publishedAt
        nodes {
          id
          kind
          label
          labels {
            name
            value
          }
          next
        }
      }
    }
  }
`);
