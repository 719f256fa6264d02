// The values that a rule has used, as people read them: the names and codes of the built-in rule sets in the
// user's language, those of other sets as they are written there.
import type { TFunction } from 'i18next';
import { documentTypeLabels, fieldLabel } from './labels';

type Translate = TFunction<'translation'>;

interface EvidenceValue {
  name: string;
  value: string;
}

/** What the sentence of a finding says in words, and these values only in codes. */
const codesOnly = ['fields', 'parts'];

/** The values of a finding as text; empty if there are none. */
export function evidenceText(t: Translate, evidence: readonly EvidenceValue[]): string {
  return evidence
    .filter(({ name, value }) => !codesOnly.includes(name) && value !== '')
    .map((one) => t('evidence.pair', { name: nameLabel(t, one.name), value: valueLabel(t, one) }))
    .join(' · ');
}

function nameLabel(t: Translate, name: string): string {
  return t(`evidence.names.${name}` as 'evidence.names.cases', {
    defaultValue: fieldLabel(t, name),
  });
}

function valueLabel(t: Translate, { name, value }: EvidenceValue): string {
  switch (name) {
    case 'subject':
    case 'fault':
      return t(`evidence.${name}.${value}` as 'evidence.subject.account', { defaultValue: value });
    case 'type':
      return documentTypeLabels(t, [value]);
    case 'cases':
      return value.split(',').join(t('caseLabels.next.comma'));
  }
  return value;
}
