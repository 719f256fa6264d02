import { graphql } from '../../graphql/generated';
/** The data of the review page, and of every command's result on it. */
export const ReviewDetails = graphql(`
  fragment ReviewDetails on Review {
    id
    version
    status
    queue
    duty
    overdue
    claimBy
    decideBy
    claimUntil
    drawn
    signatureRequired
    afterApproval {
      step
      queue
      level
    }
    undoable
    committee {
      decideBy
      seats
      quorum
      cast
      votesHidden
      approvals
      rejections
      abstentions
      canAbstain
    }
    undoUntil
    voteHidden
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
      signature {
        passkeyName
        statementSha256
      }
    }
    approval: explain(action: APPROVE) {
      allowed
      sentence
      code
      remedy
      values {
        name
        value
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
      attributes {
        name
        type
        labels {
          name
          value
        }
        value
        currency
        valueLabels {
          name
          value
        }
      }
      document {
        revision
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
        labels {
          name
          value
        }
        maxLength
        options {
          value
          labels {
            name
            value
          }
        }
        required
        missing
        onRequest
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
      lineItems {
        ...LineItemRows
      }
      countryRoles {
        ...CountryLines
      }
      differences {
        ...DifferenceLines
      }
      ...ModelSuggestions
      order {
        ...OrderLines
      }
      ...CorrectionLinks
      ...PartOf
      listedCases {
        reference
        clearable
        archived
        rejectedAt
        rejectionReason
        case {
          id
          version
          updatedAt
          status
        }
      }
      approvalRequirements {
        rule
        override
        queue
        satisfied
        given {
          reason
          at
          person {
            id
            name
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

export const ActionExplanation = graphql(`
  fragment ActionExplanation on Explanation {
    allowed
    sentence
    code
    remedy
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

/** A review with the availability of each of its actions. */
export const ReviewOpened = graphql(`
  fragment ReviewOpened on Review {
    ...ReviewDetails
    draft
    delegators {
      id
      name
    }
    claim: explain(action: CLAIM) {
      ...ActionExplanation
    }
    decide: explain(action: DECIDE) {
      ...ActionExplanation
    }
    return: explain(action: RETURN) {
      ...ActionExplanation
    }
    escalate: explain(action: ESCALATE) {
      ...ActionExplanation
    }
    correct: explain(action: CORRECT) {
      ...ActionExplanation
    }
  }
`);

export const ReviewPageData = graphql(`
  query ReviewPageData($id: ID!) {
    viewer {
      person {
        id
      }
    }
    review(id: $id) {
      ...ReviewOpened
    }
  }
`);

export const ClaimReview = graphql(`
  mutation ClaimReview($input: ClaimReviewInput!) {
    claimReview(input: $input) {
      review {
        ...ReviewDetails
        draft
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ReleaseReview = graphql(`
  mutation ReleaseReview($input: ReleaseReviewInput!) {
    releaseReview(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const CorrectFields = graphql(`
  mutation CorrectFields($input: CorrectFieldsInput!) {
    correctFields(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** Confirms current values as they are. */
export const ConfirmFields = graphql(`
  mutation ConfirmFields($input: ConfirmFieldsInput!) {
    confirmFields(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const PrepareApproval = graphql(`
  mutation PrepareApproval($input: PrepareApprovalInput!) {
    prepareApproval(input: $input) {
      signature {
        challenge
        relyingParty
        credentialIds
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const DecideReview = graphql(`
  mutation DecideReview($input: DecideReviewInput!) {
    decideReview(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** States why the document is no duplicate of that of another case. */
export const ClearDuplicate = graphql(`
  mutation ClearDuplicate($input: ClearDuplicateInput!) {
    clearDuplicate(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** States why findings do not stop an approval, without deciding. */
export const OverrideFindings = graphql(`
  mutation OverrideFindings($input: OverrideFindingsInput!) {
    overrideFindings(input: $input) {
      review {
        ...ReviewDetails
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

/** Saves the draft; the review itself does not change. */
export const SaveDraft = graphql(`
  mutation SaveDraft($input: SaveDraftInput!) {
    saveDraft(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const HeartbeatReview = graphql(`
  mutation HeartbeatReview($input: HeartbeatReviewInput!) {
    heartbeatReview(input: $input) {
      claimUntil
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
