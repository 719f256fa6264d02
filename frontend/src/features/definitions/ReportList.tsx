// The result of checking a text: whether it is sound, its problems and warnings.
import { Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemMessage } from '../../lib/problem-labels';
import { Icon } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import classes from './definitions.module.css';
import { findingsOf, type Gravity, lineOf, type Problem, type Report } from './processes';
import type { Kind } from './version-commands';

const appearance: Record<Gravity, [Tone, 'refused' | 'people' | 'alert']> = {
  problem: ['bad', 'refused'],
  understaffed: ['warn', 'people'],
  warning: ['warn', 'alert'],
};

interface ReportListProps {
  kind?: Kind;
  report: Report;
  /** The lines of the nodes in the text, to jump to them. */
  nodes: readonly { id: string; line: number }[];
  /** The problem that the diagram highlights. */
  chosen?: Problem | null;
  onChoose?: (problem: Problem, line: number) => void;
}

export function ReportList({ kind = 'process', report, nodes, chosen, onChoose }: ReportListProps) {
  const { t } = useTranslation();
  const all = findingsOf(report);
  return (
    <div>
      <Text
        size="sm"
        component="div"
        className={classes.verdict}
        data-sound={report.sound ? 'yes' : 'no'}
        role="status"
      >
        <Icon name={report.sound ? 'done' : 'refused'} size={16} />
        {report.sound
          ? kind !== 'process'
            ? t(`definitions.${kind}.sound`)
            : t('definitions.report.sound', { count: report.markings })
          : t('definitions.report.unsound', { count: report.problems.length })}
      </Text>
      <ul className={classes.problems}>
        {all.map(({ gravity, problem }) => (
          <li key={`${problem.rule} ${problem.node} ${problem.message} ${problem.line}`}>
            <ProblemItem
              gravity={gravity}
              problem={problem}
              line={lineOf(problem, nodes)}
              chosen={chosen === problem}
              onChoose={onChoose}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ProblemItemProps {
  gravity: Gravity;
  problem: Problem;
  line: number;
  chosen: boolean;
  onChoose: ReportListProps['onChoose'];
}

function ProblemItem({ gravity, problem, line, chosen, onChoose }: ProblemItemProps) {
  const { t } = useTranslation();
  const [tone, icon] = appearance[gravity];
  const content = (
    <>
      <Badge tone={tone} icon={icon}>
        {t(`definitions.report.weight.${gravity}`)}
      </Badge>{' '}
      {line > 0 && <span className="cs-mono">{t('definitions.report.line', { line })}</span>}{' '}
      {problem.node && <span className="cs-mono">{problem.node}</span>}{' '}
      <span>{problemMessage(t, problem)}</span>
    </>
  );
  return (
    <>
      {onChoose ? (
        <UnstyledButton
          className={classes.problem}
          aria-pressed={chosen}
          onClick={() => onChoose(problem, line)}
        >
          {content}
        </UnstyledButton>
      ) : (
        <div className={classes.problem}>{content}</div>
      )}
      {problem.path.length > 0 && (
        <p className={classes.path}>
          {t(gravity === 'problem' ? 'definitions.report.path' : 'definitions.report.route')}{' '}
          {problem.path.map(({ event }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an event can occur more than once on a path
            <span key={index} className={classes.pathStep}>
              {index + 1}. {event}
            </span>
          ))}
        </p>
      )}
    </>
  );
}
