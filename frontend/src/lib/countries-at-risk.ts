// The countries that rules judge, with their roles, as lines of a list.

import type { TFunction } from 'i18next';
import type { CountryRole, FieldSource } from '../graphql/generated/graphql';
import { countryText } from './countries';
import { fieldLabel } from './labels';

export interface CountryAtRisk {
  code: string;
  role: CountryRole;
  field: string;
  source: FieldSource;
}

/** A country in one role, by one field, with everybody who stated it. */
export interface CountryLine {
  code: string;
  role: CountryRole;
  field: string;
  sources: readonly FieldSource[];
}

/** Countries that different sources state in one role are one line. */
export function countryLines(countries: readonly CountryAtRisk[]): CountryLine[] {
  const lines = new Map<
    string,
    { code: string; role: CountryRole; field: string; sources: FieldSource[] }
  >();
  for (const { code, role, field, source } of countries) {
    const key = `${code} ${role} ${field}`;
    const line = lines.get(key) ?? { code, role, field, sources: [] };
    line.sources.push(source);
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** "Iran (IR): bank of the payee, from IBAN" */
export function countryLineText(
  t: TFunction<'translation'>,
  language: string,
  line: CountryLine,
): string {
  const country = countryText(line.code, language);
  const role = t(`differences.countries.role.${line.role}`);
  return line.role === 'PAYER_BANK' || line.role === 'PAYEE_BANK'
    ? t('differences.countries.from', { country, role, field: fieldLabel(t, line.field) })
    : t('differences.countries.stated', { country, role });
}

/** "declared, e-invoice"; empty where the role says it already. */
export function countrySources(t: TFunction<'translation'>, line: CountryLine): string {
  if (line.role === 'DECLARED') return '';
  const labels = line.sources.map((source) => t(`differences.source.${source}`));
  return [...new Set(labels)].join(t('caseLabels.next.comma'));
}
