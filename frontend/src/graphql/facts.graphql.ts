import { graphql } from './generated';

/** One value of a field, as one source asserted it. */
export const AssertedLine = graphql(`
  fragment AssertedLine on AssertedValue {
    value
    raw
    undetermined
    currency
    source
    by {
      id
      name
    }
    at
    page
    box {
      x
      y
      w
      h
    }
    documentRevision
    confidence
    grounded
    resolved
    suggestion
  }
`);

/** A field with different values, on the pages of a case and of a review. */
export const DifferenceLines = graphql(`
  fragment DifferenceLines on FieldDifference {
    field
    pending
    values {
      ...AssertedLine
      learnedFrom {
        reference
      }
    }
  }
`);

/** A country that rules judge, in one of its roles. */
export const CountryLines = graphql(`
  fragment CountryLines on CountryAtRisk {
    code
    role
    field
    source
  }
`);

/** Everything asserted about a field, and the pages on which it is marked. */
export const FieldHistory = graphql(`
  query FieldHistory($id: ID!, $field: String!) {
    case(id: $id) {
      id
      fieldHistory(field: $field) {
        ...AssertedLine
        learnedFrom {
          reference
        }
      }
      document {
        revision
        pages {
          number
          width
          height
          path
        }
      }
    }
  }
`);
