// What a change would have done to recent cases.
import { graphql } from '../../graphql/generated';

export const RehearsalLines = graphql(`
  fragment RehearsalLines on Rehearsal {
    cases
    closed
    open
    hidden
    erased
    simplified
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
    hiddenVotes
    otherFindings
    undetermined
    refused
    impossible
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
      undetermined
      facts
      unlikeRecord
    }
    since
    peopleChanged
    permissionsChanged
    missingFacts {
      node
      message
      cases
    }
    different {
      caseId
      reference
      before
      after
      addedReviews
      droppedReviews
      changedReviews
      endBefore
      endAfter
      reviews {
        node
        queue
        verdict
        eligible
        assignable
      }
      tooFewBefore
      tooFewAfter
      unassignedBefore
      unassignedAfter
      lacks
      found
      lost
      undetermined
      riskBefore
      riskAfter
      refusedBy
      problem
      problemNode
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
    queues {
      queue
      reviewers
      changedReviewers
      recorded {
        late
      }
      replayed {
        opened
        late
      }
      changed {
        opened
        late
      }
      unassigned
      changedUnassigned
    }
    unknownQueues
    queueError {
      weeks
      decided
      time
    }
  }
`);

export const Rehearse = graphql(`
  query Rehearse($input: RehearsalInput!) {
    rehearse(input: $input) {
      ...RehearsalLines
    }
  }
`);

/** The titles of the steps of every process, for changes that concern several processes. */
export const StepTitles = graphql(`
  query StepTitles {
    processDefinitions(first: 100, filter: { newest: true }) {
      nodes {
        key
        version
        graph {
          nodes {
            id
            kind
            label
            labels {
              name
              value
            }
          }
        }
      }
    }
  }
`);
