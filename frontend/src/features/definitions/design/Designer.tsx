// The drawing of a process with the form of the chosen node. Both change the text of the process.
import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CasePosition,
  outermost,
  type ProcessGraphData,
  type TracedPath,
} from '../../../ui/graph/process';
import { ProcessDiagram } from '../../../ui/ProcessDiagram';
import { Badge } from '../../../ui/StatusBadge';
import { Notice } from '../../../ui/states';
import type { Problem } from '../processes';
import { useComposed } from './called-steps';
import { changesOf } from './changes';
import { DesignErrors } from './DesignErrors';
import { readDesign } from './design';
import classes from './design.module.css';
import { diagramOf } from './diagram';
import { NodeForm } from './NodeForm';
import { OutletDialog } from './OutletDialog';
import { Palette } from './Palette';
import { ProcessForm } from './ProcessForm';
import { useChoices } from './use-choices';
import { useDrawingEdit } from './use-drawing-edit';
import type { Steps } from './use-steps';

interface DesignerProps {
  text: string;
  /** The text that is being changed; the drawing marks what differs from it. */
  baseText: string;
  /** Whether the process has never been published. */
  isNew: boolean;
  steps: Steps;
  /** The route to the chosen problem. */
  trace: TracedPath | null;
  /** The route of a made-up case. */
  position: CasePosition | null;
  /** The name of the process, for the label of the drawing. */
  title: string;
  /** The graph of the latest check, with the steps of called processes; null before the first. */
  checked: ProcessGraphData | null;
  /** The errors in the text; null while it is checked. */
  errors: readonly Problem[] | null;
  /** The error whose way is drawn. */
  chosen: Problem | null;
  onChoose: (problem: Problem) => void;
}

export function Designer(props: DesignerProps) {
  const { text, baseText, isNew, steps, trace, position, title, checked, errors } = props;
  const { t, i18n } = useTranslation();
  const choices = useChoices();
  const [selected, setSelected] = useState<string | null>(null);
  const read = useMemo(() => readDesign(text), [text]);
  const design = 'design' in read ? read.design : null;
  const changes = useMemo(() => design && changesOf(baseText, design), [baseText, design]);
  const composed = useComposed(design, checked, errors !== null);
  const diagram = useMemo(
    () =>
      design &&
      diagramOf(design, {
        t,
        language: i18n.language,
        changes,
        trace,
        position,
        composed,
        selected,
        connects: true,
      }),
    [design, changes, selected, trace, position, composed, t, i18n.language],
  );
  // A chosen problem opens the form of its node.
  const fault = trace ? outermost(trace.fault) : null;
  useEffect(() => {
    if (fault) setSelected(fault);
  }, [fault]);
  const names = useMemo(
    () => new Map(diagram?.nodes.map(({ id, label }) => [id, label])),
    [diagram],
  );
  const change = (next: string, what: string, select?: string | null) => {
    if (next !== text && select !== undefined) setSelected(select);
    steps.change(next, what);
  };
  const nameOf = (id: string) => names.get(id) ?? id;
  const drawing = useDrawingEdit({
    text,
    design: design ?? noDesign,
    nameOf,
    called: choices.callable[0],
    change,
  });
  if (!design || !diagram) {
    const { reason, line } =
      'problem' in read ? read.problem : { reason: 'list' as const, line: 0 };
    return (
      <Notice tone="warn">
        {t(`design.unreadable.${reason}`)} {line > 0 && t('design.line', { line })}
      </Notice>
    );
  }
  const node = design.nodes.find(({ id }) => id === selected);
  return (
    <section className="cs-card" aria-labelledby="drawing">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="drawing">
          {t('definitions.look.drawing')}
        </Title>
        <Badge tone={errors === null ? 'calm' : errors.length === 0 ? 'good' : 'bad'}>
          {errors === null
            ? t('design.status.checking')
            : errors.length === 0
              ? t('design.status.valid')
              : t('design.status.errors', { count: errors.length })}
        </Badge>
        <Group gap="xs">
          {node && (
            <Button size="compact-sm" variant="default" onClick={() => setSelected(null)}>
              {t('design.showProcess')}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            disabled={steps.undo === null}
            onClick={steps.undo ?? undefined}
          >
            {t('design.undo')}
          </Button>
        </Group>
      </Group>
      <DesignErrors
        problems={errors ?? []}
        chosen={props.chosen}
        nameOf={nameOf}
        onChoose={props.onChoose}
      />
      {trace && (
        <Text size="sm" mb="xs">
          {trace.path.length > 0
            ? t('definitions.report.drawn')
            : t('definitions.report.drawnNode')}
        </Text>
      )}
      {changes && changes.removed.length > 0 && (
        <Text size="sm" mb="xs">
          {t('design.removedSteps', { names: changes.removed.join(', ') })}
        </Text>
      )}
      <Palette
        begin={drawing.edit.begin}
        mayCall={choices.callable.length > 0}
        insert={node && node.kind !== 'end' ? (kind) => drawing.insertAfter(node, kind) : null}
      />
      {drawing.drawn && (
        <OutletDialog
          {...drawing.drawn}
          nameOf={nameOf}
          onChoose={(outlet) =>
            drawing.drawn && drawing.draw(drawing.drawn.node, outlet, drawing.drawn.to)
          }
          onClose={drawing.cancel}
        />
      )}
      <div className={classes.designer}>
        <div>
          <ProcessDiagram
            diagram={diagram}
            label={t('definitions.picture', { title })}
            onSelect={(id) => setSelected(outermost(id))}
            edit={drawing.edit}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {t('design.drag.help')}
          </Text>
        </div>
        {node ? (
          <NodeForm key={node.id} {...{ text, design, node, names, choices }} onChange={change} />
        ) : (
          <ProcessForm {...{ text, design, isNew, choices, names }} onChange={change} />
        )}
      </div>
    </section>
  );
}

const noDesign = { header: {}, nodes: [] };
