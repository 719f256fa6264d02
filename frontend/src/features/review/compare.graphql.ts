import { graphql } from '../../graphql/generated';

/** The document of another case, to be compared with this one. */
export const ComparedCase = graphql(`
  query ComparedCase($id: ID!, $mine: ID!) {
    mine: case(id: $mine) {
      id
      version
      updatedAt
      document {
        revision
        sha256
      }
    }
    case(id: $id) {
      id
      version
      updatedAt
      cursor
      reference
      status
      document {
        revision
        sha256
        fileName
        pages {
          number
          width
          height
          path
        }
      }
      fieldForm {
        name
        labels {
          name
          value
        }
        field {
          raw
          normalised
        }
      }
    }
  }
`);

/** The document of a case that a finding names, for the reviewer who decides. */
export const NamedCase = graphql(`
  query NamedCase($reviewId: ID!, $reference: String!) {
    comparison(reviewId: $reviewId, reference: $reference) {
      refusal
      other {
        reference
        status
        decidedAt
        decidedBy {
          id
          name
        }
        pages {
          number
          width
          height
          path
        }
        fields {
          name
          labels {
            name
            value
          }
          raw
          normalised
        }
      }
    }
  }
`);

/** What the case that a finding names states, with the version of these values. */
export const NamedValues = graphql(`
  query NamedValues($reviewId: ID!, $reference: String!) {
    comparison(reviewId: $reviewId, reference: $reference) {
      other {
        version
        fields {
          name
          labels {
            name
            value
          }
          raw
          normalised
        }
      }
    }
  }
`);

/** All reviews of a case, earlier and parallel ones too. */
export const CaseReviews = graphql(`
  query CaseReviews($id: ID!) {
    case(id: $id) {
      id
      version
      updatedAt
      reviews {
        id
        version
        node
        stepTitles {
          name
          value
        }
        createdAt
        endsAt
        queue
        duty
        status
        assignee {
          id
          name
        }
        voteHidden
        decision {
          verdict
          reason
          at
          actor {
            id
            name
          }
        }
      }
    }
  }
`);
