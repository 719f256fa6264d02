import { graphql } from '../../graphql/generated';

export const QueueLine = graphql(`
  fragment QueueLine on QueueSettings {
    queue
    version
    strategy
    cap
    calendar
    handAfter
    handTo
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

export const QueueRules = graphql(`
  query QueueRules {
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

export const SetQueue = graphql(`
  mutation SetQueue($input: SetQueueAssignmentInput!) {
    setQueueAssignment(input: $input) {
      settings {
        ...QueueLine
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
      calendar {
        ...CalendarLine
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
