// The findings that stop an approval, in its dialog: what each of them needs, the reasons that
// reviewers stated, and a field for the user's own.
import { Stack, Text, Textarea } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { FindingOverrideInput } from '../../graphql/generated/bounds';
import { findingSentence, findingTitle } from '../../lib/labels';
import { ReferencedText } from '../../ui/ReferencedText';
import { Timestamp } from '../../ui/values';
import { needsReason, type OverrideReasons, type Requirement } from './approval-requirements';
import classes from './review.module.css';
import type { Finding } from './review-facts';

interface ApprovalRequirementsProps {
  open: readonly Requirement[];
  findings: readonly Finding[];
  reasons: OverrideReasons;
  /** The reason of the decision, which counts for findings that need one reason. */
  general: string;
  /** The first text box takes the focus. */
  focused: boolean;
  onReason: (rule: string, reason: string) => void;
}

export function ApprovalRequirements({
  open,
  findings,
  reasons,
  general,
  focused,
  onReason,
}: ApprovalRequirementsProps) {
  const { t, i18n } = useTranslation();
  if (open.length === 0) return null;
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('review.overrides.title', { count: open.length })}
      </Text>
      {open.map((requirement, index) => {
        const finding = findings.find(({ rule }) => rule === requirement.rule);
        const title = finding ? findingTitle(i18n.language, finding) : requirement.rule;
        return (
          <div key={requirement.rule} data-requirement={requirement.rule}>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            {finding && (
              <Text size="sm">
                <ReferencedText text={findingSentence(i18n.language, finding)} />
              </Text>
            )}
            <Text size="sm" c="dimmed">
              {overrideText(t, requirement)}
            </Text>
            {requirement.given.map(({ person, reason, at }) => (
              <blockquote className={classes.quote} key={at}>
                {reason}
                <Text size="xs" c="dimmed">
                  {person?.name} · <Timestamp iso={at} />
                </Text>
              </blockquote>
            ))}
            {needsReason(requirement) && (
              <Textarea
                aria-label={t('review.overrides.reasonOf', { finding: title })}
                placeholder={t('review.overrides.reason')}
                autosize
                minRows={1}
                maxRows={6}
                maxLength={FindingOverrideInput.reason}
                {...(focused && index === 0 && { 'data-autofocus': true })}
                value={reasons[requirement.rule] ?? ''}
                onChange={(event) => onReason(requirement.rule, event.currentTarget.value)}
              />
            )}
            {requirement.override === 'REASON' &&
              general.trim() !== '' &&
              !reasons[requirement.rule]?.trim() && (
                <Text size="sm">{t('review.overrides.general', { reason: general.trim() })}</Text>
              )}
          </div>
        );
      })}
    </Stack>
  );
}

function overrideText(t: TFunction, { override, queue }: Requirement): string {
  if (override === 'QUEUE') return t('review.overrides.QUEUE', { queue: queue ?? '' });
  return override === 'NONE' ? '' : t(`review.overrides.${override}`);
}
