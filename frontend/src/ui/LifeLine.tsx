// The stations of a document, as a line of dots: what is done, what is under way, what is to come.
import { useTranslation } from 'react-i18next';
import type { Life } from '../lib/document-life';
import { Icon } from './Icon';
import classes from './LifeLine.module.css';

const stations = [
  'uploaded',
  'read',
  'extract',
  'validate',
  'assess',
  'review',
  'archived',
] as const;

type Mark = 'done' | 'now' | 'trouble' | 'todo' | 'off';

function markOf(station: (typeof stations)[number], life: Life): Mark {
  const { state, stage, done } = life;
  if (station === 'uploaded') return 'done';
  if (station === 'archived')
    return state === 'archived' ? 'done' : stage === 'archive' ? 'now' : 'todo';
  if (station === 'review') {
    if (state === 'in_review') return 'now';
    if (state === 'returned') return 'trouble';
    return ['approved', 'settling', 'archived', 'rejected'].includes(state) ? 'done' : 'todo';
  }
  if (done.includes(station) && !(stage === station)) return 'done';
  if (stage === station) return life.retrying || life.repairing ? 'trouble' : 'now';
  const earlier = stations.slice(1, stations.indexOf(station));
  const next = earlier.every((other) => done.includes(other));
  if (state === 'incident' && next) return 'trouble';
  if (['in_review', 'returned', 'approved', 'settling', 'archived', 'rejected'].includes(state))
    return 'done';
  return next && (state === 'received' || state === 'processing') ? 'now' : 'todo';
}

/** `life` as lifeOf tells it. */
export function LifeLine({ life }: { life: Life }) {
  const { t } = useTranslation();
  const over = life.state === 'abandoned' || life.state === 'rejected';
  return (
    <ol className={classes.line} data-over={over || undefined}>
      {stations.map((station) => {
        const mark = markOf(station, life);
        return (
          <li
            key={station}
            className={classes.station}
            data-mark={mark}
            aria-current={mark === 'now' ? 'step' : undefined}
          >
            <span className={classes.dot}>
              {mark === 'done' && <Icon name="check" size={11} />}
              {mark === 'trouble' && <Icon name="alert" size={11} />}
              {mark === 'now' && <Icon name="spin" size={11} spin />}
            </span>
            <span className={classes.word}>
              {station === 'review' && life.automatic
                ? t('life.steps.automatic')
                : t(`life.steps.${station}`)}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
