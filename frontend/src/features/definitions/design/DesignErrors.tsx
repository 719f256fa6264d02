// The errors of a process beside its drawing. Choosing one marks its way on the drawing, and the page stays there.
import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemMessage } from '../../../lib/problem-labels';
import { Icon } from '../../../ui/Icon';
import classes from '../definitions.module.css';
import type { Problem } from '../processes';

interface DesignErrorsProps {
  problems: readonly Problem[];
  chosen: Problem | null;
  /** The title of a node. */
  nameOf: (id: string) => string;
  onChoose: (problem: Problem) => void;
}

export function DesignErrors({ problems, chosen, nameOf, onChoose }: DesignErrorsProps) {
  const { t } = useTranslation();
  if (problems.length === 0) return null;
  return (
    <ul className={classes.problems} aria-label={t('design.status.list')}>
      {problems.map((problem) => (
        <li key={`${problem.rule} ${problem.node} ${problem.message} ${problem.line}`}>
          <UnstyledButton
            className={classes.problem}
            aria-pressed={chosen === problem}
            onClick={() => onChoose(problem)}
          >
            <Icon name="refused" size={14} /> {problem.node && <b>{nameOf(problem.node)}: </b>}
            {problemMessage(t, problem)}
          </UnstyledButton>
        </li>
      ))}
    </ul>
  );
}
