// What the page of the policy needs of rehearsals, which belong to another feature.
export interface PolicyRehearsalsProps {
  proposalId: string;
  text: string;
  /** Whether the user can rehearse the text. */
  rehearses: boolean;
  /** Only what the recorded ones say, in the dialog that publishes. */
  brief?: boolean;
}
