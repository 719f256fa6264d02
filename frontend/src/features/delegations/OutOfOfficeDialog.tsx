// Sets an absence and the substitute who receives the work.
import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../graphql/command';
import type { AbsenceLineFragment } from '../../graphql/generated/graphql';
import { useRefused } from '../../lib/use-stale';
import { FormDialog } from '../../ui/FormDialog';
import { DateRangeFields, useDateRange } from './DateRange';
import { type PersonOption, personOptions } from './DelegationDialog';
import { SetOutOfOffice } from './delegations.graphql';

interface OutOfOfficeDialogProps {
  /** The people to choose from; null is the current user. */
  people: readonly PersonOption[] | null;
  colleagues: readonly PersonOption[];
  onDone: (absence: AbsenceLineFragment, uncoveredReviews: number, waits: boolean) => void;
  /** Another person was first: the page reads the lists. */
  onRefused: () => void;
  onClose: () => void;
}

export function OutOfOfficeDialog(props: OutOfOfficeDialogProps) {
  const { people, colleagues, onDone, onRefused, onClose } = props;
  const { t } = useTranslation();
  const [personId, setPerson] = useState<string | null>(null);
  const [substituteId, setSubstitute] = useState<string | null>(null);
  const range = useDateRange();
  const command = useCommand(SetOutOfOffice, (data) => data.setOutOfOffice);
  useRefused(command.refusals, onRefused);
  const disabledReason =
    people && !personId
      ? t('delegations.outOfOffice.personFirst')
      : range.range
        ? null
        : t('delegations.daysFirst');
  const send = async () => {
    if (!range.range) return;
    const payload = await command.run({
      personId,
      substituteId,
      validFrom: range.range.from,
      validUntil: range.range.until,
      reason: range.reason.trim() || null,
    });
    if (payload?.absence)
      onDone(payload.absence, payload.reviewsWithoutReviewer ?? 0, payload.proposal !== null);
  };
  return (
    <FormDialog
      title={people ? t('delegations.outOfOffice.titleOther') : t('delegations.outOfOffice.title')}
      disabledReason={disabledReason}
      busy={command.busy}
      refusals={command.refusals}
      error={command.error}
      confirmLabel={t('delegations.outOfOffice.confirm')}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('delegations.outOfOffice.text')}</Text>
      {people && (
        <Select
          required
          searchable
          label={t('delegations.outOfOffice.person')}
          value={personId}
          onChange={setPerson}
          data={personOptions(people)}
        />
      )}
      <Select
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('delegations.outOfOffice.noSubstitute') }}
        label={t('delegations.outOfOffice.substitute')}
        description={t('delegations.outOfOffice.substituteHint')}
        placeholder={t('delegations.outOfOffice.noSubstitute')}
        nothingFoundMessage={t('delegations.noMatches')}
        value={substituteId}
        onChange={setSubstitute}
        data={personOptions(colleagues.filter(({ id }) => id !== personId))}
      />
      <DateRangeFields form={range} reasonExample={t('delegations.outOfOffice.example')} />
    </FormDialog>
  );
}
