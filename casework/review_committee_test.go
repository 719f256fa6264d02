package casework_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// committeeProcess is a process in which a committee decides.
func committeeProcess(attributes string) string {
	return strings.Replace(strings.Replace(slowProcess, "    seats: 2\n    undo: 10m\n"+
		"    bulk: {max_amount: 20000000, max_risk: 100, undo: 20m}\n", attributes, 1),
		"return: validate}\n", "return: validate}\n    timeout: {after: 48h, to: late}\n"+
			"  - {id: late, kind: review, queue: L2, duty: late, on: {approve: archive, reject: seal_rejected}}\n", 1)
}

const majorityOfThree = "    seats: 3\n    decide_by: majority\n    abstain: true\n"

// newCommitteeEnv returns a test environment with a case in review by a committee.
func newCommitteeEnv(t *testing.T, attributes string) (env *testEnv, id domain.ID) {
	t.Helper()
	env = newTestEnv(t)
	env.publish(committeeProcess(attributes))
	return env, env.submitSlow(env.person("sam", domain.RoleSubmitter), "120.00", "R-1")
}

// members returns reviewers of the first level.
func (env *testEnv) members(names ...string) (members []domain.Actor) {
	for _, name := range names {
		members = append(members, env.person(name, domain.RoleL1))
	}
	return members
}

// A committee of three decides by the majority of the votes cast; who abstained has voted, and the last
// approval is the one that the case is approved by.
func TestACommitteeDecidesByMajority(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, "    seats: 4\n    decide_by: majority\n    abstain: true\n")
	m := env.members("jo", "jill", "joe", "jan")
	env.decideNextSeat(m[0], id, domain.Approve)
	env.decideNextSeat(m[1], id, domain.Approve)
	env.decideNextSeat(m[2], id, domain.Abstain)
	if c := env.caseByID(id); c.Status != domain.InReview || env.voteCount(id) != 3 {
		t.Fatalf("the case is %s with %d votes", c.Status, env.voteCount(id))
	}
	for _, review := range env.undecidedReviews(id) {
		_, err := env.svc.ClaimReview(env.ctx, m[2], casework.ReviewTarget{ReviewID: review.ID})
		wantCode(t, err, domain.FourEyes)
	}
	env.decideNextSeat(m[3], id, domain.Reject)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Fatalf("the case is %s", c.Status)
	}
	if by := env.approvedBy(id); by != m[1].UserID {
		t.Errorf("the case was approved by %s, want the last who approved", by)
	}
	env.verifyRows(id)
}

// verifyRows checks that the case's log, and the decisions and votes recorded in it, agree with
// the database.
func (env *testEnv) verifyRows(id domain.ID) {
	env.t.Helper()
	env.verifyCaseLog(id)
	result, err := env.newViews().Verify(env.ctx, id)
	must(env.t, err)
	if len(result.Problems) > 0 {
		env.t.Errorf("the audit finds %+v", result.Problems)
	}
}

// approvedBy returns the person that the case's approval is attributed to.
func (env *testEnv) approvedBy(id domain.ID) (by domain.ID) {
	env.t.Helper()
	found, err := env.db.Reader().LastEventsOfTypes(env.ctx, 100,
		[]domain.EventType{domain.CaseApproved}, id)
	must(env.t, err)
	for _, event := range found {
		if event.Type == domain.CaseApproved {
			var body generated.CaseApprovedV1
			must(env.t, json.Unmarshal(event.Body, &body))
			by = body.By
		}
	}
	return by
}

// At the deadline the votes that were cast decide if they are enough. Without a quorum the case goes
// to the reviewers of the deadline.
func TestTheDeadlineOfACommittee(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		votes  []domain.Verdict
		status domain.Status
		late   bool
	}{
		"quorum":    {[]domain.Verdict{domain.Approve, domain.Abstain}, domain.Archived, false},
		"tie":       {[]domain.Verdict{domain.Approve, domain.Reject}, domain.InReview, true},
		"no quorum": {[]domain.Verdict{domain.Approve}, domain.InReview, true},
		"no vote":   {nil, domain.InReview, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, id := newCommitteeEnv(t,
				"    seats: 5\n    quorum: 2\n    decide_by: majority\n    abstain: true\n")
			members := env.members("jo", "jill")
			for i, verdict := range c.votes {
				env.decideNextSeat(members[i], id, verdict)
			}
			env.setClockOffset(49 * time.Hour)
			env.drainQueue()
			if found := env.caseByID(id); found.Status != c.status {
				t.Errorf("the case is %s", found.Status)
			}
			late := slices.ContainsFunc(env.undecidedReviews(id),
				func(r domain.Review) bool { return r.Node == "late" })
			if late != c.late {
				t.Errorf("escalated: %v", late)
			}
			env.verifyCaseLog(id)
		})
	}
}

// A member with a conflict of interest cannot take a seat; the number of seats stays, and another
// person takes it.
func TestAConflictedMemberIsReplaced(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, majorityOfThree)
	m := env.members("jo", "jill", "joe", "jan")
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: m[0].UserID, Party: "Muster Werke GmbH", Reason: "shares"})))
	seats := env.undecidedReviews(id)
	if len(seats) != 3 {
		t.Fatalf("%d seats", len(seats))
	}
	for _, seat := range seats {
		_, err := env.svc.ClaimReview(env.ctx, m[0], casework.ReviewTarget{ReviewID: seat.ID})
		wantCode(t, err, domain.ConflictOfInterest)
	}
	env.decideNextSeat(m[1], id, domain.Approve)
	env.decideNextSeat(m[2], id, domain.Approve)
	if c := env.caseByID(id); c.Status != domain.InReview {
		t.Fatalf("two of three seats decided: %s", c.Status)
	}
	env.decideNextSeat(m[3], id, domain.Approve)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
}

// A delegate and the delegator are one head, whichever of them votes first.
func TestADelegateTakesTheSeatOfTheDelegator(t *testing.T) {
	t.Parallel()
	for _, delegateFirst := range []bool{true, false} {
		env, id := newCommitteeEnv(t, majorityOfThree)
		m := env.members("jo", "jill", "joe")
		env.delegate(m[0], m[1], domain.Scope{})
		onBehalf := onBehalfOf(m[1], m[0])
		first, others := onBehalf, []domain.Actor{m[0], m[1], onBehalf}
		if !delegateFirst {
			first, others = m[0], []domain.Actor{m[0], onBehalf}
		}
		env.decideNextSeat(first, id, domain.Approve)
		for _, seat := range env.undecidedReviews(id) {
			for _, other := range others {
				_, err := env.svc.ClaimReview(env.ctx, other,
					casework.ReviewTarget{ReviewID: seat.ID})
				wantCode(t, err, domain.FourEyes)
			}
		}
	}
}

// One person cannot confirm an own change by letting the others abstain: an approval by who changed a
// value needs another approval first, and an abstention is none.
func TestAnAbstentionConfirmsNoChange(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, majorityOfThree)
	m := env.members("jo", "jill", "joe")
	env.decideNextSeat(m[1], id, domain.Abstain)
	env.decideNextSeat(m[2], id, domain.Abstain)
	review := env.claim(m[0], id)
	must(t, env.correct(m[0], id, domain.FieldDueDate, "2027-01-31"))
	wantCode(t, env.decide(m[0], review.ID, domain.Approve, ""), domain.FourEyes)
	env.wantApproval(m[0], review.ID, domain.FourEyes)
}

// A review without abstentions refuses one, and an abstention needs a reason as a rejection does.
func TestAbstentionsAreAllowedByTheProcess(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, "    seats: 3\n    decide_by: majority\n")
	jo := env.members("jo")[0]
	wantCode(t, env.decide(jo, env.claim(jo, id).ID, domain.Abstain, "unsure"), domain.InvalidInput)
	allowed, other := newCommitteeEnv(t, majorityOfThree)
	jill := allowed.members("jill")[0]
	review := allowed.claim(jill, other)
	wantCode(t, allowed.decide(jill, review.ID, domain.Abstain, " "), domain.ValidationFailed)
	must(t, allowed.decide(jill, review.ID, domain.Abstain, "unsure"))
}

// Votes of a committee can be undone within the time for it, an abstention as well; the seat is open
// again, and the votes are counted without it.
func TestAVoteOfACommitteeIsUndone(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, majorityOfThree+"    undo: 10m\n")
	m := env.members("jo", "jill", "joe")
	seat := env.decideNextSeat(m[0], id, domain.Abstain)
	again, err := env.svc.UndoDecision(env.ctx, m[0], casework.ReviewTarget{ReviewID: seat})
	must(t, err)
	must(t, errOf(env.svc.ClaimReview(env.ctx, m[0], casework.ReviewTarget{ReviewID: again.ReviewID})))
	must(t, env.decide(m[0], again.ReviewID, domain.Reject, "it is wrong"))
	env.decideNextSeat(m[1], id, domain.Abstain)
	env.decideNextSeat(m[2], id, domain.Abstain)
	env.setClockOffset(11 * time.Minute)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Rejected {
		t.Errorf("the case is %s", c.Status)
	}
	env.verifyRows(id)
}

// A corrected key value revokes the votes of a committee that still votes, an abstention and a
// rejection as well as an approval. Each seat is asked again, and those votes decide.
func TestACorrectionAsksACommitteeAgain(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, "    seats: 5\n    quorum: 3\n    decide_by: majority\n    abstain: true\n")
	m := env.members("jo", "jill", "joe", "jan", "jim")
	for i, verdict := range []domain.Verdict{domain.Approve, domain.Reject, domain.Abstain} {
		env.decideNextSeat(m[i], id, verdict)
	}
	env.claim(m[3], id)
	must(t, env.correct(m[3], id, domain.FieldTotal, "130000.00"))
	if open := env.undecidedReviews(id); len(open) != 5 || env.voteCount(id) != 0 {
		t.Fatalf("%d seats are open with %d votes", len(open), env.voteCount(id))
	}
	for _, member := range []domain.Actor{m[0], m[1], m[2]} {
		env.decideNextSeat(member, id, domain.Reject)
	}
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Rejected || c.OutcomeReason != "because" {
		t.Errorf("the case is %s for %q", c.Status, c.OutcomeReason)
	}
	env.verifyRows(id)
}

// The seat with the veto is in a queue of its own: other members cannot take it, nothing is approved
// without its vote, and its rejection rejects.
func TestTheVetoOfACommittee(t *testing.T) {
	t.Parallel()
	env, id := newCommitteeEnv(t, "    seats: 3\n    quorum: 2\n    decide_by: majority\n    veto_queue: AML\n")
	m := env.members("jo", "jill", "joe")
	amy := env.amlOfficer("amy")
	env.decideNextSeat(m[0], id, domain.Approve)
	env.decideNextSeat(m[1], id, domain.Approve)
	open := env.undecidedReviews(id)
	if len(open) != 1 || open[0].Queue != domain.QueueAML {
		t.Fatalf("open: %+v", open)
	}
	_, err := env.svc.ClaimReview(env.ctx, m[2], casework.ReviewTarget{ReviewID: open[0].ID})
	wantCode(t, err, domain.NotFound)
	env.decideNextSeat(amy, id, domain.Reject)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Rejected {
		t.Errorf("the case is %s", c.Status)
	}
}

// One person takes two duties only where the process names two: two reviews without a duty have the
// same one.
func TestTwoDutiesOfOnePersonAreNamedByTheProcess(t *testing.T) {
	t.Parallel()
	for duty, code := range map[string]domain.Code{"": domain.FourEyes, "duty: second, ": ""} {
		env := newTestEnv(t)
		env.publish(strings.Replace(strings.Replace(slowProcess, "    seats: 2\n    undo: 10m\n", "", 1),
			"on: {approve: archive, reject: seal_rejected, return: validate}\n",
			"on: {approve: again, reject: seal_rejected, return: validate}\n  - {id: again, kind: review, "+
				"queue: L1, "+duty+"on: {approve: archive, reject: seal_rejected}}\n", 1))
		id := env.submitSlow(env.person("sam", domain.RoleSubmitter), "120.00", "R-1")
		jo := env.members("jo", "jill")[0]
		must(t, env.decide(jo, env.claim(jo, id).ID, domain.Approve, ""))
		_, err := env.svc.ClaimReview(env.ctx, jo,
			casework.ReviewTarget{ReviewID: env.openReview(id).ID})
		if domain.CodeOf(err) != code {
			t.Errorf("with %q: %v", duty, err)
		}
	}
}
