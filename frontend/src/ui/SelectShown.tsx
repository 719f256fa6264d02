// The checkbox that selects all shown rows of a list.
interface SelectShownProps {
  label: string;
  /** The shown rows, and those of them that are selected. */
  shown: number;
  chosen: number;
  onAll: () => void;
  onNone: () => void;
}

export function SelectShown({ label, shown, chosen, onAll, onNone }: SelectShownProps) {
  const all = shown > 0 && chosen >= shown;
  return (
    <label className="cs-select-shown">
      <input
        type="checkbox"
        checked={all}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && !all;
        }}
        onChange={all ? onNone : onAll}
      />
      {label}
    </label>
  );
}
