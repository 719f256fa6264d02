// The kinds of steps. One is dragged onto an arrow of the drawing, or inserted after the chosen step.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DiagramEdit } from '../../../ui/graph/edit';
import { type AddableKind, addableKinds } from './change';
import classes from './design.module.css';

interface PaletteProps {
  begin: DiagramEdit['begin'];
  mayCall: boolean;
  /** Inserts a step after the chosen one; null if none is chosen. */
  insert: ((kind: AddableKind) => void) | null;
}

export function Palette({ begin, mayCall, insert }: PaletteProps) {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.palette}>
      <legend>{t('design.palette')}</legend>
      {addableKinds
        .filter((kind) => kind !== 'call' || mayCall)
        .map((kind) => (
          <Button
            key={kind}
            size="compact-sm"
            variant="default"
            data-add={kind}
            aria-disabled={insert === null || undefined}
            onPointerDown={({ nativeEvent }) =>
              begin.current?.(nativeEvent, { kind: 'add', what: kind })
            }
            onClick={() => insert?.(kind)}
          >
            {t(`design.add.${kind}`)}
          </Button>
        ))}
    </fieldset>
  );
}
