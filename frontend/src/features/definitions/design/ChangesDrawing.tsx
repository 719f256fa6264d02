// The drawing of a proposal, with the steps marked that it adds or changes.
import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ProcessDiagram } from '../../../ui/ProcessDiagram';
import { changesOf } from './changes';
import { readDesign } from './design';
import { diagramOf } from './diagram';

interface ChangesDrawingProps {
  /** The text that is changed; undefined for a new process. */
  before: string | undefined;
  after: string;
  label: string;
}

export default function ChangesDrawing({ before, after, label }: ChangesDrawingProps) {
  const { t, i18n } = useTranslation();
  const drawn = useMemo(() => {
    const read = readDesign(after);
    if (!('design' in read)) return null;
    const changes = before === undefined ? null : changesOf(before, read.design);
    return {
      changes,
      diagram: diagramOf(read.design, { t, language: i18n.language, changes }),
    };
  }, [before, after, t, i18n.language]);
  // The server accepts texts that the drawing refuses, such as very long ones; the text is shown below.
  if (!drawn) return null;
  return (
    <>
      {drawn.changes && drawn.changes.removed.length > 0 && (
        <Text size="sm" mb="xs">
          {t('design.removedSteps', { names: drawn.changes.removed.join(', ') })}
        </Text>
      )}
      <ProcessDiagram diagram={drawn.diagram} label={label} />
    </>
  );
}
