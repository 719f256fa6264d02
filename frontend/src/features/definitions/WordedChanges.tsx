// Changes of a text in words: a headline for each rule or step, and what differs in it.
import { Text } from '@mantine/core';
import classes from './rule-design/rule-design.module.css';

interface WordedChangesProps {
  label: string;
  changes: readonly { headline: string; details: readonly string[] }[];
}

export function WordedChanges({ label, changes }: WordedChangesProps) {
  return (
    <ul className={classes.changes} aria-label={label}>
      {changes.map(({ headline, details }) => (
        <li key={headline}>
          <Text size="sm" fw={600}>
            {headline}
          </Text>
          {details.map((line) => (
            <Text size="sm" key={line} className={classes.detail}>
              {line}
            </Text>
          ))}
        </li>
      ))}
    </ul>
  );
}
