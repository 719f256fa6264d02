import { graphql } from './generated';

/** The case whose file was split, for the review of a part. */
export const PartOf = graphql(`
  fragment PartOf on Case {
    parent {
      reference
    }
    pages {
      first
      last
    }
  }
`);

/** The case whose file was split, for a part of it; the parts of a case that was split. */
export const PartLinks = graphql(`
  fragment PartLinks on Case {
    parent {
      reference
      case {
        id
        reference
      }
    }
    pages {
      first
      last
    }
    parts {
      reference
      merged
      pages {
        first
        last
      }
      case {
        id
        reference
      }
    }
  }
`);
