// The values that a rule has used, as people read them: the names and codes of the built-in rule sets in the
// user's language, those of other sets as they are written there.
import type { TFunction } from 'i18next';
import { documentTypeLabels, fieldLabel } from './labels';
import { valueText } from './value-text';

type Translate = TFunction<'translation'>;

interface EvidenceValue {
  name: string;
  value: string;
}

/** What the sentence of a finding says in words, and these values only in codes. */
const codesOnly = ['fields', 'parts', 'copies'];

/** The values of a finding as text; empty if there are none. */
export function evidenceText(
  t: Translate,
  language: string,
  evidence: readonly EvidenceValue[],
): string {
  return evidence
    .filter(({ name, value }) => !codesOnly.includes(name) && value !== '')
    .map((one) =>
      t('evidence.pair', { name: nameLabel(t, one.name), value: valueLabel(t, language, one) }),
    )
    .join(' · ');
}

function nameLabel(t: Translate, name: string): string {
  return t(`evidence.names.${name}` as 'evidence.names.cases', {
    defaultValue: fieldLabel(t, name),
  });
}

function valueLabel(t: Translate, language: string, { name, value }: EvidenceValue): string {
  switch (name) {
    case 'subject':
    case 'fault':
      return t(`evidence.${name}.${value}` as 'evidence.subject.account', { defaultValue: value });
    case 'type':
      return documentTypeLabels(t, [value]);
    case 'cases':
      return value.split(',').join(t('caseLabels.next.comma'));
  }
  return valueText(name, value, language);
}
