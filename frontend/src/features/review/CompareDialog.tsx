// This document beside that of another case, with the different values marked.
import { Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { labelIn } from '../../lib/field-labels';
import { statusLabel } from '../../lib/labels';
import { PlainPages } from '../../ui/pages/PlainPages';
import { Badge } from '../../ui/StatusBadge';
import { EmptyState, ErrorState, LoadingState } from '../../ui/states';
import { ComparedCase } from './compare.graphql';
import { comparedValues } from './compared';
import classes from './review.module.css';
import type { ReviewCase } from './review-facts';

interface CompareDialogProps {
  reviewCase: ReviewCase;
  /** The case to compare with; null while the dialog is closed. */
  other: { id: string; reference: string } | null;
  onClose: () => void;
}

export function CompareDialog({ reviewCase, other, onClose }: CompareDialogProps) {
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
      {other && <Comparison reviewCase={reviewCase} id={other.id} />}
    </Modal>
  );
}

function Comparison({ reviewCase, id }: { reviewCase: ReviewCase; id: string }) {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: ComparedCase,
    variables: { id },
    requestPolicy: 'network-only',
  });
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data) return <LoadingState lines={8} />;
  const other = data.case;
  if (!other) return <EmptyState icon="search" title={t('review.compare.none')} />;
  const lines = [...reviewCase.fieldForm, ...other.fieldForm];
  const nameOf = (name: string) => {
    const line = lines.find((one) => one.name === name);
    return line ? labelIn(i18n.language, line) : name;
  };
  const values = comparedValues(reviewCase.fieldForm, other.fieldForm);
  return (
    <div className={classes.comparison}>
      <table className="cs-table">
        <thead>
          <tr>
            <th>{t('review.compare.field')}</th>
            <th>{t('review.compare.mine', { reference: reviewCase.reference })}</th>
            <th>
              <Link to="/cases/$id" params={{ id: other.id }}>
                {other.reference}
              </Link>{' '}
              {statusLabel(t, other.status, true)}
            </th>
          </tr>
        </thead>
        <tbody>
          {values.map(({ name, mine, theirs, different }) => (
            <tr key={name} data-different={different || undefined}>
              <td>
                {nameOf(name)}{' '}
                {different && (
                  <Badge tone="warn" icon="alert">
                    {t('review.compare.different')}
                  </Badge>
                )}
              </td>
              <td>{mine || '–'}</td>
              <td>{theirs || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={classes.compared}>
        {[reviewCase, other].map(({ document, reference }) => (
          <PlainPages
            key={reference}
            pages={document?.pages ?? []}
            label={t('review.compare.pages', { reference })}
          />
        ))}
      </div>
    </div>
  );
}
