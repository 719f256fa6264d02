// The recorded rehearsals of proposed texts, which have sums and no cases.
import { graphql } from '../../graphql/generated';

export const RecordedRehearsal = graphql(`
  fragment RecordedRehearsal on RehearsalReport {
    sha256
    ofThisText
    baseVersion
    rehearsedBy {
      id
      name
    }
    rehearsedAt
    closedAsked
    openAsked
    cases
    hidden
    erased
    simplified
    hiddenVotes
    otherVersions
    complete
    same
    moreReviews
    fewerReviews
    otherReviews
    straightToPerson
    personToStraight
    otherEnd
    tooFewBefore
    tooFewAfter
    unassignedBefore
    unassignedAfter
    stopped
    comparedWithRecord
    unlikeRecord
    otherFindings
    undetermined
    refused
    impossible
    since
    peopleChanged
    permissionsChanged
    stops {
      node
      lacks
      cases
    }
    rules {
      rule
      titles {
        name
        value
      }
      before
      after
      appears
      disappears
    }
    people {
      person {
        id
        name
      }
      couldBefore
      couldAfter
      askedBefore
      askedAfter
    }
  }
`);

export const RehearsalReports = graphql(`
  query RehearsalReports($kind: ProposalKind!, $key: String!) {
    proposals(first: 50, filter: { kind: $kind, key: $key, status: PROPOSED }) {
      nodes {
        id
        rehearsals {
          ...RecordedRehearsal
        }
      }
    }
  }
`);

export const RehearseProposal = graphql(`
  mutation RehearseProposal($input: RehearseProposalInput!) {
    rehearseProposal(input: $input) {
      proposal {
        id
        rehearsals {
          ...RecordedRehearsal
        }
      }
      rehearsal {
        ...RehearsalLines
      }
      userErrors {
        ...RefusalFields
      }
    }
  }
`);
