// The process drawing with the median time of each step, as shades and in words.
import { Select, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import type { StatisticsPeriod } from '../../graphql/generated/graphql';
import { drawingOf, nodeName } from '../../ui/graph/process';
import { ProcessDiagram } from '../../ui/ProcessDiagram';
import { ErrorState, LoadingState } from '../../ui/states';
import { durationText, filterOf, heatOf, type StatisticsSearch } from './period';
import { Statistics, StatisticsSteps } from './statistics.graphql';
import classes from './statistics.module.css';
import { useProcessTitle } from './use-process-title';

interface HeatMapProps {
  search: StatisticsSearch;
  period: StatisticsPeriod;
  onApply: (search: StatisticsSearch) => void;
}

export function HeatMap({ search, period, onApply }: HeatMapProps) {
  const { t } = useTranslation();
  const [{ data }] = useQuery({
    query: Statistics,
    variables: { period, by: 'PROCESS', filter: filterOf({}) },
    requestPolicy: 'cache-and-network',
  });
  const title = useProcessTitle();
  const processes = (data?.statistics.rows ?? []).map(({ key }) => ({
    value: key,
    label: title(key),
  }));
  if (processes.length === 0) return null;
  const { process, ...rest } = search;
  return (
    <section className="cs-card" aria-labelledby="heat">
      <Title order={2} id="heat" size="h4" mb="xs">
        {t('statistics.heat')}
      </Title>
      <Select
        maw={360}
        mb="xs"
        label={t('statistics.process')}
        value={process ?? null}
        onChange={(chosen) => onApply({ ...rest, ...(chosen && { process: chosen }) })}
        data={processes}
        clearable
      />
      {process ? (
        <ProcessHeat search={search} period={period} process={process} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('statistics.heatChoose')}
        </Text>
      )}
    </section>
  );
}

function ProcessHeat({
  search,
  period,
  process,
}: {
  search: StatisticsSearch;
  period: StatisticsPeriod;
  process: string;
}) {
  const { t, i18n } = useTranslation();
  const [{ data, error }, refetch] = useQuery({
    query: StatisticsSteps,
    variables: { period, filter: filterOf(search), process },
    requestPolicy: 'cache-and-network',
  });
  const definition = data?.processDefinitions.nodes.find(({ newest }) => newest);
  const steps = data?.statistics.steps;
  const diagram = useMemo(() => {
    if (!definition?.graph || !steps) return null;
    const longest = Math.max(0, ...steps.map(({ time }) => time?.median ?? 0));
    const drawn = drawingOf(definition.graph, { t, language: i18n.language });
    return {
      ...drawn,
      nodes: drawn.nodes.map((node) => {
        const step = steps.find((one) => one.node === node.id);
        if (!step) return node;
        const note = step.time
          ? t(step.waiting > 0 ? 'statistics.heatWaiting' : 'statistics.heatNote', {
              time: durationText(step.time.median, i18n.language),
              ended: step.ended,
              waiting: step.waiting,
            })
          : t('statistics.heatNone', { waiting: step.waiting });
        return { ...node, note, heat: heatOf(step.time?.median ?? 0, longest) };
      }),
    };
  }, [definition, steps, t, i18n.language]);
  if (error && !data)
    return <ErrorState error={error} onRetry={() => refetch({ requestPolicy: 'network-only' })} />;
  if (!data || !steps) return <LoadingState lines={6} />;
  const title =
    definition?.titles.find(({ name }) => name === i18n.language)?.value || definition?.title;
  const name = title || process;
  const labels = new Map(
    definition?.graph?.nodes.map((node) => [
      node.id,
      nodeName(node, { t, language: i18n.language }),
    ]),
  );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t('statistics.heatIntro', { name })}
      </Text>
      {diagram && <ProcessDiagram diagram={diagram} label={t('statistics.picture', { name })} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be keyboard-reachable */}
      <section className={classes.scroll} tabIndex={0} aria-label={t('statistics.step')}>
        <table className="cs-table" aria-labelledby="heat">
          <thead>
            <tr>
              <th>{t('statistics.step')}</th>
              <th data-number>{t('statistics.median')}</th>
              <th data-number>{t('statistics.p90')}</th>
              <th data-number>{t('statistics.endedCount')}</th>
              <th data-number>{t('statistics.waitingCount')}</th>
            </tr>
          </thead>
          <tbody>
            {steps.map(({ node, review, time, ended, waiting }) => (
              <tr key={`${node} ${review}`}>
                <th scope="row">{labels.get(node) ?? node}</th>
                <td data-number>
                  {time ? durationText(time.median, i18n.language) : t('ui.none')}
                </td>
                <td data-number>{time ? durationText(time.p90, i18n.language) : t('ui.none')}</td>
                <td data-number>{ended}</td>
                <td data-number>{waiting}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
