// Who changed a case last, as far as the user sees its events.

interface ChangeEvent {
  type: string;
  actor: { id: string } | null;
}

/**
 * The newest event that another person caused. Stages are work of the system, although their events name the person
 * whose command started the first of them. Events that the user must not see are not sent to the page.
 */
export function lastChangeByOther<T extends ChangeEvent>(
  events: readonly T[],
  me: string | null,
): T | null {
  return (
    events.findLast(
      ({ actor, type }) => actor !== null && actor.id !== me && !type.startsWith('stage.'),
    ) ?? null
  );
}
