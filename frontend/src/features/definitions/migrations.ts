// What the list of migrations says about one of them.

interface Migration {
  id: string;
  undoes: string | null;
  moved: number;
}

/** The number of moved cases that an undo has moved back; null if the migration was not undone. */
export function movedBack(migrations: readonly Migration[], { id }: Migration): number | null {
  return migrations.find(({ undoes }) => undoes === id)?.moved ?? null;
}
