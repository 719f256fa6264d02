// What a process can do that its publisher confirms or must read, each with the route that shows it.
import { useTranslation } from 'react-i18next';
import { problemMessage } from '../../lib/problem-labels';
import { Notice } from '../../ui/states';
import type { Problem } from './processes';

/** The checks whose result the server has confirmed when a version is published. */
const confirmed = /^(unreviewed|unassessed|assessed_late)/;

/** The warnings that publishing confirms. */
export const cautionsOf = (warnings: readonly Problem[]) =>
  warnings.filter(({ rule }) => confirmed.test(rule));

/** The warnings that a publisher reads: a committee that can wait without end needs no confirmation. */
const toRead = (warnings: readonly Problem[]) => [
  ...cautionsOf(warnings),
  ...warnings.filter(({ rule }) => rule === 'committee_waits'),
];

export function Cautions({ warnings }: { warnings: readonly Problem[] }) {
  const { t } = useTranslation();
  return toRead(warnings).map((one) => (
    <Notice key={`${one.rule} ${one.node}`} tone="warn">
      {problemMessage(t, one)}
      {one.path.length > 0 &&
        ` ${t('definitions.report.route')} ${one.path.map(({ event }) => event).join(' → ')}`}
    </Notice>
  ));
}
