// The audit trail as a timeline, with expandable evidence for each event.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useRuleTitles } from '../../graphql/use-rule-titles';
import { eventMessage } from '../../lib/event-labels';
import { exactTimeText } from '../../lib/format';
import { fieldLabel } from '../../lib/labels';
import { valueText } from '../../lib/value-text';
import { Icon, type IconName } from '../../ui/Icon';
import { ReferencedText } from '../../ui/ReferencedText';
import { Badge, type Tone } from '../../ui/StatusBadge';
import classes from './audit.module.css';
import {
  confirmation,
  correctedValues,
  type Entry,
  formatBody,
  groupViews,
  type Line,
  type LineKind,
  lineKindOf,
} from './lines';

const appearance: Record<LineKind, [Tone, IconName]> = {
  events: ['busy', 'file'],
  accesses: ['calm', 'eye'],
  refusals: ['bad', 'refused'],
};

export function Trail({
  lines,
  about,
}: {
  lines: readonly Line[];
  /** Shows what the line with the index is about, where the lines are of several cases. */
  about?: (index: number) => ReactNode;
}) {
  const { t } = useTranslation();
  // Views of several cases are not grouped.
  const entries = about
    ? lines.map((line) => ({ line, count: 1, requests: 1, until: line.at }))
    : groupViews(lines);
  return (
    <ol className={`cs-card ${classes.trail}`} aria-label={t('audit.trail')}>
      {entries.map((entry, index) => (
        <TrailLine
          key={`${entry.line.at} ${entry.line.hash ?? entry.line.seq ?? index}`}
          entry={entry}
          about={about?.(index)}
        />
      ))}
    </ol>
  );
}

function TrailLine({ entry, about }: { entry: Entry; about?: ReactNode }) {
  const { t, i18n } = useTranslation();
  const { line, count, requests, until } = entry;
  const kind = lineKindOf(line);
  const [tone, icon] = appearance[kind];
  return (
    <li className={classes.line} data-sort={kind}>
      <span>
        <Badge tone={tone} icon={icon}>
          {line.seq === null ? t(`audit.one.${kind}`) : t('audit.number', { seq: line.seq })}
        </Badge>
      </span>
      <div className={classes.entry}>
        {about}
        <Text size="sm" {...(requests > 1 && { title: t('audit.requests', { count: requests }) })}>
          <ReferencedText text={useLineText(line)} />
          {count > 1 && ` (${t('audit.times', { count })})`}
        </Text>
        <Corrections line={line} />
        <Text size="xs" c="dimmed" component="div">
          <time dateTime={line.at}>{exactTimeText(line.at, i18n.language)}</time>
          {count > 1 && (
            <>
              {' – '}
              <time dateTime={until}>{exactTimeText(until, i18n.language)}</time>
            </>
          )}{' '}
          ·{' '}
          <span>
            {line.actor && line.type !== begins ? line.actor.name : t('ui.automatic')}
            {line.onBehalfOf && ` (${t('audit.actsFor', { name: line.onBehalfOf.name })})`}
          </span>
        </Text>
        {line.kind === 'EVENT' && <Evidence line={line} />}
      </div>
    </li>
  );
}

/** A step of a program. It is recorded with the person whose command began it, and they did not do it. */
const begins = 'stage.started';

/** The values before and after a correction; of a confirmed value the one value. */
function Corrections({ line }: { line: Line }) {
  const { t, i18n } = useTranslation();
  const values = correctedValues(line);
  if (values.length === 0) return null;
  return (
    <ul className={classes.corrections}>
      {values.map(({ name, before, after }) => (
        <li key={`${name} ${before} ${after}`}>
          {fieldLabel(t, name)}:{' '}
          {before !== after && (
            <>
              <del>{valueText(name, before, i18n.language) || t('audit.noValue')}</del> →{' '}
            </>
          )}
          <ins>{valueText(name, after, i18n.language) || t('audit.noValue')}</ins>
        </li>
      ))}
    </ul>
  );
}

const actions = [
  'read',
  'open',
  'claim',
  'release',
  'correct',
  'enter',
  'decide',
  'escalate',
  'reassign',
  'retry',
  'abandon',
  'replace',
  'resubmit',
  'verify',
] as const;

const objects = ['case', 'review', 'chain', 'result', 'audit_trail'] as const;

/** The text of a line: events by their own message, accesses by their action and object. */
function useLineText(line: Line): string {
  const { t, i18n } = useTranslation();
  const titles = useRuleTitles(i18n.language);
  if (line.kind === 'EVENT')
    return eventMessage(t, i18n.language, line, { ruleTitle: (rule) => titles.get(rule) });
  const known = actions.find((action) => action === line.type);
  const action = known ? t(`audit.action.${known}`) : line.type;
  const object = objects.find((one) => one === line.object?.replace(' ', '_'));
  const actionText = line.object
    ? `${action}${object ? t(`audit.object.${object}`) : ` (${line.object})`}`
    : action;
  if (!line.code) return actionText;
  if (line.code === confirmation) return t('audit.asked', { what: actionText });
  const because = t(`refusals.${line.code}` as 'refusals.Busy', { defaultValue: line.code });
  return t('audit.refused', { what: actionText, because });
}

function Evidence({ line }: { line: Line }) {
  const { t } = useTranslation();
  return (
    <details className={classes.evidence}>
      <summary>
        <Icon name="right" size={13} />
        {t('audit.evidence')} <span className="cs-mono">{line.type}</span>
        {line.hash && (
          <span className={`cs-mono ${classes.short}`} title={line.hash}>
            {line.hash.slice(0, 12)}…
          </span>
        )}
      </summary>
      {line.hash && (
        <Text size="xs" component="div">
          {t('audit.hash')} <span className={`cs-mono ${classes.hash}`}>{line.hash}</span>
        </Text>
      )}
      {line.body === null ? (
        <Text size="xs" c="dimmed">
          {t('audit.erased')}
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable
        <section className={classes.body} tabIndex={0} aria-label={t('audit.body')}>
          {formatBody(line.body)}
        </section>
      )}
    </details>
  );
}
