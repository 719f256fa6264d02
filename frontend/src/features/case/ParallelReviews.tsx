// The open reviews of a case besides the one that the next step names.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { queueLabel } from '../../lib/labels';
import { ReviewDeadline } from '../../ui/values';
import classes from './case.module.css';
import type { CaseData } from './IncidentPanel';

export function ParallelReviews({ caseData }: { caseData: CaseData }) {
  const { t } = useTranslation();
  const others = caseData.reviews.filter(
    ({ id, status }) =>
      (status === 'OPEN' || status === 'CLAIMED') && id !== caseData.next.reviewId,
  );
  if (others.length === 0 || !caseData.next.reviewId) return null;
  return (
    <>
      <Text size="sm" component="p" m={0} mt={4}>
        {t('case.parallel.title')}
      </Text>
      <ul className={classes.parallel}>
        {others.map((review) => (
          <li key={review.id}>
            <Link to="/reviews/$id" params={{ id: review.id }}>
              {t('case.parallel.queue', { queue: queueLabel(t, review.queue) })}
            </Link>{' '}
            {review.assignee
              ? t(
                  review.status === 'CLAIMED' ? 'case.parallel.claimed' : 'case.parallel.assigned',
                  {
                    name: review.assignee.name,
                  },
                )
              : t('case.parallel.unassigned')}{' '}
            <ReviewDeadline review={review} />
          </li>
        ))}
      </ul>
    </>
  );
}
