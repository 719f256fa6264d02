// The choice of the new reviewer: the least-loaded eligible one, or one of the candidates.
import { Radio, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RefusalAlert } from '../states';
import classes from './reassign.module.css';

/** The choice of the least-loaded eligible reviewer of each review. */
export const leastLoaded = '';

interface Candidate {
  person: { id: string; name: string; openReviews: number | null };
  /** The number of checked reviews that the person is eligible for. */
  eligibleFor: number;
}

interface ReassignToProps {
  candidates: {
    list: readonly Candidate[];
    checked: number;
    done: boolean;
    error: Parameters<typeof RefusalAlert>[0]['error'];
  };
  /** The number of reviews. */
  asked: number;
  to: string;
  onTo: (to: string) => void;
}

export function ReassignTo({ candidates, asked, to, onTo }: ReassignToProps) {
  const { t } = useTranslation();
  return (
    <>
      <RefusalAlert error={candidates.error} />
      <Radio.Group label={t('manage.dialog.to')} value={to} onChange={onTo}>
        <div className={classes.candidates}>
          <Radio
            value={leastLoaded}
            label={t('manage.dialog.least')}
            description={t('manage.dialog.leastHint')}
          />
          {candidates.list.map((candidate) => (
            <CandidateRadio
              key={candidate.person.id}
              candidate={candidate}
              checked={candidates.checked}
            />
          ))}
        </div>
      </Radio.Group>
      <Text size="sm" c="dimmed" role="status">
        {!candidates.done && t('manage.dialog.looking')}
        {candidates.done &&
          !candidates.error &&
          candidates.list.length === 0 &&
          t('manage.dialog.noneEligible')}
        {candidates.done &&
          candidates.checked < asked &&
          t('manage.dialog.sample', { count: candidates.checked })}
      </Text>
    </>
  );
}

function CandidateRadio({
  candidate: { person, eligibleFor },
  checked,
}: {
  candidate: Candidate;
  checked: number;
}) {
  const { t } = useTranslation();
  const load = t('manage.dialog.load', { count: person.openReviews ?? 0 });
  const eligibleShare =
    eligibleFor < checked ? t('manage.dialog.share', { may: eligibleFor, asked: checked }) : null;
  return (
    <Radio
      value={person.id}
      label={
        <span className="cs-lines2" title={person.name}>
          {person.name}
        </span>
      }
      description={eligibleShare ? `${load} · ${eligibleShare}` : load}
    />
  );
}
