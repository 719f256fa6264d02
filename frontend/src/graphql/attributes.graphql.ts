// What a process asks its submitters to state.
import { graphql } from './generated';

export const DeclaredAttributes = graphql(`
  fragment DeclaredAttributes on AttributeDeclaration {
    name
    type
    required
    labels {
      name
      value
    }
    choices {
      key
      labels {
        name
        value
      }
    }
    maxLength
    currency
  }
`);
