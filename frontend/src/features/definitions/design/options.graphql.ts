import { graphql } from '../../../graphql/generated';

/** What a process can name: queues of reviews, document types, rules and other processes. */
export const DesignOptions = graphql(`
  query DesignOptions {
    queueSettings {
      queue
    }
    processDefinitions(first: 50, filter: { newest: true, callable: true }) {
      nodes {
        key
        title
        titles {
          name
          value
        }
        ends
      }
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

/** The steps of a called process. */
export const CalledSteps = graphql(`
  query CalledSteps($key: String!) {
    processDefinitions(first: 1, filter: { key: $key, newest: true }) {
      nodes {
        version
        graph {
          ...GraphFields
        }
        attributes {
          ...DeclaredAttributes
        }
        nodes {
          id
          kind
          label
          labels {
            name
            value
          }
          next
          signatureAbove {
            amount
            currency
          }
        }
      }
    }
  }
`);
