// The events of a case, newest first. Stages are work of the system: their events show no person,
// although the log names the person whose command started the first of them.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseEventLine } from '../../graphql/live';
import { earlierFindings, eventMessage } from '../../lib/event-labels';
import { findingTitle } from '../../lib/labels';
import { Icon, type IconName } from '../../ui/Icon';
import { ReferencedText } from '../../ui/ReferencedText';
import { PersonName, Timestamp } from '../../ui/values';
import { Section } from './CaseSections';
import classes from './case.module.css';
import type { CaseData } from './IncidentPanel';

const collapsedLength = 12;

function iconOf(type: string): IconName {
  if (type.startsWith('incident.')) return 'alert';
  if (type.startsWith('review.')) return 'eye';
  if (type.startsWith('stage.')) return 'gear';
  if (type === 'case.approved' || type === 'case.archived') return 'done';
  if (type === 'case.rejected' || type === 'case.abandoned') return 'refused';
  if (type === 'fields.corrected') return 'pen';
  return 'file';
}

interface TimelineProps {
  events: readonly CaseEventLine[];
  findings: CaseData['findings'];
}

export function Timeline({ events, findings }: TimelineProps) {
  const { t, i18n } = useTranslation();
  const [expanded, setExpanded] = useState(false);
  const newest = [...events].reverse();
  const ruleTitle = (rule: string) => {
    const finding = findings.find((one) => one.rule === rule);
    return finding && findingTitle(i18n.language, finding);
  };
  return (
    <Section id="timeline" title={t('case.timeline.title')}>
      <ol className={classes.timeline} aria-live="polite" aria-relevant="additions">
        {/* Earlier events are hidden on the screen, and printed. */}
        {newest.map((event, index) => (
          <li
            key={event.seq}
            className={classes.event}
            data-earlier={(!expanded && index >= collapsedLength) || undefined}
          >
            <span className={classes.eventIcon}>
              <Icon name={iconOf(event.type)} size={14} />
            </span>
            <div style={{ minWidth: 0 }}>
              <Text size="sm" className={classes.eventText}>
                <ReferencedText
                  text={eventMessage(t, i18n.language, event, {
                    ruleTitle,
                    earlierFindings: earlierFindings(events, events.length - 1 - index),
                  })}
                />
              </Text>
              <Text size="xs" c="dimmed">
                {event.actor && !event.type.startsWith('stage.') && (
                  <>
                    <PersonName person={event.actor} />
                    {event.onBehalfOf &&
                      ` (${t('case.decisions.for', { name: event.onBehalfOf.name })})`}{' '}
                    ·{' '}
                  </>
                )}
                <Timestamp iso={event.at} as="moment" />
              </Text>
            </div>
          </li>
        ))}
      </ol>
      {!expanded && newest.length > collapsedLength && (
        <Button variant="default" size="compact-sm" onClick={() => setExpanded(true)}>
          {t('case.timeline.all', { count: newest.length })}
        </Button>
      )}
    </Section>
  );
}
