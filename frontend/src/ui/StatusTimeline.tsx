// The steps of a document as a line of dots: completed, current and upcoming.
import { useTranslation } from 'react-i18next';
import type { DocumentStatus } from '../lib/document-status';
import { Icon } from './Icon';
import classes from './StatusTimeline.module.css';

const steps = ['uploaded', 'read', 'extract', 'validate', 'assess', 'review', 'archived'] as const;

type Mark = 'done' | 'now' | 'trouble' | 'todo' | 'off';

function markOf(step: (typeof steps)[number], status: DocumentStatus): Mark {
  const { state, stage, done } = status;
  if (step === 'uploaded') return 'done';
  if (step === 'archived')
    return state === 'archived' ? 'done' : stage === 'archive' ? 'now' : 'todo';
  if (step === 'review') {
    if (state === 'in_review') return 'now';
    if (state === 'returned') return 'trouble';
    return ['approved', 'settling', 'archived', 'rejected'].includes(state) ? 'done' : 'todo';
  }
  if (done.includes(step) && !(stage === step)) return 'done';
  if (stage === step) return status.retrying || status.repairing ? 'trouble' : 'now';
  const earlier = steps.slice(1, steps.indexOf(step));
  const next = earlier.every((other) => done.includes(other));
  if (state === 'incident' && next) return 'trouble';
  if (['in_review', 'returned', 'approved', 'settling', 'archived', 'rejected'].includes(state))
    return 'done';
  return next && (state === 'received' || state === 'processing') ? 'now' : 'todo';
}

/** `status` is the result of documentStatusOf. */
export function StatusTimeline({ status }: { status: DocumentStatus }) {
  const { t } = useTranslation();
  const ended = status.state === 'abandoned' || status.state === 'rejected';
  return (
    <ol className={classes.line} data-over={ended || undefined}>
      {steps.map((step) => {
        const mark = markOf(step, status);
        return (
          <li
            key={step}
            className={classes.step}
            data-mark={mark}
            aria-current={mark === 'now' ? 'step' : undefined}
          >
            <span className={classes.dot}>
              {mark === 'done' && <Icon name="check" size={11} />}
              {mark === 'trouble' && <Icon name="alert" size={11} />}
              {mark === 'now' && <Icon name="spin" size={11} spin />}
            </span>
            <span className={classes.label}>
              {step === 'review' && status.automatic
                ? t('caseLabels.steps.automatic')
                : t(`caseLabels.steps.${step}`)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
