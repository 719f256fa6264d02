/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      overdue\n      atRisk\n      at\n    }\n  }\n": typeof types.WaitingDocument,
    "\n  query Everybody {\n    people {\n      id\n      name\n      email\n      roles\n      queues\n      disabled\n      openReviews\n      limits {\n        role\n        action\n        documentType\n        amount {\n          amount\n          currency\n        }\n      }\n    }\n  }\n": typeof types.EverybodyDocument,
    "\n  query Account {\n    viewer {\n      person {\n        id\n        name\n        email\n        roles\n        queues\n        disabled\n        limits {\n          role\n          action\n          documentType\n          amount {\n            amount\n            currency\n          }\n        }\n      }\n      conflicts {\n        id\n        reason\n        createdAt\n      }\n      apiTokens {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n    }\n  }\n": typeof types.AccountDocument,
    "\n  mutation DeclareConflict($input: DeclareConflictInput!) {\n    declareConflict(input: $input) {\n      conflictId\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n": typeof types.DeclareConflictDocument,
    "\n  mutation CreateKey($input: CreateApiTokenInput!) {\n    createApiToken(input: $input) {\n      token {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n      secret\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n": typeof types.CreateKeyDocument,
    "\n  mutation RevokeKey($input: RevokeApiTokenInput!) {\n    revokeApiToken(input: $input) {\n      token {\n        id\n        revokedAt\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": typeof types.RevokeKeyDocument,
    "\n  fragment TrailLine on AuditEntry {\n    kind\n    at\n    type\n    sentence\n    seq\n    hash\n    code\n    object\n    status\n    body\n    actor {\n      id\n      name\n    }\n  }\n": typeof types.TrailLineFragmentDoc,
    "\n  query AuditedCase($caseId: ID!, $first: Int!, $after: Cursor) {\n    auditTrail(caseId: $caseId, first: $first, after: $after) {\n      nodes {\n        ...TrailLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.AuditedCaseDocument,
    "\n  query AuditHead($caseId: ID!) {\n    case(id: $caseId) {\n      ...CaseLive\n      chain {\n        head\n        length\n      }\n      document {\n        revision\n        path\n      }\n    }\n  }\n": typeof types.AuditHeadDocument,
    "\n  query VerifyAudit($caseId: ID) {\n    verifyAudit(caseId: $caseId) {\n      ok\n      streams\n      events\n      problems {\n        reference\n        seq\n        problem\n      }\n    }\n  }\n": typeof types.VerifyAuditDocument,
    "\n  query CasesToAudit($text: String, $after: Cursor) {\n    cases(first: 25, after: $after, filter: { text: $text }) {\n      nodes {\n        ...CaseLive\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.CasesToAuditDocument,
    "\n  fragment CaseParts on Case {\n    ...CaseLive\n    processVersion\n    declaredAmount {\n      amount\n      currency\n    }\n    submitter {\n      id\n      name\n    }\n    next {\n      ...NextLine\n    }\n    documents {\n      revision\n      fileName\n      mediaType\n      size\n      sha256\n      createdAt\n      path\n    }\n    fieldForm {\n      name\n      type\n      required\n      needsPerson\n      doubts\n      field {\n        ...CaseField\n      }\n    }\n    findings {\n      rule\n      severity\n      score\n      message\n      evidence {\n        name\n        value\n      }\n    }\n    decisions {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n      onBehalfOf {\n        id\n        name\n      }\n    }\n    chain {\n      head\n      length\n    }\n    incident {\n      id\n      version\n      node\n      attempt\n      code\n      message\n      openedAt\n      actions\n    }\n  }\n": typeof types.CasePartsFragmentDoc,
    "\n  fragment CaseField on Field {\n    name\n    raw\n    normalised\n    page\n    confidence\n    source\n    grounded\n  }\n": typeof types.CaseFieldFragmentDoc,
    "\n  fragment CaseWhy on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n  }\n": typeof types.CaseWhyFragmentDoc,
    "\n  query CaseFull($id: ID!) {\n    case(id: $id) {\n      ...CaseParts\n      lastEvents(last: 100) {\n        ...CaseEventLine\n      }\n      mayReplace: explain(action: REPLACE_DOCUMENT) {\n        ...CaseWhy\n      }\n      mayEnter: explain(action: ENTER_FIELDS) {\n        ...CaseWhy\n      }\n      mayResubmit: explain(action: RESUBMIT) {\n        ...CaseWhy\n      }\n      mayRetry: explain(action: RETRY) {\n        ...CaseWhy\n      }\n      mayAbandon: explain(action: ABANDON) {\n        ...CaseWhy\n      }\n    }\n  }\n": typeof types.CaseFullDocument,
    "\n  fragment CaseRefusal on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n": typeof types.CaseRefusalFragmentDoc,
    "\n  mutation RetryStep($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": typeof types.RetryStepDocument,
    "\n  mutation ReplaceFile($input: ReplaceDocumentInput!) {\n    replaceDocument(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": typeof types.ReplaceFileDocument,
    "\n  mutation EnterValues($input: EnterFieldsInput!) {\n    enterFields(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": typeof types.EnterValuesDocument,
    "\n  mutation GiveUp($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": typeof types.GiveUpDocument,
    "\n  mutation SendBack($input: ResubmitCaseInput!) {\n    resubmitCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": typeof types.SendBackDocument,
    "\n  query VerifyCase($id: ID!) {\n    verifyAudit(caseId: $id) {\n      ok\n      events\n      problems {\n        seq\n        problem\n      }\n    }\n  }\n": typeof types.VerifyCaseDocument,
    "\n  fragment CaseRow on Case {\n    ...CaseLive\n    next {\n      ...NextLine\n    }\n    document {\n      revision\n      fileName\n    }\n    submitter {\n      id\n      name\n    }\n  }\n": typeof types.CaseRowFragmentDoc,
    "\n  query CaseList($first: Int!, $after: Cursor, $filter: CaseFilter) {\n    cases(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...CaseRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.CaseListDocument,
    "\n  query Processes {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n      publishedAt\n      nodes {\n        id\n        kind\n        label\n        labels {\n          name\n          value\n        }\n        next\n      }\n    }\n  }\n": typeof types.ProcessesDocument,
    "\n  fragment IncidentLine on Incident {\n    id\n    version\n    node\n    attempt\n    code\n    message\n    openedAt\n    actions\n    case {\n      ...CaseLive\n    }\n  }\n": typeof types.IncidentLineFragmentDoc,
    "\n  query IncidentGroups {\n    incidentGroups {\n      code\n      node\n      message\n      count\n      oldest\n      newest\n    }\n  }\n": typeof types.IncidentGroupsDocument,
    "\n  query IncidentsOfCause($code: String!, $node: String!, $first: Int!, $after: Cursor) {\n    incidents(first: $first, after: $after, filter: { code: $code, node: $node }) {\n      nodes {\n        ...IncidentLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.IncidentsOfCauseDocument,
    "\n  subscription IncidentPulse {\n    notifications {\n      incidents\n      at\n    }\n  }\n": typeof types.IncidentPulseDocument,
    "\n  query IncidentAgain($caseId: ID!) {\n    case(id: $caseId) {\n      id\n      incident {\n        ...IncidentLine\n      }\n    }\n  }\n": typeof types.IncidentAgainDocument,
    "\n  mutation RetryIncident($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": typeof types.RetryIncidentDocument,
    "\n  mutation GiveUpCase($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": typeof types.GiveUpCaseDocument,
    "\n  fragment IntakeCase on Case {\n    ...CaseLive\n    document {\n      revision\n      fileName\n    }\n    next {\n      ...NextLine\n    }\n    incident {\n      id\n      version\n      code\n      message\n    }\n  }\n": typeof types.IntakeCaseFragmentDoc,
    "\n  mutation SubmitDocument($input: SubmitDocumentInput!) {\n    submitDocument(input: $input) {\n      case {\n        ...IntakeCase\n      }\n      duplicates {\n        id\n        version\n        updatedAt\n        reference\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": typeof types.SubmitDocumentDocument,
    "\n  query SentBefore($first: Int!) {\n    cases(first: $first) {\n      nodes {\n        ...IntakeCase\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.SentBeforeDocument,
    "\n  query IntakeCaseAgain($id: ID!) {\n    case(id: $id) {\n      ...IntakeCase\n    }\n  }\n": typeof types.IntakeCaseAgainDocument,
    "\n  query IntakeProcesses {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n    }\n  }\n": typeof types.IntakeProcessesDocument,
    "\n  fragment ManagedReview on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n": typeof types.ManagedReviewFragmentDoc,
    "\n  subscription ManagedQueue($filter: ReviewFilter!) {\n    reviewQueue(first: 100, filter: $filter) {\n      snapshot\n      upserted {\n        ...ManagedReview\n      }\n      left {\n        ...ManagedReview\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n": typeof types.ManagedQueueDocument,
    "\n  query ManagedPage($after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: 100, after: $after, filter: $filter) {\n      nodes {\n        ...ManagedReview\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.ManagedPageDocument,
    "\n  query QueueCounts {\n    queues(all: true) {\n      name\n      available\n      assigned\n      claimed\n      overdue\n      atRisk\n    }\n  }\n": typeof types.QueueCountsDocument,
    "\n  query PeopleLoad {\n    people {\n      id\n      name\n      roles\n      queues\n      disabled\n      openReviews\n    }\n  }\n": typeof types.PeopleLoadDocument,
    "\n  query Eligible($reviewId: ID!) {\n    eligibleReviewers(reviewId: $reviewId) {\n      id\n      name\n      roles\n      openReviews\n    }\n  }\n": typeof types.EligibleDocument,
    "\n  mutation Reassign($input: ReassignReviewsInput!) {\n    reassignReviews(input: $input) {\n      results {\n        reviewId\n        review {\n          ...ManagedReview\n        }\n        userErrors {\n          ... on Refusal {\n            code\n            message\n            wayOut\n          }\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": typeof types.ReassignDocument,
    "\n  fragment QueueRow on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n": typeof types.QueueRowFragmentDoc,
    "\n  subscription QueueLive($first: Int!, $filter: ReviewFilter!) {\n    reviewQueue(first: $first, filter: $filter) {\n      snapshot\n      upserted {\n        ...QueueRow\n      }\n      left {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n": typeof types.QueueLiveDocument,
    "\n  query QueueMore($first: Int!, $after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...QueueRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": typeof types.QueueMoreDocument,
    "\n  mutation ClaimFromQueue($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": typeof types.ClaimFromQueueDocument,
    "\n  mutation ClaimNextFromQueue($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": typeof types.ClaimNextFromQueueDocument,
    "\n  query QueueViewer {\n    viewer {\n      person {\n        id\n      }\n    }\n  }\n": typeof types.QueueViewerDocument,
    "\n  fragment ReviewWhole on Review {\n    id\n    version\n    status\n    queue\n    level\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    claimUntil\n    decidedAt\n    assignee {\n      id\n      name\n    }\n    decision {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n    }\n    case {\n      ...CaseLive\n      submitter {\n        id\n        name\n      }\n      declaredAmount {\n        amount\n        currency\n      }\n      document {\n        revision\n        fileName\n        path\n        pages {\n          number\n          width\n          height\n          path\n        }\n      }\n      fieldForm {\n        name\n        type\n        required\n        needsPerson\n        doubts\n        field {\n          name\n          raw\n          normalised\n          page\n          confidence\n          source\n          box {\n            x\n            y\n            w\n            h\n          }\n        }\n      }\n      findings {\n        rule\n        severity\n        score\n        message\n        evidence {\n          name\n          value\n        }\n      }\n    }\n  }\n": typeof types.ReviewWholeFragmentDoc,
    "\n  fragment Because on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n    values {\n      name\n      value\n    }\n    who {\n      id\n      name\n    }\n  }\n": typeof types.BecauseFragmentDoc,
    "\n  query ReviewPageData($id: ID!) {\n    viewer {\n      person {\n        id\n      }\n    }\n    review(id: $id) {\n      ...ReviewWhole\n      draft\n      claim: explain(action: CLAIM) {\n        ...Because\n      }\n      decide: explain(action: DECIDE) {\n        ...Because\n      }\n      escalate: explain(action: ESCALATE) {\n        ...Because\n      }\n    }\n  }\n": typeof types.ReviewPageDataDocument,
    "\n  mutation ClaimReview($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        ...ReviewWhole\n        draft\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.ClaimReviewDocument,
    "\n  mutation ReleaseReview($input: ReleaseReviewInput!) {\n    releaseReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.ReleaseReviewDocument,
    "\n  mutation CorrectFields($input: CorrectFieldsInput!) {\n    correctFields(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.CorrectFieldsDocument,
    "\n  mutation DecideReview($input: DecideReviewInput!) {\n    decideReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.DecideReviewDocument,
    "\n  mutation SaveDraft($input: SaveDraftInput!) {\n    saveDraft(input: $input) {\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.SaveDraftDocument,
    "\n  mutation Heartbeat($input: HeartbeatReviewInput!) {\n    heartbeatReview(input: $input) {\n      claimUntil\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.HeartbeatDocument,
    "\n  mutation ClaimAnother($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": typeof types.ClaimAnotherDocument,
    "\n  fragment Refused on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n": typeof types.RefusedFragmentDoc,
    "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n": typeof types.CaseLiveFragmentDoc,
    "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n    people {\n      property\n      person {\n        id\n        name\n      }\n    }\n  }\n": typeof types.CaseEventLineFragmentDoc,
    "\n  fragment NextLine on NextStep {\n    kind\n    sentence\n    by\n    late\n    stage\n    attempt\n    queue\n    reviewId\n    who {\n      id\n      name\n      roles\n    }\n  }\n": typeof types.NextLineFragmentDoc,
    "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n        next {\n          ...NextLine\n        }\n      }\n    }\n  }\n": typeof types.CaseEventsDocument,
    "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n      next {\n        ...NextLine\n      }\n    }\n  }\n": typeof types.CaseAgainDocument,
};
const documents: Documents = {
    "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      overdue\n      atRisk\n      at\n    }\n  }\n": types.WaitingDocument,
    "\n  query Everybody {\n    people {\n      id\n      name\n      email\n      roles\n      queues\n      disabled\n      openReviews\n      limits {\n        role\n        action\n        documentType\n        amount {\n          amount\n          currency\n        }\n      }\n    }\n  }\n": types.EverybodyDocument,
    "\n  query Account {\n    viewer {\n      person {\n        id\n        name\n        email\n        roles\n        queues\n        disabled\n        limits {\n          role\n          action\n          documentType\n          amount {\n            amount\n            currency\n          }\n        }\n      }\n      conflicts {\n        id\n        reason\n        createdAt\n      }\n      apiTokens {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n    }\n  }\n": types.AccountDocument,
    "\n  mutation DeclareConflict($input: DeclareConflictInput!) {\n    declareConflict(input: $input) {\n      conflictId\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n": types.DeclareConflictDocument,
    "\n  mutation CreateKey($input: CreateApiTokenInput!) {\n    createApiToken(input: $input) {\n      token {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n      secret\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n": types.CreateKeyDocument,
    "\n  mutation RevokeKey($input: RevokeApiTokenInput!) {\n    revokeApiToken(input: $input) {\n      token {\n        id\n        revokedAt\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": types.RevokeKeyDocument,
    "\n  fragment TrailLine on AuditEntry {\n    kind\n    at\n    type\n    sentence\n    seq\n    hash\n    code\n    object\n    status\n    body\n    actor {\n      id\n      name\n    }\n  }\n": types.TrailLineFragmentDoc,
    "\n  query AuditedCase($caseId: ID!, $first: Int!, $after: Cursor) {\n    auditTrail(caseId: $caseId, first: $first, after: $after) {\n      nodes {\n        ...TrailLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.AuditedCaseDocument,
    "\n  query AuditHead($caseId: ID!) {\n    case(id: $caseId) {\n      ...CaseLive\n      chain {\n        head\n        length\n      }\n      document {\n        revision\n        path\n      }\n    }\n  }\n": types.AuditHeadDocument,
    "\n  query VerifyAudit($caseId: ID) {\n    verifyAudit(caseId: $caseId) {\n      ok\n      streams\n      events\n      problems {\n        reference\n        seq\n        problem\n      }\n    }\n  }\n": types.VerifyAuditDocument,
    "\n  query CasesToAudit($text: String, $after: Cursor) {\n    cases(first: 25, after: $after, filter: { text: $text }) {\n      nodes {\n        ...CaseLive\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.CasesToAuditDocument,
    "\n  fragment CaseParts on Case {\n    ...CaseLive\n    processVersion\n    declaredAmount {\n      amount\n      currency\n    }\n    submitter {\n      id\n      name\n    }\n    next {\n      ...NextLine\n    }\n    documents {\n      revision\n      fileName\n      mediaType\n      size\n      sha256\n      createdAt\n      path\n    }\n    fieldForm {\n      name\n      type\n      required\n      needsPerson\n      doubts\n      field {\n        ...CaseField\n      }\n    }\n    findings {\n      rule\n      severity\n      score\n      message\n      evidence {\n        name\n        value\n      }\n    }\n    decisions {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n      onBehalfOf {\n        id\n        name\n      }\n    }\n    chain {\n      head\n      length\n    }\n    incident {\n      id\n      version\n      node\n      attempt\n      code\n      message\n      openedAt\n      actions\n    }\n  }\n": types.CasePartsFragmentDoc,
    "\n  fragment CaseField on Field {\n    name\n    raw\n    normalised\n    page\n    confidence\n    source\n    grounded\n  }\n": types.CaseFieldFragmentDoc,
    "\n  fragment CaseWhy on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n  }\n": types.CaseWhyFragmentDoc,
    "\n  query CaseFull($id: ID!) {\n    case(id: $id) {\n      ...CaseParts\n      lastEvents(last: 100) {\n        ...CaseEventLine\n      }\n      mayReplace: explain(action: REPLACE_DOCUMENT) {\n        ...CaseWhy\n      }\n      mayEnter: explain(action: ENTER_FIELDS) {\n        ...CaseWhy\n      }\n      mayResubmit: explain(action: RESUBMIT) {\n        ...CaseWhy\n      }\n      mayRetry: explain(action: RETRY) {\n        ...CaseWhy\n      }\n      mayAbandon: explain(action: ABANDON) {\n        ...CaseWhy\n      }\n    }\n  }\n": types.CaseFullDocument,
    "\n  fragment CaseRefusal on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n": types.CaseRefusalFragmentDoc,
    "\n  mutation RetryStep($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": types.RetryStepDocument,
    "\n  mutation ReplaceFile($input: ReplaceDocumentInput!) {\n    replaceDocument(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": types.ReplaceFileDocument,
    "\n  mutation EnterValues($input: EnterFieldsInput!) {\n    enterFields(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": types.EnterValuesDocument,
    "\n  mutation GiveUp($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": types.GiveUpDocument,
    "\n  mutation SendBack($input: ResubmitCaseInput!) {\n    resubmitCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n": types.SendBackDocument,
    "\n  query VerifyCase($id: ID!) {\n    verifyAudit(caseId: $id) {\n      ok\n      events\n      problems {\n        seq\n        problem\n      }\n    }\n  }\n": types.VerifyCaseDocument,
    "\n  fragment CaseRow on Case {\n    ...CaseLive\n    next {\n      ...NextLine\n    }\n    document {\n      revision\n      fileName\n    }\n    submitter {\n      id\n      name\n    }\n  }\n": types.CaseRowFragmentDoc,
    "\n  query CaseList($first: Int!, $after: Cursor, $filter: CaseFilter) {\n    cases(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...CaseRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.CaseListDocument,
    "\n  query Processes {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n      publishedAt\n      nodes {\n        id\n        kind\n        label\n        labels {\n          name\n          value\n        }\n        next\n      }\n    }\n  }\n": types.ProcessesDocument,
    "\n  fragment IncidentLine on Incident {\n    id\n    version\n    node\n    attempt\n    code\n    message\n    openedAt\n    actions\n    case {\n      ...CaseLive\n    }\n  }\n": types.IncidentLineFragmentDoc,
    "\n  query IncidentGroups {\n    incidentGroups {\n      code\n      node\n      message\n      count\n      oldest\n      newest\n    }\n  }\n": types.IncidentGroupsDocument,
    "\n  query IncidentsOfCause($code: String!, $node: String!, $first: Int!, $after: Cursor) {\n    incidents(first: $first, after: $after, filter: { code: $code, node: $node }) {\n      nodes {\n        ...IncidentLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.IncidentsOfCauseDocument,
    "\n  subscription IncidentPulse {\n    notifications {\n      incidents\n      at\n    }\n  }\n": types.IncidentPulseDocument,
    "\n  query IncidentAgain($caseId: ID!) {\n    case(id: $caseId) {\n      id\n      incident {\n        ...IncidentLine\n      }\n    }\n  }\n": types.IncidentAgainDocument,
    "\n  mutation RetryIncident($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": types.RetryIncidentDocument,
    "\n  mutation GiveUpCase($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": types.GiveUpCaseDocument,
    "\n  fragment IntakeCase on Case {\n    ...CaseLive\n    document {\n      revision\n      fileName\n    }\n    next {\n      ...NextLine\n    }\n    incident {\n      id\n      version\n      code\n      message\n    }\n  }\n": types.IntakeCaseFragmentDoc,
    "\n  mutation SubmitDocument($input: SubmitDocumentInput!) {\n    submitDocument(input: $input) {\n      case {\n        ...IntakeCase\n      }\n      duplicates {\n        id\n        version\n        updatedAt\n        reference\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": types.SubmitDocumentDocument,
    "\n  query SentBefore($first: Int!) {\n    cases(first: $first) {\n      nodes {\n        ...IntakeCase\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.SentBeforeDocument,
    "\n  query IntakeCaseAgain($id: ID!) {\n    case(id: $id) {\n      ...IntakeCase\n    }\n  }\n": types.IntakeCaseAgainDocument,
    "\n  query IntakeProcesses {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n    }\n  }\n": types.IntakeProcessesDocument,
    "\n  fragment ManagedReview on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n": types.ManagedReviewFragmentDoc,
    "\n  subscription ManagedQueue($filter: ReviewFilter!) {\n    reviewQueue(first: 100, filter: $filter) {\n      snapshot\n      upserted {\n        ...ManagedReview\n      }\n      left {\n        ...ManagedReview\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n": types.ManagedQueueDocument,
    "\n  query ManagedPage($after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: 100, after: $after, filter: $filter) {\n      nodes {\n        ...ManagedReview\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.ManagedPageDocument,
    "\n  query QueueCounts {\n    queues(all: true) {\n      name\n      available\n      assigned\n      claimed\n      overdue\n      atRisk\n    }\n  }\n": types.QueueCountsDocument,
    "\n  query PeopleLoad {\n    people {\n      id\n      name\n      roles\n      queues\n      disabled\n      openReviews\n    }\n  }\n": types.PeopleLoadDocument,
    "\n  query Eligible($reviewId: ID!) {\n    eligibleReviewers(reviewId: $reviewId) {\n      id\n      name\n      roles\n      openReviews\n    }\n  }\n": types.EligibleDocument,
    "\n  mutation Reassign($input: ReassignReviewsInput!) {\n    reassignReviews(input: $input) {\n      results {\n        reviewId\n        review {\n          ...ManagedReview\n        }\n        userErrors {\n          ... on Refusal {\n            code\n            message\n            wayOut\n          }\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n": types.ReassignDocument,
    "\n  fragment QueueRow on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n": types.QueueRowFragmentDoc,
    "\n  subscription QueueLive($first: Int!, $filter: ReviewFilter!) {\n    reviewQueue(first: $first, filter: $filter) {\n      snapshot\n      upserted {\n        ...QueueRow\n      }\n      left {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n": types.QueueLiveDocument,
    "\n  query QueueMore($first: Int!, $after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...QueueRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n": types.QueueMoreDocument,
    "\n  mutation ClaimFromQueue($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": types.ClaimFromQueueDocument,
    "\n  mutation ClaimNextFromQueue($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n": types.ClaimNextFromQueueDocument,
    "\n  query QueueViewer {\n    viewer {\n      person {\n        id\n      }\n    }\n  }\n": types.QueueViewerDocument,
    "\n  fragment ReviewWhole on Review {\n    id\n    version\n    status\n    queue\n    level\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    claimUntil\n    decidedAt\n    assignee {\n      id\n      name\n    }\n    decision {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n    }\n    case {\n      ...CaseLive\n      submitter {\n        id\n        name\n      }\n      declaredAmount {\n        amount\n        currency\n      }\n      document {\n        revision\n        fileName\n        path\n        pages {\n          number\n          width\n          height\n          path\n        }\n      }\n      fieldForm {\n        name\n        type\n        required\n        needsPerson\n        doubts\n        field {\n          name\n          raw\n          normalised\n          page\n          confidence\n          source\n          box {\n            x\n            y\n            w\n            h\n          }\n        }\n      }\n      findings {\n        rule\n        severity\n        score\n        message\n        evidence {\n          name\n          value\n        }\n      }\n    }\n  }\n": types.ReviewWholeFragmentDoc,
    "\n  fragment Because on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n    values {\n      name\n      value\n    }\n    who {\n      id\n      name\n    }\n  }\n": types.BecauseFragmentDoc,
    "\n  query ReviewPageData($id: ID!) {\n    viewer {\n      person {\n        id\n      }\n    }\n    review(id: $id) {\n      ...ReviewWhole\n      draft\n      claim: explain(action: CLAIM) {\n        ...Because\n      }\n      decide: explain(action: DECIDE) {\n        ...Because\n      }\n      escalate: explain(action: ESCALATE) {\n        ...Because\n      }\n    }\n  }\n": types.ReviewPageDataDocument,
    "\n  mutation ClaimReview($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        ...ReviewWhole\n        draft\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.ClaimReviewDocument,
    "\n  mutation ReleaseReview($input: ReleaseReviewInput!) {\n    releaseReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.ReleaseReviewDocument,
    "\n  mutation CorrectFields($input: CorrectFieldsInput!) {\n    correctFields(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.CorrectFieldsDocument,
    "\n  mutation DecideReview($input: DecideReviewInput!) {\n    decideReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.DecideReviewDocument,
    "\n  mutation SaveDraft($input: SaveDraftInput!) {\n    saveDraft(input: $input) {\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.SaveDraftDocument,
    "\n  mutation Heartbeat($input: HeartbeatReviewInput!) {\n    heartbeatReview(input: $input) {\n      claimUntil\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.HeartbeatDocument,
    "\n  mutation ClaimAnother($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n": types.ClaimAnotherDocument,
    "\n  fragment Refused on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n": types.RefusedFragmentDoc,
    "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n": types.CaseLiveFragmentDoc,
    "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n    people {\n      property\n      person {\n        id\n        name\n      }\n    }\n  }\n": types.CaseEventLineFragmentDoc,
    "\n  fragment NextLine on NextStep {\n    kind\n    sentence\n    by\n    late\n    stage\n    attempt\n    queue\n    reviewId\n    who {\n      id\n      name\n      roles\n    }\n  }\n": types.NextLineFragmentDoc,
    "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n        next {\n          ...NextLine\n        }\n      }\n    }\n  }\n": types.CaseEventsDocument,
    "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n      next {\n        ...NextLine\n      }\n    }\n  }\n": types.CaseAgainDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      overdue\n      atRisk\n      at\n    }\n  }\n"): (typeof documents)["\n  subscription Waiting {\n    notifications {\n      available\n      mine\n      incidents\n      overdue\n      atRisk\n      at\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Everybody {\n    people {\n      id\n      name\n      email\n      roles\n      queues\n      disabled\n      openReviews\n      limits {\n        role\n        action\n        documentType\n        amount {\n          amount\n          currency\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Everybody {\n    people {\n      id\n      name\n      email\n      roles\n      queues\n      disabled\n      openReviews\n      limits {\n        role\n        action\n        documentType\n        amount {\n          amount\n          currency\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Account {\n    viewer {\n      person {\n        id\n        name\n        email\n        roles\n        queues\n        disabled\n        limits {\n          role\n          action\n          documentType\n          amount {\n            amount\n            currency\n          }\n        }\n      }\n      conflicts {\n        id\n        reason\n        createdAt\n      }\n      apiTokens {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n    }\n  }\n"): (typeof documents)["\n  query Account {\n    viewer {\n      person {\n        id\n        name\n        email\n        roles\n        queues\n        disabled\n        limits {\n          role\n          action\n          documentType\n          amount {\n            amount\n            currency\n          }\n        }\n      }\n      conflicts {\n        id\n        reason\n        createdAt\n      }\n      apiTokens {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DeclareConflict($input: DeclareConflictInput!) {\n    declareConflict(input: $input) {\n      conflictId\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DeclareConflict($input: DeclareConflictInput!) {\n    declareConflict(input: $input) {\n      conflictId\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateKey($input: CreateApiTokenInput!) {\n    createApiToken(input: $input) {\n      token {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n      secret\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CreateKey($input: CreateApiTokenInput!) {\n    createApiToken(input: $input) {\n      token {\n        id\n        name\n        scopes\n        createdAt\n        expiresAt\n        revokedAt\n        lastUsed\n      }\n      secret\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RevokeKey($input: RevokeApiTokenInput!) {\n    revokeApiToken(input: $input) {\n      token {\n        id\n        revokedAt\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RevokeKey($input: RevokeApiTokenInput!) {\n    revokeApiToken(input: $input) {\n      token {\n        id\n        revokedAt\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment TrailLine on AuditEntry {\n    kind\n    at\n    type\n    sentence\n    seq\n    hash\n    code\n    object\n    status\n    body\n    actor {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment TrailLine on AuditEntry {\n    kind\n    at\n    type\n    sentence\n    seq\n    hash\n    code\n    object\n    status\n    body\n    actor {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditedCase($caseId: ID!, $first: Int!, $after: Cursor) {\n    auditTrail(caseId: $caseId, first: $first, after: $after) {\n      nodes {\n        ...TrailLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query AuditedCase($caseId: ID!, $first: Int!, $after: Cursor) {\n    auditTrail(caseId: $caseId, first: $first, after: $after) {\n      nodes {\n        ...TrailLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditHead($caseId: ID!) {\n    case(id: $caseId) {\n      ...CaseLive\n      chain {\n        head\n        length\n      }\n      document {\n        revision\n        path\n      }\n    }\n  }\n"): (typeof documents)["\n  query AuditHead($caseId: ID!) {\n    case(id: $caseId) {\n      ...CaseLive\n      chain {\n        head\n        length\n      }\n      document {\n        revision\n        path\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query VerifyAudit($caseId: ID) {\n    verifyAudit(caseId: $caseId) {\n      ok\n      streams\n      events\n      problems {\n        reference\n        seq\n        problem\n      }\n    }\n  }\n"): (typeof documents)["\n  query VerifyAudit($caseId: ID) {\n    verifyAudit(caseId: $caseId) {\n      ok\n      streams\n      events\n      problems {\n        reference\n        seq\n        problem\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CasesToAudit($text: String, $after: Cursor) {\n    cases(first: 25, after: $after, filter: { text: $text }) {\n      nodes {\n        ...CaseLive\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query CasesToAudit($text: String, $after: Cursor) {\n    cases(first: 25, after: $after, filter: { text: $text }) {\n      nodes {\n        ...CaseLive\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseParts on Case {\n    ...CaseLive\n    processVersion\n    declaredAmount {\n      amount\n      currency\n    }\n    submitter {\n      id\n      name\n    }\n    next {\n      ...NextLine\n    }\n    documents {\n      revision\n      fileName\n      mediaType\n      size\n      sha256\n      createdAt\n      path\n    }\n    fieldForm {\n      name\n      type\n      required\n      needsPerson\n      doubts\n      field {\n        ...CaseField\n      }\n    }\n    findings {\n      rule\n      severity\n      score\n      message\n      evidence {\n        name\n        value\n      }\n    }\n    decisions {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n      onBehalfOf {\n        id\n        name\n      }\n    }\n    chain {\n      head\n      length\n    }\n    incident {\n      id\n      version\n      node\n      attempt\n      code\n      message\n      openedAt\n      actions\n    }\n  }\n"): (typeof documents)["\n  fragment CaseParts on Case {\n    ...CaseLive\n    processVersion\n    declaredAmount {\n      amount\n      currency\n    }\n    submitter {\n      id\n      name\n    }\n    next {\n      ...NextLine\n    }\n    documents {\n      revision\n      fileName\n      mediaType\n      size\n      sha256\n      createdAt\n      path\n    }\n    fieldForm {\n      name\n      type\n      required\n      needsPerson\n      doubts\n      field {\n        ...CaseField\n      }\n    }\n    findings {\n      rule\n      severity\n      score\n      message\n      evidence {\n        name\n        value\n      }\n    }\n    decisions {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n      onBehalfOf {\n        id\n        name\n      }\n    }\n    chain {\n      head\n      length\n    }\n    incident {\n      id\n      version\n      node\n      attempt\n      code\n      message\n      openedAt\n      actions\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseField on Field {\n    name\n    raw\n    normalised\n    page\n    confidence\n    source\n    grounded\n  }\n"): (typeof documents)["\n  fragment CaseField on Field {\n    name\n    raw\n    normalised\n    page\n    confidence\n    source\n    grounded\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseWhy on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n  }\n"): (typeof documents)["\n  fragment CaseWhy on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CaseFull($id: ID!) {\n    case(id: $id) {\n      ...CaseParts\n      lastEvents(last: 100) {\n        ...CaseEventLine\n      }\n      mayReplace: explain(action: REPLACE_DOCUMENT) {\n        ...CaseWhy\n      }\n      mayEnter: explain(action: ENTER_FIELDS) {\n        ...CaseWhy\n      }\n      mayResubmit: explain(action: RESUBMIT) {\n        ...CaseWhy\n      }\n      mayRetry: explain(action: RETRY) {\n        ...CaseWhy\n      }\n      mayAbandon: explain(action: ABANDON) {\n        ...CaseWhy\n      }\n    }\n  }\n"): (typeof documents)["\n  query CaseFull($id: ID!) {\n    case(id: $id) {\n      ...CaseParts\n      lastEvents(last: 100) {\n        ...CaseEventLine\n      }\n      mayReplace: explain(action: REPLACE_DOCUMENT) {\n        ...CaseWhy\n      }\n      mayEnter: explain(action: ENTER_FIELDS) {\n        ...CaseWhy\n      }\n      mayResubmit: explain(action: RESUBMIT) {\n        ...CaseWhy\n      }\n      mayRetry: explain(action: RETRY) {\n        ...CaseWhy\n      }\n      mayAbandon: explain(action: ABANDON) {\n        ...CaseWhy\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseRefusal on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n"): (typeof documents)["\n  fragment CaseRefusal on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RetryStep($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RetryStep($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReplaceFile($input: ReplaceDocumentInput!) {\n    replaceDocument(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ReplaceFile($input: ReplaceDocumentInput!) {\n    replaceDocument(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EnterValues($input: EnterFieldsInput!) {\n    enterFields(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation EnterValues($input: EnterFieldsInput!) {\n    enterFields(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation GiveUp($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation GiveUp($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SendBack($input: ResubmitCaseInput!) {\n    resubmitCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SendBack($input: ResubmitCaseInput!) {\n    resubmitCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ...CaseRefusal\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query VerifyCase($id: ID!) {\n    verifyAudit(caseId: $id) {\n      ok\n      events\n      problems {\n        seq\n        problem\n      }\n    }\n  }\n"): (typeof documents)["\n  query VerifyCase($id: ID!) {\n    verifyAudit(caseId: $id) {\n      ok\n      events\n      problems {\n        seq\n        problem\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseRow on Case {\n    ...CaseLive\n    next {\n      ...NextLine\n    }\n    document {\n      revision\n      fileName\n    }\n    submitter {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment CaseRow on Case {\n    ...CaseLive\n    next {\n      ...NextLine\n    }\n    document {\n      revision\n      fileName\n    }\n    submitter {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CaseList($first: Int!, $after: Cursor, $filter: CaseFilter) {\n    cases(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...CaseRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query CaseList($first: Int!, $after: Cursor, $filter: CaseFilter) {\n    cases(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...CaseRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Processes {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n      publishedAt\n      nodes {\n        id\n        kind\n        label\n        labels {\n          name\n          value\n        }\n        next\n      }\n    }\n  }\n"): (typeof documents)["\n  query Processes {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n      publishedAt\n      nodes {\n        id\n        kind\n        label\n        labels {\n          name\n          value\n        }\n        next\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment IncidentLine on Incident {\n    id\n    version\n    node\n    attempt\n    code\n    message\n    openedAt\n    actions\n    case {\n      ...CaseLive\n    }\n  }\n"): (typeof documents)["\n  fragment IncidentLine on Incident {\n    id\n    version\n    node\n    attempt\n    code\n    message\n    openedAt\n    actions\n    case {\n      ...CaseLive\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IncidentGroups {\n    incidentGroups {\n      code\n      node\n      message\n      count\n      oldest\n      newest\n    }\n  }\n"): (typeof documents)["\n  query IncidentGroups {\n    incidentGroups {\n      code\n      node\n      message\n      count\n      oldest\n      newest\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IncidentsOfCause($code: String!, $node: String!, $first: Int!, $after: Cursor) {\n    incidents(first: $first, after: $after, filter: { code: $code, node: $node }) {\n      nodes {\n        ...IncidentLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query IncidentsOfCause($code: String!, $node: String!, $first: Int!, $after: Cursor) {\n    incidents(first: $first, after: $after, filter: { code: $code, node: $node }) {\n      nodes {\n        ...IncidentLine\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription IncidentPulse {\n    notifications {\n      incidents\n      at\n    }\n  }\n"): (typeof documents)["\n  subscription IncidentPulse {\n    notifications {\n      incidents\n      at\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IncidentAgain($caseId: ID!) {\n    case(id: $caseId) {\n      id\n      incident {\n        ...IncidentLine\n      }\n    }\n  }\n"): (typeof documents)["\n  query IncidentAgain($caseId: ID!) {\n    case(id: $caseId) {\n      id\n      incident {\n        ...IncidentLine\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RetryIncident($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation RetryIncident($input: RetryIncidentInput!) {\n    retryIncident(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation GiveUpCase($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation GiveUpCase($input: AbandonCaseInput!) {\n    abandonCase(input: $input) {\n      case {\n        ...CaseLive\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment IntakeCase on Case {\n    ...CaseLive\n    document {\n      revision\n      fileName\n    }\n    next {\n      ...NextLine\n    }\n    incident {\n      id\n      version\n      code\n      message\n    }\n  }\n"): (typeof documents)["\n  fragment IntakeCase on Case {\n    ...CaseLive\n    document {\n      revision\n      fileName\n    }\n    next {\n      ...NextLine\n    }\n    incident {\n      id\n      version\n      code\n      message\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SubmitDocument($input: SubmitDocumentInput!) {\n    submitDocument(input: $input) {\n      case {\n        ...IntakeCase\n      }\n      duplicates {\n        id\n        version\n        updatedAt\n        reference\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SubmitDocument($input: SubmitDocumentInput!) {\n    submitDocument(input: $input) {\n      case {\n        ...IntakeCase\n      }\n      duplicates {\n        id\n        version\n        updatedAt\n        reference\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          field\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query SentBefore($first: Int!) {\n    cases(first: $first) {\n      nodes {\n        ...IntakeCase\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query SentBefore($first: Int!) {\n    cases(first: $first) {\n      nodes {\n        ...IntakeCase\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IntakeCaseAgain($id: ID!) {\n    case(id: $id) {\n      ...IntakeCase\n    }\n  }\n"): (typeof documents)["\n  query IntakeCaseAgain($id: ID!) {\n    case(id: $id) {\n      ...IntakeCase\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query IntakeProcesses {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n    }\n  }\n"): (typeof documents)["\n  query IntakeProcesses {\n    processDefinitions {\n      key\n      version\n      title\n      titles {\n        name\n        value\n      }\n      documentTypes\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ManagedReview on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n"): (typeof documents)["\n  fragment ManagedReview on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription ManagedQueue($filter: ReviewFilter!) {\n    reviewQueue(first: 100, filter: $filter) {\n      snapshot\n      upserted {\n        ...ManagedReview\n      }\n      left {\n        ...ManagedReview\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n"): (typeof documents)["\n  subscription ManagedQueue($filter: ReviewFilter!) {\n    reviewQueue(first: 100, filter: $filter) {\n      snapshot\n      upserted {\n        ...ManagedReview\n      }\n      left {\n        ...ManagedReview\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ManagedPage($after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: 100, after: $after, filter: $filter) {\n      nodes {\n        ...ManagedReview\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query ManagedPage($after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: 100, after: $after, filter: $filter) {\n      nodes {\n        ...ManagedReview\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query QueueCounts {\n    queues(all: true) {\n      name\n      available\n      assigned\n      claimed\n      overdue\n      atRisk\n    }\n  }\n"): (typeof documents)["\n  query QueueCounts {\n    queues(all: true) {\n      name\n      available\n      assigned\n      claimed\n      overdue\n      atRisk\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PeopleLoad {\n    people {\n      id\n      name\n      roles\n      queues\n      disabled\n      openReviews\n    }\n  }\n"): (typeof documents)["\n  query PeopleLoad {\n    people {\n      id\n      name\n      roles\n      queues\n      disabled\n      openReviews\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Eligible($reviewId: ID!) {\n    eligibleReviewers(reviewId: $reviewId) {\n      id\n      name\n      roles\n      openReviews\n    }\n  }\n"): (typeof documents)["\n  query Eligible($reviewId: ID!) {\n    eligibleReviewers(reviewId: $reviewId) {\n      id\n      name\n      roles\n      openReviews\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Reassign($input: ReassignReviewsInput!) {\n    reassignReviews(input: $input) {\n      results {\n        reviewId\n        review {\n          ...ManagedReview\n        }\n        userErrors {\n          ... on Refusal {\n            code\n            message\n            wayOut\n          }\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Reassign($input: ReassignReviewsInput!) {\n    reassignReviews(input: $input) {\n      results {\n        reviewId\n        review {\n          ...ManagedReview\n        }\n        userErrors {\n          ... on Refusal {\n            code\n            message\n            wayOut\n          }\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment QueueRow on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n"): (typeof documents)["\n  fragment QueueRow on Review {\n    id\n    version\n    queue\n    level\n    status\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    assignee {\n      id\n      name\n    }\n    case {\n      ...CaseLive\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription QueueLive($first: Int!, $filter: ReviewFilter!) {\n    reviewQueue(first: $first, filter: $filter) {\n      snapshot\n      upserted {\n        ...QueueRow\n      }\n      left {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n"): (typeof documents)["\n  subscription QueueLive($first: Int!, $filter: ReviewFilter!) {\n    reviewQueue(first: $first, filter: $filter) {\n      snapshot\n      upserted {\n        ...QueueRow\n      }\n      left {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      removed\n      order\n      totalCount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query QueueMore($first: Int!, $after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...QueueRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"): (typeof documents)["\n  query QueueMore($first: Int!, $after: Cursor, $filter: ReviewFilter!) {\n    reviews(first: $first, after: $after, filter: $filter) {\n      nodes {\n        ...QueueRow\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ClaimFromQueue($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ClaimFromQueue($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ClaimNextFromQueue($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ClaimNextFromQueue($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n        version\n        status\n        assignee {\n          id\n          name\n        }\n      }\n      userErrors {\n        ... on Refusal {\n          code\n          message\n          wayOut\n          values {\n            name\n            value\n          }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query QueueViewer {\n    viewer {\n      person {\n        id\n      }\n    }\n  }\n"): (typeof documents)["\n  query QueueViewer {\n    viewer {\n      person {\n        id\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment ReviewWhole on Review {\n    id\n    version\n    status\n    queue\n    level\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    claimUntil\n    decidedAt\n    assignee {\n      id\n      name\n    }\n    decision {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n    }\n    case {\n      ...CaseLive\n      submitter {\n        id\n        name\n      }\n      declaredAmount {\n        amount\n        currency\n      }\n      document {\n        revision\n        fileName\n        path\n        pages {\n          number\n          width\n          height\n          path\n        }\n      }\n      fieldForm {\n        name\n        type\n        required\n        needsPerson\n        doubts\n        field {\n          name\n          raw\n          normalised\n          page\n          confidence\n          source\n          box {\n            x\n            y\n            w\n            h\n          }\n        }\n      }\n      findings {\n        rule\n        severity\n        score\n        message\n        evidence {\n          name\n          value\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment ReviewWhole on Review {\n    id\n    version\n    status\n    queue\n    level\n    overdue\n    atRisk\n    claimBy\n    decideBy\n    claimUntil\n    decidedAt\n    assignee {\n      id\n      name\n    }\n    decision {\n      verdict\n      reason\n      at\n      actor {\n        id\n        name\n      }\n    }\n    case {\n      ...CaseLive\n      submitter {\n        id\n        name\n      }\n      declaredAmount {\n        amount\n        currency\n      }\n      document {\n        revision\n        fileName\n        path\n        pages {\n          number\n          width\n          height\n          path\n        }\n      }\n      fieldForm {\n        name\n        type\n        required\n        needsPerson\n        doubts\n        field {\n          name\n          raw\n          normalised\n          page\n          confidence\n          source\n          box {\n            x\n            y\n            w\n            h\n          }\n        }\n      }\n      findings {\n        rule\n        severity\n        score\n        message\n        evidence {\n          name\n          value\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Because on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n    values {\n      name\n      value\n    }\n    who {\n      id\n      name\n    }\n  }\n"): (typeof documents)["\n  fragment Because on Explanation {\n    allowed\n    sentence\n    code\n    wayOut\n    values {\n      name\n      value\n    }\n    who {\n      id\n      name\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReviewPageData($id: ID!) {\n    viewer {\n      person {\n        id\n      }\n    }\n    review(id: $id) {\n      ...ReviewWhole\n      draft\n      claim: explain(action: CLAIM) {\n        ...Because\n      }\n      decide: explain(action: DECIDE) {\n        ...Because\n      }\n      escalate: explain(action: ESCALATE) {\n        ...Because\n      }\n    }\n  }\n"): (typeof documents)["\n  query ReviewPageData($id: ID!) {\n    viewer {\n      person {\n        id\n      }\n    }\n    review(id: $id) {\n      ...ReviewWhole\n      draft\n      claim: explain(action: CLAIM) {\n        ...Because\n      }\n      decide: explain(action: DECIDE) {\n        ...Because\n      }\n      escalate: explain(action: ESCALATE) {\n        ...Because\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ClaimReview($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        ...ReviewWhole\n        draft\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ClaimReview($input: ClaimReviewInput!) {\n    claimReview(input: $input) {\n      review {\n        ...ReviewWhole\n        draft\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReleaseReview($input: ReleaseReviewInput!) {\n    releaseReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ReleaseReview($input: ReleaseReviewInput!) {\n    releaseReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CorrectFields($input: CorrectFieldsInput!) {\n    correctFields(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation CorrectFields($input: CorrectFieldsInput!) {\n    correctFields(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DecideReview($input: DecideReviewInput!) {\n    decideReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DecideReview($input: DecideReviewInput!) {\n    decideReview(input: $input) {\n      review {\n        ...ReviewWhole\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SaveDraft($input: SaveDraftInput!) {\n    saveDraft(input: $input) {\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation SaveDraft($input: SaveDraftInput!) {\n    saveDraft(input: $input) {\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Heartbeat($input: HeartbeatReviewInput!) {\n    heartbeatReview(input: $input) {\n      claimUntil\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Heartbeat($input: HeartbeatReviewInput!) {\n    heartbeatReview(input: $input) {\n      claimUntil\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ClaimAnother($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ClaimAnother($input: ClaimNextReviewInput!) {\n    claimNextReview(input: $input) {\n      review {\n        id\n      }\n      userErrors {\n        ...Refused\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Refused on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n"): (typeof documents)["\n  fragment Refused on Refusal {\n    code\n    message\n    wayOut\n    field\n    values {\n      name\n      value\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n"): (typeof documents)["\n  fragment CaseLive on Case {\n    id\n    version\n    updatedAt\n    reference\n    processKey\n    documentType\n    channel\n    status\n    final\n    counterparty\n    country\n    amount {\n      amount\n      currency\n    }\n    risk\n    createdAt\n    cursor\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n    people {\n      property\n      person {\n        id\n        name\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment CaseEventLine on CaseEvent {\n    cursor\n    seq\n    type\n    schemaVersion\n    at\n    status\n    sentence\n    body\n    actor {\n      id\n      name\n    }\n    people {\n      property\n      person {\n        id\n        name\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment NextLine on NextStep {\n    kind\n    sentence\n    by\n    late\n    stage\n    attempt\n    queue\n    reviewId\n    who {\n      id\n      name\n      roles\n    }\n  }\n"): (typeof documents)["\n  fragment NextLine on NextStep {\n    kind\n    sentence\n    by\n    late\n    stage\n    attempt\n    queue\n    reviewId\n    who {\n      id\n      name\n      roles\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n        next {\n          ...NextLine\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  subscription CaseEvents($caseId: ID!, $after: Cursor) {\n    caseEvents(caseId: $caseId, after: $after) {\n      ...CaseEventLine\n      case {\n        ...CaseLive\n        next {\n          ...NextLine\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n      next {\n        ...NextLine\n      }\n    }\n  }\n"): (typeof documents)["\n  query CaseAgain($id: ID!) {\n    case(id: $id) {\n      ...CaseLive\n      next {\n        ...NextLine\n      }\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;