package views

import (
	"context"
	"slices"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/forecast"
	"countersign/store"
	"countersign/workflow"
)

// The bounds of a rehearsal.
const (
	MaxRehearsed = 10_000 // closed cases
	MaxNamed     = 1000   // cases that a result names
	// rehearsalPage is how many cases are in memory together.
	rehearsalPage = 50
	// rehearsalPause is the least time between two pages, in which other requests have the processors.
	rehearsalPause = 10 * time.Millisecond
	// restTime is for how long in all a rehearsal pauses after each page as long as the page took. Afterwards it has
	// the least pauses, so that it ends in time.
	restTime = maxRehearsalTime / 6
	// maxRehearsalTime is after what time a rehearsal ends with the cases that it has read.
	maxRehearsalTime = time.Minute
	// maxRehearsalStatement is how long one statement may take.
	maxRehearsalStatement = 5 * time.Second
	maxMissingFacts       = 50 // different sentences about missing facts
)

// RehearsalQuery asks what a change would have done to recent cases.
type RehearsalQuery struct {
	Change RehearsalChange
	// Process is the key of the process whose cases are rehearsed. It may be empty if the change does not
	// belong to a process; cases of all are rehearsed then.
	Process string
	// Closed is how many of the newest closed cases are rehearsed, and Open says that all open ones are too.
	Closed int
	Open   bool
	// Named is how many differing cases the result names at most. The counts include all.
	Named int
	Zone  string // of the days in the simulation of queues
	// Recorded rehearsals use of cases with confidential reviews only what everyone sees who may read them,
	// because the sums have other readers than the person who asks. Base is the version that the text
	// replaces.
	Recorded bool
	Base     int
}

// RehearsalChange is the change that is rehearsed; exactly one field is set.
type RehearsalChange struct {
	Process   string // text of a definition
	Rules     string // text of a rule set
	Policy    string // text of a policy
	Limit     *RehearsedLimit
	Calendar  *domain.Calendar // with the name of the calendar that it replaces
	Deadline  *QueueDeadline
	Reviewers *QueueReviewers
}

// RehearsedLimit is a limit of a role, or its removal.
type RehearsedLimit struct {
	domain.Limit
	Drop bool
}

// QueueDeadline changes the time to decide of a queue.
type QueueDeadline struct {
	Queue   string
	Percent int // of the time that its reviews had
}

// QueueReviewers changes the number of reviewers of a queue.
type QueueReviewers struct {
	Queue string
	More  int // fewer if it is negative
}

// Rehearsal is what a change would have done. Both sides are simulated, so that nothing but the change
// makes a difference between them.
type Rehearsal struct {
	// Closed and Open are the rehearsed cases. Hidden ones were not, because the viewer may not read them or
	// submitted them.
	Closed, Open, Hidden int
	// Erased cases were not either, because they have no facts any more.
	Erased int
	// OtherVersions are cases that used another version of the process than the one that a recorded text
	// replaces.
	OtherVersions int
	// Simplified cases were rehearsed with the facts that the viewer may see, with every review approved.
	Simplified int
	// HiddenVotes are cases with votes that are still hidden. Each counts as an approval, whatever it is, so
	// that a rehearsal says nothing about it.
	HiddenVotes int
	// Complete says that all cases were rehearsed in the time.
	Complete bool
	domain.RehearsalCounts
	// OtherReviews are cases with reviews that another queue, level or duty decides, or in the place of others.
	OtherReviews int
	// UnassignedBefore and UnassignedAfter are cases with a review that its queue would assign to no one,
	// because no person who may claim it and was there has the skills.
	UnassignedBefore, UnassignedAfter int
	Missing                           []MissingFact
	Different                         []RehearsedCase
	// People are the reviewers whose work changes; nil if the viewer may not see the list of people.
	People []domain.RehearsedPerson
	// Queues are simulated over time; nil if the viewer may not see forecasts.
	Queues        []QueueReplay
	UnknownQueues []string
	QueueError    forecast.Error
	// Rules are the rules whose findings differ or are not known; nil if no rule set is rehearsed.
	Rules []RehearsedRule
	// Changed is what changed of the people since the oldest case; nil if the viewer may not see them.
	Changed *PermissionChanges
}

// PermissionChanges say how far the people of today differ from those of the past.
type PermissionChanges struct {
	Since time.Time
	store.PermissionChanges
}

// MissingFact is why cases have no route, with the node at which they stop.
type MissingFact struct {
	Node, Message string
	Lacks         string // names of facts, separated by commas; empty if a case has no route
	Cases         int
}

// RehearsedCase is a case that would have been treated in another way.
type RehearsedCase struct {
	Case          CaseView
	Before, After []string // nodes of the route, in the order of the definition
	// Added and Dropped are nodes of reviews that would have more or fewer seats.
	Added, Dropped []string
	// Changed are nodes of reviews that another queue, level or duty would decide.
	Changed             []string
	EndBefore, EndAfter domain.Status
	// Asked are the reviews that the change asks for.
	Asked                     []RehearsedReview
	TooFewBefore, TooFewAfter bool
	// UnassignedBefore and UnassignedAfter say that a queue would assign one of its reviews to no one.
	UnassignedBefore, UnassignedAfter bool
	// Problem is why the change has no route for the case, and ProblemNode where it stops.
	Problem, ProblemNode string
	// Lacks are the facts that the change needs and the case lacks.
	Lacks []string
	// Found and Lost are rules with a finding on one side only, Unknown those whose result is not known.
	Found, Lost, Unknown  []string
	RiskBefore, RiskAfter int
	// RefusedBy are the rules because of which recorded approvals would have been refused.
	RefusedBy  []string
	impossible bool
}

// RehearsedReview is a seat of a review that the change asks for.
type RehearsedReview struct {
	Node, Queue string
	// Verdict is the recorded one; empty if the review did not exist, so that a person would have been asked.
	Verdict domain.Verdict
	// Eligible is how many people could have taken it, and Assignable to how many of them its queue would have
	// assigned it.
	Eligible, Assignable int
}

// Rehearse simulates recent cases as they were and with the change, for people who may publish, and for
// owners of processes the text of an open proposal. It reads only, a page of cases after the other, and one
// at a time in the whole installation.
func (v *Views) Rehearse(ctx context.Context, actor domain.Actor, query RehearsalQuery) (*Rehearsal,
	error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActPublish, domain.ActDecide)
	if err != nil {
		return nil, err
	}
	if err := v.mayRehearse(ctx, actor, viewer, query); err != nil {
		return nil, err
	}
	r, err := v.prepareRehearsal(ctx, viewer, query)
	if err != nil {
		return nil, err
	}
	if err := v.reader.Alone(ctx, "rehearsal", r.readAll(ctx)); err != nil {
		return nil, err
	}
	r.finish()
	if err := r.countPermissionChanges(ctx); err != nil {
		return nil, err
	}
	if err := r.replayQueues(ctx); err != nil {
		return nil, err
	}
	r.finishPeople()
	return r.found, nil
}

// mayRehearse requires the right to publish, or that an owner rehearses what they decide about: the text of
// an open proposal. An owner with a text of their own could ask about any case that they may read in part.
func (v *Views) mayRehearse(ctx context.Context, actor domain.Actor, viewer viewer, query RehearsalQuery,
) error {
	_, refusal := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish)
	if refusal == nil {
		refusal = actor.RequireScope(domain.ActPublish)
	}
	if refusal == nil || query.Change.Process == "" || actor.OnBehalfOf != domain.NoID {
		return refusal
	}
	owner, err := v.ownsProcess(ctx, viewer)
	if err != nil || !owner {
		return firstError(err, refusal)
	}
	open, err := v.reader.Proposals(ctx, store.ProposalQuery{
		Kinds:  []domain.ProposalKind{domain.ProposeProcess},
		Status: domain.ProposalOpen, Limit: maxOwnerChanges})
	if err == nil && !slices.ContainsFunc(open, func(p domain.Proposal) bool {
		return p.Document == query.Change.Process
	}) {
		err = refusal
	}
	return err
}

// rehearsal is a Rehearsal that is being made.
type rehearsal struct {
	views  *Views
	viewer viewer
	shown  *CaseViewer
	filter domain.Filter // cases that the viewer may read
	query  RehearsalQuery
	zone   *time.Location
	def    *workflow.Definition // nil if the change leaves processes as they are
	rules  *rehearsedRules      // nil if the change leaves rule sets as they are
	// before and after are the people with the policy.
	before, after staff
	found         *Rehearsal
	people        map[domain.ID]*rehearsedPerson
	assign        *assignments
	missing       map[MissingFact]int
	queues        queueChanges
	oldest        time.Time     // submission of the oldest rehearsed case
	rested        time.Duration // pauses so far
}

// staff are people with the policy that decides what they may do.
type staff struct {
	policy *authz.Authority
	people []domain.User
}

// same reports whether both are the same people under the same policy.
func (s staff) same(other staff) bool {
	return s.policy == other.policy && len(s.people) == len(other.people) &&
		(len(s.people) == 0 || &s.people[0] == &other.people[0])
}
