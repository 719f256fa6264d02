// What the submitter stated about the attributes of the process. It is shown as their statement, because
// the document does not prove it.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { attributeLabel, type StatedAttribute, statedText } from '../../lib/attributes';

export function StatedAttributes({ attributes }: { attributes: readonly StatedAttribute[] }) {
  const { t, i18n } = useTranslation();
  if (attributes.length === 0) return null;
  const wordsOf = (one: StatedAttribute) =>
    one.type === 'YES_NO'
      ? t(one.value === 'true' ? 'attributes.yes' : 'attributes.no')
      : statedText(one, i18n.language);
  return (
    <section className="cs-card" aria-labelledby="stated-attributes">
      <Text size="sm" fw={600} id="stated-attributes" component="h2">
        {t('attributes.title')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('attributes.hint')}
      </Text>
      <dl className="cs-stated">
        {attributes.map((one) => (
          <div key={one.name}>
            <Text component="dt" size="sm" c="dimmed">
              {attributeLabel(one.labels, i18n.language, one.name)}
            </Text>
            <Text component="dd" size="sm" fw={560}>
              {wordsOf(one)}
            </Text>
          </div>
        ))}
      </dl>
    </section>
  );
}
