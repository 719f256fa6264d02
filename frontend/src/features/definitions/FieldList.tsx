// The fields of a document type: label, name, type, and how the extractor finds each.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TypeFieldFragment } from '../../graphql/generated/graphql';
import { choicesOf, labelIn } from '../../lib/field-labels';
import { Badge } from '../../ui/StatusBadge';
import classes from './definitions.module.css';

export function FieldList({ fields }: { fields: readonly TypeFieldFragment[] }) {
  const { t, i18n } = useTranslation();
  const comma = t('caseLabels.next.comma');
  return (
    <ul className={classes.rules} aria-label={t('definitions.types.list')}>
      {fields.map((field) => (
        <li key={field.name} className={classes.rule}>
          <div>
            {field.required && (
              <Badge tone="warn" icon="pen">
                {t('definitions.types.required')}
              </Badge>
            )}{' '}
            <Text size="xs" span c="dimmed">
              {t(field.builtin ? 'definitions.types.builtin' : 'definitions.types.own')}
            </Text>
          </div>
          <div className={classes.ruleText}>
            <Text size="sm" fw={560}>
              {labelIn(i18n.language, field)}
            </Text>
            <Text size="sm">
              {t(`definitions.types.kinds.${field.type}`)}
              {field.type === 'CHOICE' &&
                `: ${choicesOf(t, i18n.language, field)
                  .map(({ label }) => label)
                  .join(comma)}`}
            </Text>
            {field.pageLabels.length > 0 && (
              <Text size="sm">
                {t('definitions.types.pageLabels', { labels: field.pageLabels.join(comma) })}
              </Text>
            )}
            <Text size="xs" c="dimmed" component="div" className="cs-mono">
              {field.name}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}
