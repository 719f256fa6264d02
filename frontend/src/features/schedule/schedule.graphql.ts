import { graphql } from '../../graphql/generated';

export const QueueLine = graphql(`
  fragment QueueLine on QueueSettings {
    queue
    version
    strategy
    cap
    calendar
    moveAfterMissedClaims
    moveToQueue
  }
`);

export const CalendarLine = graphql(`
  fragment CalendarLine on Calendar {
    name
    version
    zone
    hours {
      weekday
      from
      to
    }
    holidays
  }
`);

export const QueueSettingsList = graphql(`
  query QueueSettingsList {
    queueSettings {
      ...QueueLine
    }
    calendars(first: 100) {
      nodes {
        name
      }
    }
  }
`);

export const CalendarList = graphql(`
  query CalendarList {
    calendars(first: 100) {
      nodes {
        ...CalendarLine
      }
    }
    queueSettings {
      queue
      calendar
    }
  }
`);

export const SetQueueAssignment = graphql(`
  mutation SetQueueAssignment($input: SetQueueAssignmentInput!) {
    setQueueAssignment(input: $input) {
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const SetCalendar = graphql(`
  mutation SetCalendar($input: SetCalendarInput!) {
    setCalendar(input: $input) {
      proposal {
        id
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
