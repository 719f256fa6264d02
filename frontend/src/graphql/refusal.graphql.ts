import { graphql } from './generated';

/** The fields of a refusal that the pages show; every command selects its userErrors with it. */
export const RefusalFields = graphql(`
  fragment RefusalFields on Refusal {
    code
    message
    remedy
    field
    values {
      name
      value
    }
  }
`);
