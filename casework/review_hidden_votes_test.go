package casework_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

const hiddenMajority = majorityOfThree + "    votes: hidden\n"

// everythingRecorded returns the events of a case with their markings, the marking of the case and the
// decisions and overrides that pages can read.
func (env *testEnv) everythingRecorded(id domain.ID) string {
	env.t.Helper()
	var text strings.Builder
	for _, event := range env.caseEvents(id) {
		fmt.Fprintln(&text, event.Type, string(event.Body), event.MarkingBefore, event.MarkingAfter)
	}
	marking, err := env.caseByID(id).Marking.Canonical()
	must(env.t, err)
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(env.t, err)
	sources, err := env.db.Reader().SearchSources(env.ctx, []domain.ID{id})
	must(env.t, err)
	fmt.Fprintln(&text, string(marking), decisions, sources)
	return text.String()
}

// caseEvents returns the events of a case.
func (env *testEnv) caseEvents(id domain.ID) []domain.Event {
	env.t.Helper()
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(env.t, err)
	return reading.Events
}

// disclosed returns the bodies of the disclosures of a case.
func (env *testEnv) disclosed(id domain.ID) (votes []generated.VoteDisclosedV1) {
	env.t.Helper()
	for _, event := range env.caseEvents(id) {
		if event.Type == domain.VoteDisclosed {
			var body generated.VoteDisclosedV1
			must(env.t, json.Unmarshal(event.Body, &body))
			votes = append(votes, body)
		}
	}
	return votes
}

// Until the committee is complete, nothing that is recorded for others has a verdict or a reason. Then
// the events have what each member voted and when, and the audit verifies it against the votes.
func TestVotesAreHiddenUntilTheCommitteeIsComplete(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, hiddenMajority)
	m := env.members("jo", "jill", "joe")
	env.decideNextSeat(m[0], id, domain.Reject)
	votedAt := env.now()
	env.decideNextSeat(m[1], id, domain.Approve)
	recorded := env.everythingRecorded(id)
	for _, clue := range []string{`"verdict"`, `"evidence"`, "because"} {
		if strings.Contains(recorded, clue) {
			t.Errorf("%s is recorded: %s", clue, recorded)
		}
	}
	if decisions, err := env.db.Reader().Decisions(env.ctx, id); err != nil || len(decisions) > 0 {
		t.Errorf("others can read %+v, %v", decisions, err)
	}
	env.verifyRows(id)
	env.decideNextSeat(m[2], id, domain.Approve)
	votes := env.disclosed(id)
	if len(votes) != 3 || votes[0].Person != m[0].UserID || votes[0].Verdict != "reject" ||
		votes[0].Reason == "" || votes[0].VotedAt.After(votedAt) || votes[1].Verdict != "approve" ||
		votes[2].Person != m[2].UserID {
		t.Fatalf("disclosed: %+v", votes)
	}
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived || env.approvedBy(id) != m[2].UserID {
		t.Errorf("the case is %s by %s", c.Status, env.approvedBy(id))
	}
	env.verifyRows(id)
}

// Whatever ends a committee discloses its votes, also those that were undone or had not taken effect.
func TestEveryEndOfACommitteeDisclosesItsVotes(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(env *testEnv, id domain.ID, member domain.Actor){
		"return": func(env *testEnv, id domain.ID, member domain.Actor) {
			env.decideNextSeat(member, id, domain.Return)
		},
		"deadline": func(env *testEnv, _ domain.ID, _ domain.Actor) {
			env.setClockOffset(49 * time.Hour)
			env.drainQueue()
		},
		"abandon": func(env *testEnv, id domain.ID, _ domain.Actor) {
			_, err := env.svc.AbandonCase(env.ctx, env.person("max", domain.RoleManager),
				casework.AbandonCase{CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "not needed"})
			must(env.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, id := newCommitteeEnv(t, "    seats: 5\n    quorum: 3\n    decide_by: majority\n"+
				"    abstain: true\n    votes: hidden\n    undo: 10m\n")
			m := env.members("jo", "jill", "joe")
			env.decideNextSeat(m[0], id, domain.Reject)
			undone := env.lastDecided(id, m[0])
			must(t, errOf(env.svc.UndoDecision(env.ctx, m[0], casework.ReviewTarget{ReviewID: undone})))
			env.setClockOffset(11 * time.Minute)
			env.decideNextSeat(m[1], id, domain.Approve)
			end(env, id, m[2])
			env.setClockOffset(50 * time.Hour)
			env.drainQueue()
			votes := env.disclosed(id)
			if len(votes) != 2 || votes[0].Revoked == nil || !*votes[0].Revoked ||
				votes[0].Verdict != "reject" || votes[1].Revoked != nil || votes[1].Verdict != "approve" {
				t.Errorf("disclosed: %+v", votes)
			}
			env.verifyRows(id)
		})
	}
}

// An external program whose stage fails ends the committee that works beside it.
func TestAFailureBesideACommitteeDisclosesItsVotes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(strings.NewReplacer("next: review}", "next: split}\n"+
		"  - {id: split, kind: fork, to: [review, outside]}\n"+
		"  - {id: outside, kind: external, topic: translation, attempts: 1, next: both, "+
		"errors: [{to: seal_rejected, cancel: all}]}\n  - {id: both, kind: join, next: archive}",
		"    seats: 2\n    undo: 10m\n    bulk: {max_amount: 20000000, max_risk: 100, undo: 20m}\n", hiddenMajority,
		"{approve: archive, reject: seal_rejected, return: validate}",
		"{approve: both, reject: {to: seal_rejected, cancel: all}, return: {to: validate, cancel: all}}").Replace(slowProcess))
	robo := env.externalWorker("robo", "translation")
	id := env.submitSlow(env.person("sam", domain.RoleSubmitter), "120.00", "R-1")
	env.decideNextSeat(env.members("jo")[0], id, domain.Approve)
	task := env.leaseTasks(robo)[0]
	must(t, errOf(env.svc.FailExternalTask(env.ctx, robo, casework.FailExternal{Lease: leaseOf(task),
		Code: domain.UnsupportedFile, Message: "x"})))
	env.drainQueue()
	env.requireState(id, domain.Rejected)
	if votes := env.disclosed(id); len(votes) != 1 || votes[0].Verdict != "approve" {
		t.Errorf("disclosed: %+v", votes)
	}
	if decisions, err := env.db.Reader().Decisions(env.ctx, id); err != nil || len(decisions) != 1 {
		t.Errorf("readable after the end: %+v, %v", decisions, err)
	}
	env.verifyRows(id)
}

// lastDecided returns the review that the person decided last.
func (env *testEnv) lastDecided(id domain.ID, person domain.Actor) (last domain.ID) {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	for _, review := range slices.Backward(reviews) {
		if review.Status == domain.ReviewDecided && review.Assignee == person.UserID {
			return review.ID
		}
	}
	env.t.Fatal("no decided review")
	return domain.NoID
}

// Another member does not read a hidden vote, also not with the help of a manager who reassigns its seat.
func TestOnlyTheVoterReadsAHiddenVote(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, hiddenMajority)
	m := env.members("jo", "jill")
	env.decideNextSeat(m[0], id, domain.Reject)
	own, err := env.db.Reader().DecisionsFor(env.ctx, m[0].UserID, id)
	must(t, err)
	if len(own) != 1 || own[0].Verdict != domain.Reject {
		t.Errorf("the voter reads %+v", own)
	}
	if others, err := env.db.Reader().DecisionsFor(env.ctx, m[1].UserID, id); err != nil || len(others) > 0 {
		t.Errorf("another member reads %+v, %v", others, err)
	}
	review := env.lastDecided(id, m[0])
	boss := env.person("max", domain.RoleManager)
	_, err = env.svc.ReassignReviews(env.ctx, boss, casework.ReassignReviews{
		Reviews: []domain.ID{review}, To: m[1].UserID, Reason: "to read the vote"})
	if env.lastDecided(id, m[0]) != review {
		t.Errorf("the seat of a member who has voted was reassigned: %v", err)
	}
}

// A delegate's hidden vote is read by the delegator as well: they are one head, and neither votes again.
func TestTheDelegatorReadsAHiddenVote(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, hiddenMajority)
	m := env.members("jo", "jill")
	lars := env.person("lars", domain.RoleL2)
	env.delegate(m[0], lars, domain.Scope{})
	env.decideNextSeat(onBehalfOf(lars, m[0]), id, domain.Reject)
	for reader, want := range map[domain.ID]int{m[0].UserID: 1, lars.UserID: 1, m[1].UserID: 0} {
		if read, err := env.db.Reader().DecisionsFor(env.ctx, reader, id); err != nil || len(read) != want {
			t.Errorf("%s reads %+v, %v", reader, read, err)
		}
	}
	for _, review := range env.undecidedReviews(id) {
		_, err := env.svc.ClaimReview(env.ctx, m[0], casework.ReviewTarget{ReviewID: review.ID})
		wantCode(t, err, domain.FourEyes)
	}
}

// A hidden vote that is shown, changed or deleted in the database is found: the event of the vote has
// its hash.
func TestTheAuditFindsAChangedHiddenVote(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`UPDATE decisions SET verdict = 'approve' WHERE case_id = '%s'`:                     "was changed",
		`UPDATE reviews SET vote_hidden = false WHERE case_id = '%s'`:                       "no event discloses it",
		`UPDATE reviews SET vote_hidden = true WHERE case_id = '%s' AND status = 'decided'`: "but an event discloses it",
		`DELETE FROM decisions WHERE case_id = '%s' AND verdict <> 'no'`:                    "is missing",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			env, id := newCommitteeEnv(t, hiddenMajority)
			m := env.members("jo", "jill")
			env.decideNextSeat(m[0], id, domain.Reject)
			if strings.Contains(change, "= true") { // after the committee
				env.decideNextSeat(m[1], id, domain.Reject)
			}
			env.ownerExec(fmt.Sprintf(change, id))
			result, err := env.newViews().Verify(env.ctx, id)
			must(t, err)
			if !strings.Contains(fmt.Sprint(result.Problems), want) {
				t.Errorf("the audit finds %+v", result.Problems)
			}
		})
	}
}
