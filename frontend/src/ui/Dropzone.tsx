// A zone to drop files on, with a button that opens the file dialog.
import { Text } from '@mantine/core';
import { type DragEvent, useId, useRef, useState } from 'react';
import classes from './Dropzone.module.css';
import { Icon } from './Icon';

interface DropzoneProps {
  /** The text of the button. */
  label: string;
  /** The accepted files, shown under the button. */
  hint: string;
  /** Media types and extensions, as in the accept attribute of a file input. */
  accept: string;
  multiple?: boolean;
  compact?: boolean;
  disabled?: boolean;
  onFiles: (files: File[]) => void;
}

export function Dropzone({
  label,
  hint,
  accept,
  multiple,
  compact,
  disabled,
  onFiles,
}: DropzoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const [dragDepth, setDragDepth] = useState(0);
  const acceptFiles = (list: FileList | null) => {
    const files = [...(list ?? [])];
    if (files.length > 0 && !disabled) onFiles(multiple ? files : files.slice(0, 1));
  };
  const drag = (change: number) => (event: DragEvent) => {
    event.preventDefault();
    setDragDepth((depth) => Math.max(0, depth + change));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      className={classes.zone}
      data-over={dragDepth > 0 || undefined}
      data-compact={compact || undefined}
      onDragEnter={drag(1)}
      onDragLeave={drag(-1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        setDragDepth(0);
        acceptFiles(event.dataTransfer.files);
      }}
    >
      <button
        type="button"
        className={classes.button}
        disabled={disabled}
        aria-describedby={hintId}
        onClick={() => input.current?.click()}
      >
        <Icon name="upload" size={compact ? 18 : 28} />
        {label}
      </button>
      <Text id={hintId} size="sm" c="dimmed">
        {hint}
      </Text>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        multiple={multiple ?? false}
        onChange={(event) => {
          acceptFiles(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}
