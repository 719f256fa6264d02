import { graphql } from '../../graphql/generated';

/** One version of a process as BPMN, read when it is downloaded. */
export const ProcessAsBpmn = graphql(`
  query ProcessAsBpmn($key: String!, $version: Int!) {
    processDefinitions(first: 1, filter: { key: $key, version: $version }) {
      nodes {
        bpmn
      }
    }
  }
`);

export const ImportBpmn = graphql(`
  query ImportBpmn($file: String!) {
    importBpmn(file: $file) {
      document
      refused {
        ...ProblemLine
      }
      notes {
        ...ProblemLine
      }
    }
  }
`);
