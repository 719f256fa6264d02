// What has changed while a decision was being confirmed, beside the fields: nothing is sent before the user has
// acknowledged it.
import { Button, Text } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { listOf } from '../../lib/format';
import { isTyping } from '../../lib/page-keys';
import { Notice } from '../../ui/states';
import type { ReviewPart } from './review-values';
import type { ReviewWorkspaceState } from './use-review';

/** What has changed and who changed it, as a sentence. */
export function movedText(
  t: TFunction,
  language: string,
  moved: readonly ReviewPart[],
  names: readonly string[],
): string {
  const parts = listOf(
    language,
    moved.map((part) => t(`review.moved.parts.${part}`)),
  );
  if (moved.length === 0) return t('review.moved.unknown');
  return names.length > 0
    ? t('review.moved.by', { names: listOf(language, names), parts })
    : t('review.moved.parted', { parts });
}

/** A key that was meant for the decision acknowledges the change instead. Typing is not interrupted. */
function focusUnlessTyping(button: HTMLButtonElement | null): void {
  if (!isTyping(document.activeElement)) button?.focus();
}

export function MovedNotice({ workspace }: { workspace: ReviewWorkspaceState }) {
  const { t, i18n } = useTranslation();
  const { moved } = workspace.snapshot.context;
  if (!moved) return null;
  return (
    <Notice tone="warn" icon="alert" live>
      <Text size="sm" fw={600}>
        {t('review.moved.asked')}
      </Text>
      <Text size="sm">{movedText(t, i18n.language, moved, workspace.changers)}</Text>
      <Button
        ref={focusUnlessTyping}
        size="xs"
        mt="xs"
        variant="default"
        onClick={() => workspace.send({ type: 'ACKNOWLEDGE' })}
      >
        {t('review.moved.noted')}
      </Button>
    </Notice>
  );
}
