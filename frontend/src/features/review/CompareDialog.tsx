// This document beside that of another case, with the different values marked.
import { Checkbox, Group, Modal, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useCaseEvents } from '../../graphql/live';
import { labelIn } from '../../lib/field-labels';
import { statusLabel } from '../../lib/labels';
import { shownText, valueText } from '../../lib/value-text';
import type { PageScan } from '../../ui/PageImage';
import { PlainPages } from '../../ui/pages/PlainPages';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState } from '../../ui/states';
import { Timestamp } from '../../ui/values';
import { ComparedCase, NamedCase } from './compare.graphql';
import { comparedValues, hasValues } from './compared';
import classes from './review.module.css';
import type { Line, ReviewCase } from './review-facts';

/** The other case: its id if the user may open it, null if only the review lets them compare it. */
export interface OtherDocument {
  id: string | null;
  reference: string;
}

interface CompareDialogProps {
  reviewId: string;
  reviewCase: ReviewCase;
  /** The case to compare with; null while the dialog is closed. */
  other: OtherDocument | null;
  onClose: () => void;
}

export function CompareDialog({ reviewId, reviewCase, other, onClose }: CompareDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={other !== null}
      onClose={onClose}
      size="100%"
      yOffset="1dvh"
      title={t('review.compare.title', {
        mine: reviewCase.reference,
        theirs: other?.reference ?? '',
      })}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
    >
      {other &&
        (other.id ? (
          <ReadableCase reviewCase={reviewCase} id={other.id} />
        ) : (
          <CaseOfFinding reviewId={reviewId} reviewCase={reviewCase} reference={other.reference} />
        ))}
    </Modal>
  );
}

/** A case that the user may open otherwise, too. */
function ReadableCase({ reviewCase, id }: { reviewCase: ReviewCase; id: string }) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: ComparedCase,
    variables: { id, mine: reviewCase.id },
    requestPolicy: 'network-only',
  });
  const reload = () => refetch({ requestPolicy: 'network-only' });
  // The other document may still be being read.
  useCaseEvents(data?.case?.id ?? null, data?.case?.cursor, reload);
  if (error && !data) return <ErrorState error={error} onRetry={reload} />;
  if (!data) return <LoadingState lines={8} />;
  const other = data.case;
  if (!other) return <EmptyState icon="search" title={t('review.compare.none')} />;
  return (
    <SideBySide
      reviewCase={reviewCase}
      reference={other.reference}
      heading={
        <>
          <Link to="/cases/$id" params={{ id: other.reference }}>
            {other.reference}
          </Link>{' '}
          {statusLabel(t, other.status, true)}
        </>
      }
      form={other.fieldForm}
      identical={other.document?.sha256 === data.mine?.document?.sha256}
      pages={other.document?.pages ?? []}
    />
  );
}

/** A case that the user may compare only because a finding of their review names it. */
function CaseOfFinding({
  reviewId,
  reviewCase,
  reference,
}: {
  reviewId: string;
  reviewCase: ReviewCase;
  reference: string;
}) {
  const { t } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: NamedCase,
    variables: { reviewId, reference },
    requestPolicy: 'network-only',
  });
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data) return <LoadingState lines={8} />;
  const other = data.comparison?.other;
  if (!other) {
    const refusal = data.comparison?.refusal ?? 'NOT_NAMED';
    return <EmptyState icon="search" title={t(`review.compare.${refusal}`, { reference })} />;
  }
  const { status, decidedAt, decidedBy } = other;
  const form = other.fields.map(({ name, labels, ...field }) => ({ name, labels, field }));
  return (
    <SideBySide
      reviewCase={reviewCase}
      reference={reference}
      heading={
        <>
          {reference} {statusLabel(t, status, true)}
          {decidedAt && (
            <Text size="xs" fw={400}>
              {t('review.compare.decidedBy', {
                names: decidedBy.map(({ name }) => name).join(t('caseLabels.next.comma')),
              })}{' '}
              <Timestamp iso={decidedAt} as="moment" />
            </Text>
          )}
        </>
      }
      form={form}
      identical={null}
      pages={other.pages}
    />
  );
}

type ComparedLine = Pick<Line, 'name' | 'labels'> & {
  field: { raw: string; normalised: string } | null;
};

/** The values of both documents in a table, the different ones marked, and their pages. */
function SideBySide({
  reviewCase,
  reference,
  heading,
  form,
  identical,
  pages,
}: {
  reviewCase: ReviewCase;
  reference: string;
  heading: ReactNode;
  form: readonly ComparedLine[];
  /** Whether both files are the same; null if that is not known. */
  identical: boolean | null;
  pages: readonly PageScan[];
}) {
  const { t, i18n } = useTranslation();
  const lines: ComparedLine[] = [...reviewCase.fieldForm, ...form];
  const nameOf = (name: string) => {
    const line = lines.find((one) => one.name === name);
    return line ? labelIn(i18n.language, line) : name;
  };
  const textOf = (name: string, value: string) => {
    const type = reviewCase.fieldForm.find((line) => line.name === name)?.type;
    return type
      ? shownText(type, value, i18n.language, name)
      : valueText(name, value, i18n.language);
  };
  const values = comparedValues(reviewCase.fieldForm, form);
  const mineUnread = hasValues(reviewCase.fieldForm) ? null : reviewCase.reference;
  const unread = hasValues(form) ? mineUnread : reference;
  const differing = values.filter(({ different }) => different);
  const [onlyDiffering, setOnlyDiffering] = useState(true);
  const shown = onlyDiffering && differing.length > 0 ? differing : values;
  return (
    <div className={classes.comparison}>
      <Group gap="md" role="status">
        <Text fw={600}>
          {identical !== null &&
            `${t(identical ? 'review.compare.sameFile' : 'review.compare.otherFile')} `}
          {unread
            ? t('review.compare.unread', { reference: unread })
            : t('review.compare.count', { count: values.length, differing: differing.length })}
        </Text>
        {differing.length > 0 && (
          <Checkbox
            label={t('review.compare.onlyDiffering')}
            checked={onlyDiffering}
            onChange={(event) => setOnlyDiffering(event.currentTarget.checked)}
          />
        )}
      </Group>
      <table className="cs-table">
        <thead>
          <tr>
            <th>{t('review.compare.field')}</th>
            <th>{t('review.compare.mine', { reference: reviewCase.reference })}</th>
            <th>{heading}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, mine, theirs, different }) => (
            <tr key={name} data-different={different || undefined}>
              <td>
                {nameOf(name)}{' '}
                {different && (
                  <Badge tone="warn" icon="alert">
                    {t('review.compare.different')}
                  </Badge>
                )}
              </td>
              <td>{textOf(name, mine) || '–'}</td>
              <td>{textOf(name, theirs) || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={classes.compared}>
        <PlainPages
          pages={reviewCase.document?.pages ?? []}
          label={t('review.compare.pages', { reference: reviewCase.reference })}
        />
        <PlainPages pages={pages} label={t('review.compare.pages', { reference })} />
      </div>
    </div>
  );
}
