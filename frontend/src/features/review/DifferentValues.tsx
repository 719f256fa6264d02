// The different values of a review's case, each with a button that confirms the current one.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { confirmObstacle, type DifferenceLine, differenceLines } from '../../lib/differences';
import { ButtonWithReason } from '../../ui/buttons';
import { DifferencesPanel, lineLabel } from '../../ui/differences/DifferencesPanel';
import { currencyOf, type ReadableReview } from './review-facts';
import type { ReviewSnapshot } from './review-machine';
import type { ReviewWorkspaceState } from './use-review';

interface DifferentValuesProps {
  review: ReadableReview;
  workspace: ReviewWorkspaceState;
  me: string | null;
  onHistory: (field: string) => void;
}

export function DifferentValues({ review, workspace, me, onHistory }: DifferentValuesProps) {
  const { t } = useTranslation();
  const { snapshot, confirmValues } = workspace;
  const lines = differenceLines(review.case.differences, review.case.order !== null);
  return (
    <DifferencesPanel
      lines={lines}
      currency={currencyOf(review.case, undefined)}
      me={me}
      onHistory={onHistory}
      action={(line) =>
        line.confirmable &&
        !snapshot.matches('done') &&
        !snapshot.matches('closed') && (
          <ButtonWithReason
            size="xs"
            variant="default"
            disabledReason={obstacleText(t, snapshot, line, me)}
            loading={
              snapshot.matches('saving') &&
              Boolean(snapshot.context.confirming?.includes(line.field))
            }
            aria-label={t(
              line.ordered ? 'differences.confirmDocumentWhat' : 'differences.confirmWhat',
              {
                name: lineLabel(t, line),
                value: `${line.confirmable.value} ${line.confirmable.currency ?? ''}`.trim(),
              },
            )}
            data-confirm={line.field}
            onClick={() => confirmValues(line.names)}
          >
            {t(line.ordered ? 'differences.confirmDocument' : 'differences.confirm')}
          </ButtonWithReason>
        )
      }
    />
  );
}

function obstacleText(
  t: TFunction<'translation'>,
  snapshot: ReviewSnapshot,
  line: DifferenceLine,
  me: string | null,
): string | null {
  const obstacle = confirmObstacle(line, me);
  if (!snapshot.matches('mine') && !snapshot.matches('saving'))
    return t('differences.obstacle.notYours');
  if (obstacle) return t(`differences.obstacle.${obstacle}`);
  if (snapshot.matches({ mine: 'editing' })) return t('differences.obstacle.unsaved');
  return snapshot.can({ type: 'CONFIRM_VALUES', names: line.names })
    ? null
    : t('review.decide.under');
}
