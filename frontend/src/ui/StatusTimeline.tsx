// The steps of a document as a line of dots: completed, current and upcoming.
import { useTranslation } from 'react-i18next';
import type { DocumentStatus } from '../lib/document-status';
import { type Mark, shortLine } from '../lib/life-line';
import { Icon } from './Icon';
import classes from './StatusTimeline.module.css';

export interface TimelineStep {
  id: string;
  label: string;
  mark: Mark;
}

interface StepLineProps {
  steps: readonly TimelineStep[];
  over?: boolean;
  /** The user submitted the document. */
  mine?: boolean;
  /** The present step is work of a person, who may not have begun. */
  waits?: boolean;
}

export function StepLine({ steps, over, mine = false, waits = false }: StepLineProps) {
  const { t } = useTranslation();
  const markText = (mark: Exclude<Mark, 'todo'>) =>
    t(`caseLabels.steps.${mark === 'asked' && mine ? 'askedMine' : mark}`);
  return (
    <ol
      className={classes.line}
      data-over={over || undefined}
      aria-label={t('caseLabels.steps.title')}
    >
      {steps.map(({ id, label, mark }) => (
        <li
          key={id}
          className={classes.step}
          data-mark={mark}
          aria-current={mark === 'now' ? 'step' : undefined}
        >
          <span className={classes.dot}>
            {mark === 'done' && <Icon name="check" size={11} />}
            {mark === 'trouble' && <Icon name="alert" size={11} />}
            {mark === 'asked' && <Icon name="pen" size={11} />}
            {/* What waits for a person does not turn. */}
            {mark === 'now' && <Icon name={waits ? 'clock' : 'spin'} size={11} spin={!waits} />}
          </span>
          <span className={classes.label}>{label}</span>
          {mark !== 'todo' && <span className="cs-visually-hidden">{markText(mark)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** The line that submitters may see. `status` is the result of documentStatusOf. */
export function StatusTimeline({ status, mine }: { status: DocumentStatus; mine: boolean }) {
  const { t } = useTranslation();
  const steps = shortLine(status).map(({ step, mark }) => ({
    id: step,
    mark,
    label: t(`caseLabels.steps.${step === 'review' && status.automatic ? 'automatic' : step}`),
  }));
  return (
    <StepLine
      steps={steps}
      mine={mine}
      over={status.state === 'abandoned' || status.state === 'rejected'}
      waits={status.state === 'in_review'}
    />
  );
}
