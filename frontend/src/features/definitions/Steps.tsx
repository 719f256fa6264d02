// The steps of a process with their successors, as a list.
import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { documentStates } from '../../lib/document-states';
import { statusLabel } from '../../lib/labels';
import { groupedAmount } from '../../lib/money';
import { nodeKinds } from '../../ui/graph/drawing';
import type { IconName } from '../../ui/Icon';
import { Badge, type Tone } from '../../ui/StatusBadge';
import classes from './definitions.module.css';
import { localizedName, type Node, nodesInFlowOrder, otherLanguage } from './processes';

type Kind = (typeof nodeKinds)[number];

const appearance: Record<Kind, [Tone, IconName]> = {
  start: ['good', 'inbox'],
  stage: ['busy', 'gear'],
  external: ['busy', 'link'],
  saga: ['busy', 'flow'],
  timer: ['calm', 'clock'],
  review: ['warn', 'eye'],
  exclusive: ['calm', 'flow'],
  fork: ['calm', 'flow'],
  join: ['calm', 'flow'],
  end: ['good', 'box'],
  call: ['busy', 'flow'],
};

export function Steps({ nodes }: { nodes: readonly Node[] }) {
  const { t, i18n } = useTranslation();
  const order = nodesInFlowOrder(nodes);
  // Start and end nodes have no title: an end node is labelled by its status.
  const defaultName = (node: Node) => {
    const status = documentStates.find((one) => node.kind === 'end' && one === node.id);
    if (status) return statusLabel(t, status, true);
    return node.kind === 'start' ? t('definitions.comesIn') : node.label;
  };
  const names = new Map(
    order.map((node) => [node.id, localizedName(node.labels, i18n.language, defaultName(node))]),
  );
  return (
    <ol className={classes.steps} aria-label={t('definitions.steps')}>
      {order.map((node, index) => (
        <Step key={node.id} node={node} number={index + 1} names={names} />
      ))}
    </ol>
  );
}

function Step({
  node,
  number,
  names,
}: {
  node: Node;
  number: number;
  names: ReadonlyMap<string, string>;
}) {
  const { t, i18n } = useTranslation();
  const kind = nodeKinds.find((one) => one === node.kind) ?? 'stage';
  const [tone, icon] = appearance[kind];
  const otherName = localizedName(node.labels, otherLanguage(i18n.language), '');
  return (
    <li className={classes.step}>
      <span className={classes.number} aria-hidden="true">
        {number}
      </span>
      <span className={classes.kind}>
        <Badge tone={tone} icon={icon}>
          {t(`definitions.kind.${kind}`)}
        </Badge>
      </span>
      <span className={classes.label}>
        <span className="cs-lines2">{names.get(node.id)}</span>
        {otherName && (
          <Text
            size="xs"
            c="dimmed"
            component="span"
            lang={otherLanguage(i18n.language)}
            className="cs-lines2"
          >
            {otherName}
          </Text>
        )}
        {node.signatureAbove && (
          <Text size="xs" component="span">
            {t('definitions.signatureAbove', {
              amount: `${groupedAmount(node.signatureAbove.amount, i18n.language)} ${node.signatureAbove.currency}`,
            })}
          </Text>
        )}
        <Text size="xs" c="dimmed" component="span" className="cs-mono">
          {node.id}
        </Text>
      </span>
      <span className={classes.next}>
        {[...new Set(node.next)].map((id) => (
          <span key={id}>
            <span aria-hidden="true">→</span>
            <span className="cs-visually-hidden">{t('definitions.then')}</span>{' '}
            {names.get(id) ?? id}
          </span>
        ))}
      </span>
    </li>
  );
}
