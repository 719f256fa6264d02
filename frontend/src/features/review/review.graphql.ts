import { graphql } from '../../graphql/generated';

/** What the page of a review shows, and what a command on it changes. */
export const ReviewWhole = graphql(`
  fragment ReviewWhole on Review {
    id
    version
    status
    queue
    level
    overdue
    atRisk
    claimBy
    decideBy
    claimUntil
    decidedAt
    assignee {
      id
      name
    }
    decision {
      verdict
      reason
      at
      actor {
        id
        name
      }
      onBehalfOf {
        id
        name
      }
    }
    case {
      ...CaseLive
      submitter {
        id
        name
      }
      declaredAmount {
        amount
        currency
      }
      document {
        revision
        fileName
        path
        pages {
          number
          width
          height
          path
        }
      }
      fieldForm {
        name
        type
        required
        needsPerson
        doubts
        field {
          name
          raw
          normalised
          page
          confidence
          source
          box {
            x
            y
            w
            h
          }
        }
      }
      findings {
        rule
        severity
        score
        title
        titleZh: title(locale: "zh")
        message
        zh: message(locale: "zh")
        evidence {
          name
          value
        }
      }
    }
  }
`);

export const Because = graphql(`
  fragment Because on Explanation {
    allowed
    sentence
    code
    wayOut
    values {
      name
      value
    }
    who {
      id
      name
    }
  }
`);

/** One review with why each of its buttons can be pressed or not. */
export const ReviewPageData = graphql(`
  query ReviewPageData($id: ID!) {
    viewer {
      person {
        id
      }
    }
    review(id: $id) {
      ...ReviewWhole
      draft
      standInFor {
        id
        name
      }
      claim: explain(action: CLAIM) {
        ...Because
      }
      decide: explain(action: DECIDE) {
        ...Because
      }
      escalate: explain(action: ESCALATE) {
        ...Because
      }
    }
  }
`);

export const ClaimReview = graphql(`
  mutation ClaimReview($input: ClaimReviewInput!) {
    claimReview(input: $input) {
      review {
        ...ReviewWhole
        draft
      }
      userErrors {
        ...Refused
      }
    }
  }
`);

export const ReleaseReview = graphql(`
  mutation ReleaseReview($input: ReleaseReviewInput!) {
    releaseReview(input: $input) {
      review {
        ...ReviewWhole
      }
      userErrors {
        ...Refused
      }
    }
  }
`);

export const CorrectFields = graphql(`
  mutation CorrectFields($input: CorrectFieldsInput!) {
    correctFields(input: $input) {
      review {
        ...ReviewWhole
      }
      userErrors {
        ...Refused
      }
    }
  }
`);

export const DecideReview = graphql(`
  mutation DecideReview($input: DecideReviewInput!) {
    decideReview(input: $input) {
      review {
        ...ReviewWhole
      }
      userErrors {
        ...Refused
      }
    }
  }
`);

/** Keeps what is typed; the review itself does not change by it. */
export const SaveDraft = graphql(`
  mutation SaveDraft($input: SaveDraftInput!) {
    saveDraft(input: $input) {
      userErrors {
        ...Refused
      }
    }
  }
`);

export const Heartbeat = graphql(`
  mutation Heartbeat($input: HeartbeatReviewInput!) {
    heartbeatReview(input: $input) {
      claimUntil
      userErrors {
        ...Refused
      }
    }
  }
`);

export const ClaimAnother = graphql(`
  mutation ClaimAnother($input: ClaimNextReviewInput!) {
    claimNextReview(input: $input) {
      review {
        id
      }
      userErrors {
        ...Refused
      }
    }
  }
`);

export const Refused = graphql(`
  fragment Refused on Refusal {
    code
    message
    wayOut
    field
    values {
      name
      value
    }
  }
`);
