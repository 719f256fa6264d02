import { graphql } from '../../graphql/generated';

/** The groups of providers that are mapped to roles. */
export const AllGroupMappings = graphql(`
  query AllGroupMappings {
    groupMappings {
      provider
      group
      role
    }
    roles {
      name
    }
  }
`);

export const PutGroupMapping = graphql(`
  mutation PutGroupMapping($input: PutGroupMappingInput!) {
    putGroupMapping(input: $input) {
      ...ControlOutcome
    }
  }
`);
