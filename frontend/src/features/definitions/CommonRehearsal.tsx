// The rehearsal of a change that concerns the cases of several processes.
import type { ComponentProps } from 'react';
import { RehearsalCard } from './RehearsalCard';
import { useStepTitles } from './use-step-titles';

type CommonRehearsalProps = Pick<
  ComponentProps<typeof RehearsalCard>,
  'change' | 'disabledReason' | 'proposalId'
>;

export function CommonRehearsal(props: CommonRehearsalProps) {
  return <RehearsalCard {...props} processKey={null} names={useStepTitles()} />;
}
