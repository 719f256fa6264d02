// Says that somebody will not be there, and who is given their work meanwhile.
import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { AbsenceLineFragment } from '../../graphql/generated/graphql';
import { FormDialog } from '../../ui/FormSheet';
import { SetAway } from './delegations.graphql';
import { type Named, options } from './LendSheet';
import { SpanFields, useSpan } from './Span';

interface AwaySheetProps {
  /** Who may be said to be away; null = oneself. */
  people: readonly Named[] | null;
  colleagues: readonly Named[];
  onDone: (away: AbsenceLineFragment, withNobody: number) => void;
  onClose: () => void;
}

export function AwaySheet({ people, colleagues, onDone, onClose }: AwaySheetProps) {
  const { t } = useTranslation();
  const [personId, setPerson] = useState<string | null>(null);
  const [substituteId, setSubstitute] = useState<string | null>(null);
  const days = useSpan();
  const command = useCommand(SetAway, (data) => data.setOutOfOffice);
  const why =
    people && !personId
      ? t('delegations.away.personFirst')
      : days.span
        ? null
        : t('delegations.daysFirst');
  const send = async () => {
    if (!days.span) return;
    const done = await command.run({
      personId,
      substituteId,
      validFrom: days.span.from,
      validUntil: days.span.until,
      reason: days.reason.trim() || null,
    });
    if (done?.absence) onDone(done.absence, done.withNobody ?? 0);
  };
  return (
    <FormDialog
      title={people ? t('delegations.away.titleOther') : t('delegations.away.title')}
      disabledReason={why}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('delegations.away.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('delegations.away.text')}</Text>
      {people && (
        <Select
          required
          searchable
          label={t('delegations.away.person')}
          value={personId}
          onChange={setPerson}
          data={options(people)}
        />
      )}
      <Select
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('delegations.away.nobody') }}
        label={t('delegations.away.substitute')}
        description={t('delegations.away.substituteHint')}
        placeholder={t('delegations.away.nobody')}
        nothingFoundMessage={t('delegations.nobodyFound')}
        value={substituteId}
        onChange={setSubstitute}
        data={options(colleagues.filter(({ id }) => id !== personId))}
      />
      <SpanFields of={days} reasonExample={t('delegations.away.example')} />
    </FormDialog>
  );
}
