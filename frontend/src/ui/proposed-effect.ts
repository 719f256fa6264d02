// What the page of confirmations needs of the effects of proposals, which belong to another feature.
export interface ProposedEffectProps {
  proposalId: string;
  /** Called when the effect was read: with what identifies it, null if it could not be computed. */
  onRead: (effect: string | null) => void;
}
