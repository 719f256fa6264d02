// The comments on a proposal, live, and the commands about them.
import { useEffect, useState } from 'react';
import { useSubscription } from 'urql';
import { failureOf } from '../lib/refusals';
import { useSignedIn } from '../lib/session';
import { useCommand } from './command';
import {
  AddProposalComment,
  ProposalDiscussion,
  ResolveProposalComment,
} from './discussion.graphql';
import type { DiscussionLinesFragment } from './generated/graphql';
import { useResubscribe } from './use-resubscribe';

export function useDiscussion(proposalId: string) {
  const signedIn = useSignedIn();
  const [{ data, error }, resubscribe] = useSubscription({
    query: ProposalDiscussion,
    variables: { proposalId },
    pause: !signedIn,
  });
  useResubscribe(error, resubscribe);
  const [list, setList] = useState<DiscussionLinesFragment | null>(null);
  const sent = data?.proposalDiscussion;
  useEffect(() => {
    if (sent) setList(sent);
  }, [sent]);
  const adding = useCommand(AddProposalComment, (answer) => answer.addProposalComment);
  const resolving = useCommand(ResolveProposalComment, (answer) => answer.resolveProposalComment);
  return {
    list,
    unresolved: (list?.nodes ?? []).filter(({ resolvedAt }) => resolvedAt === null),
    failure: error && !list ? failureOf(error) : null,
    adding,
    add: async (text: string, part: string | null) =>
      (await adding.run({ proposalId, text, part })) !== null,
    resolving,
    resolve: (commentId: string) => void resolving.run({ commentId }),
  };
}
