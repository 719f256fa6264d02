// Units of line items. E-invoices have codes of UN/ECE Recommendations 20 and 21 for them; pages show words.
import type { TFunction } from 'i18next';

/** The frequent codes; their words are in the texts of line items. */
const unitCodes = [
  'C62',
  'H87',
  'EA',
  'NAR',
  'PCE',
  'PR',
  'SET',
  'XBX',
  'XCT',
  'XPA',
  'XPK',
  'XPX',
  'KGM',
  'GRM',
  'TNE',
  'LTR',
  'MLT',
  'MMT',
  'CMT',
  'MTR',
  'KMT',
  'MTK',
  'MTQ',
  'KWH',
  'MIN',
  'HUR',
  'DAY',
  'WEE',
  'MON',
  'ANN',
  'LS',
  'E48',
] as const;

const isUnitCode = (unit: string): unit is (typeof unitCodes)[number] =>
  unitCodes.some((code) => code === unit);

/** The word for the unit; a unit that is no code stays as it is. */
export function unitText(t: TFunction<'translation'>, unit: string): string {
  return isUnitCode(unit) ? t(`lines.units.${unit}`) : unit;
}
