// What differs or warns, repeated in the question of an approval: it may be out of sight behind it.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { findingSentence, findingTitle } from '../../lib/labels';
import { groupedAmount } from '../../lib/money';
import { ReferencedText } from '../../ui/ReferencedText';
import { Notice } from '../../ui/states';
import classes from './review.module.css';
import { declaredOtherwise, type ReviewCase, unexplainedFindings } from './review-facts';

/** `asked` are the rules of the findings for which the question asks below. */
export function Differs({ reviewCase, asked }: { reviewCase: ReviewCase; asked: string[] }) {
  const { t, i18n } = useTranslation();
  const declared = declaredOtherwise(reviewCase);
  const findings = unexplainedFindings(reviewCase).filter(({ rule }) => !asked.includes(rule));
  if (findings.length === 0 && declared === null) return null;
  const blocks = findings.some(({ severity }) => severity === 'BLOCKING');
  return (
    <Notice tone={blocks ? 'bad' : 'warn'} icon="alert">
      <ul className={classes.differs} data-differs>
        {declared && (
          <li>
            <Text size="sm" fw={600}>
              {t('review.declared', {
                amount: `${groupedAmount(declared.amount, i18n.language)} ${declared.currency}`,
              })}
            </Text>
          </li>
        )}
        {findings.map((finding) => (
          <li key={`${finding.rule} ${finding.message}`}>
            <Text size="sm" fw={600}>
              {findingTitle(i18n.language, finding)}
            </Text>
            <Text size="sm">
              <ReferencedText text={findingSentence(i18n.language, finding)} />
            </Text>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
