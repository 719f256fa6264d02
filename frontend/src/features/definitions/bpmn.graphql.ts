import { graphql } from '../../graphql/generated';

/** One process as BPMN, read when it is downloaded. */
export const ProcessAsBpmn = graphql(`
  query ProcessAsBpmn($key: String!) {
    processDefinitions(first: 50, filter: { key: $key }) {
      nodes {
        key
        version
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
