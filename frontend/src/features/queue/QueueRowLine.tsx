// One review of the queue, as a row or as a card on narrow screens.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CombinedError } from 'urql';
import { queueLabel } from '../../lib/labels';
import type { Refusal } from '../../lib/refusals';
import { stepName } from '../../lib/step-name';
import { CaseAmount, DifferingFields } from '../../ui/CaseAmount';
import { counterpartyText, rowName, UncertainFile, UncertainMark } from '../../ui/Counterparty';
import { DocumentTypeName } from '../../ui/DocumentTypeName';
import { MissingFacts } from '../../ui/MissingFacts';
import { Badge } from '../../ui/StatusBadge';
import { RefusalAlert } from '../../ui/states';
import { ReviewDeadline } from '../../ui/values';
import classes from './queue.module.css';
import type { Left, Row, ShownRow } from './rows';
import { SkippedRow } from './Skipped';

interface LineProps {
  shown: ShownRow;
  /** The id of the current user; null while unknown. */
  me: string | null;
  busy: boolean;
  result: { refusals: readonly Refusal[]; error: CombinedError | null } | null;
  onClaim: (row: Row) => void;
  onDismiss: () => void;
  chosen: boolean;
  /** `range`: selects all rows from the last one to this one. */
  onChoose: (id: string, range: boolean) => void;
}

/** What excludes a review from bulk approval. */
const outsideNames = ['amount', 'risk', 'missing', 'finding', 'signature', 'not_allowed'] as const;

/** The column headings; each cell repeats its own heading for screen readers. */
export function Columns() {
  const { t } = useTranslation();
  return (
    <div className={classes.columns} aria-hidden="true">
      <span />
      <span>{t('queue.columns.due')}</span>
      <span>{t('queue.columns.document')}</span>
      <span data-number="">{t('queue.columns.amount')}</span>
      <span>{t('queue.columns.risk')}</span>
      <span>{t('queue.columns.queue')}</span>
      <span>{t('queue.columns.state')}</span>
      <span />
    </div>
  );
}

export const QueueRowLine = memo(function QueueRowLine({
  shown,
  me,
  busy,
  result,
  onClaim,
  onDismiss,
  chosen,
  onChoose,
}: LineProps) {
  const { t, i18n } = useTranslation();
  const { row, left } = shown;
  // A review that another user has just claimed stays clickable; the click explains who has it.
  const actionable = left === null || (left.status === 'CLAIMED' && left.assignee?.id !== me);
  const rowCase = row.case;
  const fileName = rowCase?.document?.fileName;
  const vendor = rowName(rowCase?.counterparty ?? '', fileName) || t('queue.noVendor');
  return (
    <div className={classes.row} data-left={left ? '' : undefined}>
      <div>
        {left === null && (
          <input
            type="checkbox"
            aria-label={t('queue.bulk.choose', { reference: rowCase?.reference ?? '' })}
            checked={chosen}
            onChange={({ nativeEvent }) =>
              onChoose(row.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        )}
      </div>
      <div className={classes.due}>
        <Due row={row} />
      </div>
      <div className={classes.document}>
        <div className={classes.vendor}>
          <Link
            to="/reviews/$id"
            params={{ id: row.id }}
            className={classes.name}
            title={vendor}
            // Several rows may have the same vendor.
            aria-label={`${counterpartyText(t, rowCase) || vendor} ${rowCase?.reference ?? ''}`}
            data-review={row.id}
          >
            {vendor}
          </Link>
          <UncertainMark of={rowCase} />
        </div>
        <div className="cs-secondary">
          {rowCase?.reference} · <DocumentTypeName type={rowCase?.documentType ?? ''} /> ·{' '}
          <span data-step>{stepName(i18n.language, row)}</span>
        </div>
        {rowCase && <UncertainFile of={rowCase} fileName={fileName} />}
        <DifferingFields names={rowCase?.differingFields} />
        <MissingFacts facts={rowCase?.missing} />
      </div>
      <div className={classes.amount}>
        <span className="cs-visually-hidden">{t('queue.columns.amount')}: </span>
        <CaseAmount amounts={rowCase} stacked />
      </div>
      <div className={classes.risk}>
        <Risk points={rowCase?.risk ?? null} assessed={rowCase?.assessed ?? true} />
      </div>
      <div className={classes.queue}>
        <span className="cs-visually-hidden">{t('queue.columns.queue')}: </span>
        {queueLabel(t, row.queue)}
      </div>
      <div className={classes.state}>
        {left ? <DepartedBadge left={left} me={me} /> : <AssignmentBadge row={row} />}
        {left === null && <Votes committee={row.committee} />}
        {left === null && <NotInBulk row={row} />}
        <SkippedRow id={row.id} reference={rowCase?.reference ?? ''} />
      </div>
      <div className={classes.action}>
        {actionable && <RowAction row={row} busy={busy} onClaim={onClaim} />}
      </div>
      {result && (
        <div className={classes.answer}>
          <RefusalAlert refusals={result.refusals} error={result.error} />
          <Button size="xs" variant="subtle" onClick={onDismiss}>
            {t('queue.dismiss')}
          </Button>
        </div>
      )}
    </div>
  );
});

/** How many votes of the committee are missing. Of hidden votes it says how many approvals are needed. */
function Votes({ committee }: { committee: Row['committee'] | undefined }) {
  const { t } = useTranslation();
  if (!committee) return null;
  const { decideBy, seats, quorum, cast } = committee;
  const approvals = decideBy === 'first_rejection' ? cast : committee.approvals;
  const needed =
    decideBy === 'majority' || decideBy === 'unanimous'
      ? t('queue.votes.missing', { count: Math.max(quorum - cast, 0) })
      : approvals === null
        ? t('queue.votes.needed', { count: quorum })
        : t('queue.votes.approvals', { count: Math.max(quorum - approvals, 0) });
  return (
    <div className="cs-secondary" data-votes>
      {t('queue.votes.cast', { cast, seats })} {needed}
    </div>
  );
}

/** Says before a selection that the review cannot be approved in bulk, and why. */
function NotInBulk({ row }: { row: Row }) {
  const { t } = useTranslation();
  const outside = outsideNames.find((name) => name === row.bulkApproval?.outside);
  if (!outside || row.bulkApproval?.within) return null;
  return <div className="cs-secondary">{t(`queue.bulk.individually.${outside}`)}</div>;
}

function Due({ row }: { row: Row }) {
  const { t } = useTranslation();
  return (
    <>
      <span className="cs-visually-hidden">{t('queue.columns.due')}: </span>
      {row.claimBy || row.decideBy || row.endsAt ? (
        <ReviewDeadline review={row} />
      ) : (
        t('queue.noDue')
      )}
      {row.overdue && (
        <Badge tone="bad" icon="clock">
          {t('queue.overdue')}
        </Badge>
      )}
      {row.atRisk && (
        <Badge tone="warn" icon="clock">
          {t('queue.atRisk')}
        </Badge>
      )}
    </>
  );
}

function Risk({ points, assessed }: { points: number | null; assessed: boolean }) {
  const { t } = useTranslation();
  if (points !== null && !assessed)
    return <span className="cs-secondary">{t('caseLabels.notAssessed')}</span>;
  if (points === null) return <span className="cs-visually-hidden">{t('queue.riskUnknown')}</span>;
  return (
    <Badge tone={points >= 60 ? 'bad' : points >= 30 ? 'warn' : 'calm'}>
      {t('queue.riskOf', { points })}
    </Badge>
  );
}

function AssignmentBadge({ row }: { row: Row }) {
  const { t } = useTranslation();
  const mine = row.assignee !== null && row.assignee !== undefined;
  if (row.status === 'CLAIMED') {
    return (
      <Badge tone="busy" icon="person">
        {t('queue.yours')}
      </Badge>
    );
  }
  return mine ? (
    <Badge tone="busy" icon="inbox">
      {t(row.drawn ? 'queue.drawn' : 'queue.assigned')}
    </Badge>
  ) : (
    <Badge tone="calm">{t('queue.free')}</Badge>
  );
}

function DepartedBadge({ left, me }: { left: Left; me: string | null }) {
  const { t } = useTranslation();
  const assignee = left.status === 'CLAIMED' || left.status === 'OPEN' ? left.assignee : null;
  if (assignee && assignee.id !== me) {
    return (
      <Badge tone="warn" icon="person">
        <span className={classes.assignee} title={assignee.name}>
          {t('queue.tookIt', { name: assignee.name })}
        </span>
      </Badge>
    );
  }
  const labelKey =
    left.status === 'DECIDED' ? 'decided' : left.status === 'CANCELLED' ? 'notNeeded' : 'left';
  return <Badge tone="calm">{t(`queue.${labelKey}`)}</Badge>;
}

function RowAction({
  row,
  busy,
  onClaim,
}: {
  row: Row;
  busy: boolean;
  onClaim: (row: Row) => void;
}) {
  const { t } = useTranslation();
  const reference = row.case?.reference ?? '';
  if (row.status === 'OPEN') {
    return (
      <Button
        size="xs"
        variant="light"
        loading={busy}
        onClick={() => onClaim(row)}
        aria-label={t('queue.claimWhat', { reference })}
      >
        {t('queue.claim')}
      </Button>
    );
  }
  return (
    <Button
      size="xs"
      variant="default"
      renderRoot={(props) => <Link {...props} to="/reviews/$id" params={{ id: row.id }} />}
      aria-label={t('queue.openWhat', { reference })}
    >
      {t('queue.open')}
    </Button>
  );
}
