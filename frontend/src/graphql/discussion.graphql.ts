import { graphql } from './generated';

export const DiscussionLines = graphql(`
  fragment DiscussionLines on ProposalDiscussion {
    writes
    parts
    nodes {
      id
      author {
        id
        name
      }
      part
      text
      at
      earlierText
      resolvable
      resolvedBy {
        id
        name
      }
      resolvedAt
    }
  }
`);

/** Sends the comments on a proposal after every change. */
export const ProposalDiscussion = graphql(`
  subscription ProposalDiscussion($proposalId: ID!) {
    proposalDiscussion(proposalId: $proposalId) {
      ...DiscussionLines
    }
  }
`);

export const AddProposalComment = graphql(`
  mutation AddProposalComment($input: AddProposalCommentInput!) {
    addProposalComment(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);

export const ResolveProposalComment = graphql(`
  mutation ResolveProposalComment($input: ResolveProposalCommentInput!) {
    resolveProposalComment(input: $input) {
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
