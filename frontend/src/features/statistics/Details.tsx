// Corrected values by field and vendor, and findings by rule.
import { Group, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { StatisticsPeriod } from '../../graphql/generated/graphql';
import { useRuleTitles } from '../../graphql/use-rule-titles';
import { fieldLabel } from '../../lib/labels';
import { BarLine } from '../../ui/BarChart';
import { ExportMenu } from '../../ui/ExportMenu';
import { exportFilters, filterOf, type StatisticsSearch } from './period';
import { StatisticsDetails } from './statistics.graphql';
import classes from './statistics.module.css';

interface DetailsProps {
  search: StatisticsSearch;
  period: StatisticsPeriod;
}

const shownRows = 15;

export function Details({ search, period }: DetailsProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({
    query: StatisticsDetails,
    variables: { period, filter: filterOf(search) },
    requestPolicy: 'cache-and-network',
  });
  if (!data) return null;
  const { fieldCorrections, vendorCorrections, rules } = data.statistics;
  const fields = fieldCorrections.map((one) => ({ ...one, name: fieldLabel(t, one.name) }));
  if (fields.length + rules.length === 0) return null;
  return (
    <>
      <Group gap="sm">
        <Text size="sm">{t('statistics.exportParts')}</Text>
        <ExportMenu kind="statistics-parts" filters={exportFilters(search, period, true)} />
      </Group>
      <div className={classes.tables}>
        {fields.length > 0 && (
          <Corrections
            title={t('statistics.correctionsByField')}
            head={t('statistics.field')}
            rows={fields}
          />
        )}
        {vendorCorrections.length > 0 && (
          <Corrections
            title={t('statistics.correctionsByVendor')}
            head={t('statistics.vendor')}
            rows={vendorCorrections}
          />
        )}
        {rules.length > 0 && <Rules rules={rules} />}
      </div>
    </>
  );
}

function Corrections({
  title,
  head,
  rows,
}: {
  title: string;
  head: string;
  rows: readonly { name: string; corrections: number; cases: number }[];
}) {
  const { t } = useTranslation();
  const shown = rows.slice(0, shownRows);
  const largest = Math.max(1, ...shown.map(({ corrections }) => corrections));
  return (
    <section className="cs-card">
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <table className="cs-table" aria-label={title}>
        <thead>
          <tr>
            <th>{head}</th>
            <th data-number>{t('statistics.corrections')}</th>
            <th data-number>{t('statistics.cases')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, corrections, cases }) => (
            <tr key={name}>
              <th scope="row">
                <span className="cs-lines2">{name}</span>
                <BarLine value={corrections} largest={largest} />
              </th>
              <td data-number>{corrections}</td>
              <td data-number>{cases}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Rules({
  rules,
}: {
  rules: readonly { rule: string; hits: number; overruled: number; archived: number }[];
}) {
  const { t, i18n } = useTranslation();
  const titles = useRuleTitles(i18n.language);
  /** The title in the newest rule set; the key of a rule that no set has any more. */
  const titleOf = (rule: string) => titles.get(rule) || rule;
  return (
    <section className="cs-card">
      <Title order={2} size="h4" mb="xs">
        {t('statistics.rules')}
      </Title>
      <table className="cs-table" aria-label={t('statistics.rules')}>
        <thead>
          <tr>
            <th>{t('statistics.rule')}</th>
            <th data-number>{t('statistics.hits')}</th>
            <th data-number>{t('statistics.overruled')}</th>
            <th data-number>{t('statistics.archivedWith')}</th>
          </tr>
        </thead>
        <tbody>
          {rules.slice(0, 2 * shownRows).map(({ rule, hits, overruled, archived }) => (
            <tr key={rule}>
              <th scope="row">
                <span className="cs-lines2" title={rule}>
                  {titleOf(rule)}
                </span>
              </th>
              <td data-number>{hits}</td>
              <td data-number>{overruled}</td>
              <td data-number>{archived}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
