// The owners of a process, the changes that wait for them, and the form to propose other owners.
import { MultiSelect, NumberInput, Text, Textarea, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCommand } from '../../graphql/command';
import { ProposeProcessOwnersInput } from '../../graphql/generated/bounds';
import type { OwnersOfProcessQuery } from '../../graphql/generated/graphql';
import { ButtonWithReason } from '../../ui/buttons';
import { FormDialog } from '../../ui/FormDialog';
import { ErrorState } from '../../ui/states';
import { PersonName, Timestamp } from '../../ui/values';
import classes from './definitions.module.css';
import { OwnerReviews } from './OwnerReviews';
import { OwnerCandidates, OwnersOfProcess, ProposeProcessOwners } from './owners.graphql';

type Present = OwnersOfProcessQuery['processOwners'];

export function Owners({ process, mayPropose }: { process: string; mayPropose: boolean }) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: OwnersOfProcess,
    variables: { process },
    requestPolicy: 'cache-and-network',
  });
  const [changing, setChanging] = useState(false);
  const reload = () => refetch({ requestPolicy: 'network-only' });
  const present = data?.processOwners;
  if (!present) return error ? <ErrorState error={error} onRetry={reload} /> : null;
  return (
    <section className="cs-card" aria-labelledby="owners">
      <Title order={2} id="owners" mb="xs">
        {t('owners.title')}
      </Title>
      {present.owners.length === 0 ? (
        <Text c="dimmed">{t('owners.none')}</Text>
      ) : (
        <>
          <ul className={classes.opinions}>
            {present.owners.map((owner) => (
              <li key={owner.id}>
                <PersonName person={owner} />
              </li>
            ))}
          </ul>
          <Text size="sm">{t('owners.rule', { count: present.required })}</Text>
        </>
      )}
      {present.changes.map((change) => (
        <div key={change.id} className={classes.owners}>
          <Text size="sm" fw={600}>
            {change.kind === 'PROCESS_OWNERS'
              ? t('owners.change', { after: change.after || t('owners.noOwners') })
              : t('owners.move', { after: change.after })}
          </Text>
          <Text size="sm">{change.reason}</Text>
          <Text size="xs" c="dimmed">
            <PersonName person={change.proposedBy} /> ·{' '}
            <Timestamp iso={change.proposedAt} as="moment" />
          </Text>
          <OwnerReviews
            proposalId={change.id}
            sha256={change.sha256}
            reviews={change.ownerReviews}
            onChanged={reload}
          />
        </div>
      ))}
      {mayPropose && (
        <ButtonWithReason
          disabledReason={null}
          variant="default"
          mt="sm"
          onClick={() => setChanging(true)}
        >
          {t('owners.set')}
        </ButtonWithReason>
      )}
      {changing && (
        <ChangeDialog
          process={process}
          present={present}
          onClose={() => setChanging(false)}
          onProposed={reload}
        />
      )}
    </section>
  );
}

/** As on the server. */
const maxOwners = 20;

interface ChangeDialogProps {
  process: string;
  present: Present;
  onClose: () => void;
  onProposed: () => void;
}

function ChangeDialog({ process, present, onClose, onProposed }: ChangeDialogProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({ query: OwnerCandidates });
  const command = useCommand(ProposeProcessOwners, (answer) => answer.proposeProcessOwners);
  const [owners, setOwners] = useState(present.owners.map(({ id }) => id));
  const [required, setRequired] = useState(Math.max(1, present.required));
  const [reason, setReason] = useState('');
  const send = async () => {
    const input = {
      process,
      ownerIds: owners,
      required: owners.length === 0 ? 0 : required,
      reason,
    };
    if (!(await command.run(input))) return;
    onProposed();
    onClose();
  };
  return (
    <FormDialog
      title={t('owners.set')}
      disabledReason={reason.trim() === '' ? t('ui.reasonNeeded') : null}
      busy={command.busy}
      confirmLabel={t('owners.propose')}
      refusals={command.refusals}
      error={command.error}
      onSend={() => void send()}
      onClose={onClose}
    >
      <Text size="sm">{t('owners.setText')}</Text>
      <MultiSelect
        label={t('owners.people')}
        searchable
        data={(data?.people ?? [])
          .filter(({ id, disabled }) => !disabled || owners.includes(id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        maxValues={maxOwners}
        value={owners}
        onChange={setOwners}
      />
      <NumberInput
        label={t('owners.required')}
        min={1}
        max={Math.max(1, owners.length)}
        value={required}
        onChange={(value) => setRequired(Number(value) || 1)}
      />
      <Textarea
        label={t('owners.reason')}
        required
        maxLength={ProposeProcessOwnersInput.reason}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
