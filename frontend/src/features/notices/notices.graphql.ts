import { graphql } from '../../graphql/generated';

export const NoticeLine = graphql(`
  fragment NoticeLine on Notice {
    id
    kind
    at
    readAt
    caseId
    reference
    reviewId
    queue
    due
    person
    connector
    proposalKind
    proposalKey
    proposalVersion
    controlKind
    outcome
    counterparty
    amount {
      amount
      currency
    }
  }
`);

export const Notices = graphql(`
  query Notices($first: Int!, $after: Cursor, $onlyUnread: Boolean!) {
    notices(first: $first, after: $after, onlyUnread: $onlyUnread) {
      nodes {
        ...NoticeLine
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** Sends a frame whenever a counter changes. */
export const UnreadNotices = graphql(`
  subscription UnreadNotices {
    notifications {
      unread
      at
    }
  }
`);

export const NoticeSettingsLines = graphql(`
  fragment NoticeSettingsLines on NoticeSettings {
    mailAvailable
    address
    kinds {
      kind
      mail
    }
    calendar
    calendars
    refusal
  }
`);

export const NoticeSettings = graphql(`
  query NoticeSettings {
    noticeSettings {
      ...NoticeSettingsLines
    }
  }
`);

export const MarkNoticesRead = graphql(`
  mutation MarkNoticesRead($input: MarkNoticesReadInput!) {
    markNoticesRead(input: $input) {
      count
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetNoticeMail = graphql(`
  mutation SetNoticeMail($input: SetNoticeMailInput!) {
    setNoticeMail(input: $input) {
      settings {
        ...NoticeSettingsLines
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetNoticeCalendar = graphql(`
  mutation SetNoticeCalendar($input: SetNoticeCalendarInput!) {
    setNoticeCalendar(input: $input) {
      settings {
        ...NoticeSettingsLines
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const RetryMailAddress = graphql(`
  mutation RetryMailAddress($input: RetryMailAddressInput!) {
    retryMailAddress(input: $input) {
      settings {
        ...NoticeSettingsLines
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
