package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// neverYear is the year of deadlines that never occur.
const neverYear = 9999

// NextKind is the kind of step that a case waits for.
type NextKind string

// Kinds of next steps.
const (
	NextStage          NextKind = "stage"           // the system is processing the document
	NextRetry          NextKind = "retry"           // a stage failed and is retried automatically
	NextReviewOpen     NextKind = "review_open"     // any eligible reviewer of the queue can claim it
	NextReviewAssigned NextKind = "review_assigned" // assigned to one reviewer
	NextReviewClaimed  NextKind = "review_claimed"  // claimed by one reviewer
	NextInReview       NextKind = "in_review"       // what a submitter sees instead of the three above
	NextResubmit       NextKind = "resubmit"        // the submitter has to answer
	NextIncident       NextKind = "incident"        // a stage needs a recovery action
	NextFinished       NextKind = "finished"        // the case is final
)

// NextStep describes the next step of a case: a kind and values for any language, and an English
// sentence.
type NextStep struct {
	Kind     NextKind
	Sentence string
	By       *time.Time // nil without a deadline
	Late     bool
	Stage    *string // behaviour of the node; nil for steps of people
	Attempt  *int
	Queue    *string // nil for submitters
	// ClaimBy and DecideBy are the deadlines of the review; nil for submitters and other kinds of steps.
	ClaimBy, DecideBy *time.Time
	// Review is the review that the case waits for; the zero value for submitters and other kinds
	// of steps.
	Review domain.Review
}

// Next computes the next step of the case from its runs and the reviews that the viewer may see.
func (v *Views) Next(ctx context.Context, c CaseView,
	reviews []domain.Review, runs []domain.StageRun, now time.Time) (NextStep, error) {
	var next NextStep
	switch {
	case c.Status.Final():
		next = NextStep{Kind: NextFinished, Sentence: "The case is closed: " + string(c.Status) +
			"."}
	case c.Status == domain.Incident:
		next = NextStep{Kind: NextIncident,
			Sentence: "A step failed permanently. Retry it, replace the file, enter the values or abandon the case."}
		if at := slices.IndexFunc(runs, func(r domain.StageRun) bool {
			return r.Status == domain.RunIncident
		}); at >= 0 {
			def, err := v.definition(ctx, c.Case)
			if err != nil {
				return next, err
			}
			next.Stage, next.Attempt = behaviourOf(def, runs[at].Node), &runs[at].Attempt
		}
	case c.Status == domain.Returned:
		next = NextStep{Kind: NextResubmit,
			Sentence: "The submitter has to provide the requested information and resubmit."}
	default:
		if at := slices.IndexFunc(reviews, undecided); at >= 0 {
			next = nextReview(reviews, at, c.Audience, now)
			break
		}
		if c.Redacted && c.Status == domain.InReview {
			next = NextStep{Kind: NextInReview, Sentence: sentenceInReview}
			break
		}
		def, err := v.definition(ctx, c.Case)
		if err != nil {
			return next, err
		}
		next = nextStage(def, runs, now)
	}
	if next.By != nil && next.By.Year() >= neverYear {
		next.By = nil
	}
	next.Late = next.By != nil && next.By.Before(now)
	return next, nil
}

// sentenceInReview is what viewers see who may not know which review a case is in.
const sentenceInReview = "Waiting for a decision."

func undecided(r domain.Review) bool {
	return r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed
}

func nextReview(reviews []domain.Review, at int, audience domain.Audience,
	now time.Time) NextStep {
	review := reviews[at]
	if audience != domain.AudienceStaff {
		// Submitters see the deadline of the first review of this visit, because further reviews
		// must not move it.
		first := review
		for _, other := range reviews {
			if other.Node == review.Node && other.Visit == review.Visit &&
				other.CreatedAt.Before(first.CreatedAt) {
				first = other
			}
		}
		return NextStep{Kind: NextInReview, Sentence: sentenceInReview,
			By: &first.DecideBy}
	}
	by, _ := review.NextDeadline(now)
	next := NextStep{Queue: &review.Queue, Review: review, By: &by,
		ClaimBy: deadline(review.ClaimBy), DecideBy: deadline(review.DecideBy)}
	switch {
	case review.Status == domain.ReviewClaimed:
		next.Kind, next.Sentence = NextReviewClaimed, "The assignee is deciding the review."
	case review.AwaitsDraw():
		next.Kind, next.Sentence = NextReviewOpen, "The reviewer is assigned by draw, and no one has been drawn yet."
	case review.Drawn():
		next.Kind, next.Sentence = NextReviewAssigned, "The reviewer who was drawn has to claim the review."
	case review.Assignee != domain.NoID:
		next.Kind, next.Sentence = NextReviewAssigned, "The assignee has to claim the review."
	default:
		next.Kind, next.Sentence = NextReviewOpen, fmt.Sprintf("A reviewer of queue %s has to claim the review.", review.Queue)
	}
	return next
}

// deadline returns nil for a deadline that never occurs.
func deadline(at time.Time) *time.Time {
	if at.Year() >= neverYear {
		return nil
	}
	return &at
}

func behaviourOf(def *workflow.Definition, id string) *string {
	name := id
	if node, ok := def.Node(id); ok {
		name = cmp.Or(node.Behaviour, id)
	}
	return &name
}

// nextStage describes the current run or its next attempt. Without one, it describes the timer that
// the case waits for.
func nextStage(def *workflow.Definition, runs []domain.StageRun, now time.Time) NextStep {
	next := NextStep{Kind: NextStage, Sentence: "The document is being processed."}
	for i := range runs {
		run := &runs[i]
		node, ok := def.Node(run.Node)
		if ok && node.Kind == workflow.KindTimer && run.Kind == domain.RunKindTimer &&
			run.Status == domain.RunPending {
			next.Stage, next.By, next.Sentence = behaviourOf(def, run.Node), &run.RunAfter,
				"The case waits for a timer."
		}
	}
	for i := range runs {
		run := &runs[i]
		if run.Kind != domain.RunKindStage && run.Kind != domain.RunKindSaga ||
			run.Status != domain.RunPending && run.Status != domain.RunLeased {
			continue
		}
		next.Stage, next.Attempt, next.By = behaviourOf(def, run.Node), &run.Attempt, nil
		if title := titleOf(def, run.Node); title != "" {
			next.Sentence = "In progress: " + title + "."
		}
		if run.Status == domain.RunPending && run.Attempt > 1 && run.RunAfter.After(now) {
			next.Kind, next.By = NextRetry, &run.RunAfter
			next.Sentence = fmt.Sprintf(
				"A step failed and will be retried automatically (attempt %d).", run.Attempt)
		}
		return next
	}
	return next
}

func titleOf(def *workflow.Definition, id string) string {
	node, ok := def.Node(id)
	if !ok {
		return ""
	}
	return node.Title["en"]
}

// EligiblePeople returns, for cases that the actor may read as staff, the users who can perform the
// next step of each.
func (v *Views) EligiblePeople(ctx context.Context, actor domain.Actor, cases []domain.Case,
	steps map[domain.ID]NextStep, reviews map[domain.ID][]domain.Review) (
	map[domain.ID][]domain.User, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	users, err := v.reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	exclusions, err := v.reader.ExclusionsOfCases(ctx, cases)
	if err != nil {
		return nil, err
	}
	eligible := make(map[domain.ID][]domain.User, len(cases))
	for _, c := range cases {
		step := steps[c.ID]
		switch step.Kind {
		case NextReviewClaimed, NextReviewAssigned:
			eligible[c.ID] = activeUser(users, step.Review.Assignee)
		case NextReviewOpen:
			hasAmount, err := v.hasAmount(ctx, c)
			if err != nil {
				return nil, err
			}
			// NewReviewFacts gets no clock here, because the lease of a claim does not affect
			// eligibility.
			facts := store.NewReviewFacts(c, step.Review, exclusions[c.ID], hasAmount, c.UpdatedAt)
			eligible[c.ID] = viewer.policy.Eligible(users, domain.ActClaim, facts)
			if len(eligible[c.ID]) == 0 {
				eligible[c.ID] = viewer.policy.EligibleToReturn(users, facts)
			}
		case NextResubmit:
			eligible[c.ID] = activeUser(users, c.Submitter)
		case NextIncident:
			eligible[c.ID] = retryCandidates(viewer.policy, users, c,
				store.NewCaseFacts(c, reviews[c.ID], exclusions[c.ID]))
		}
	}
	return eligible, nil
}

// activeUser returns the user with the id, or no user if the account is disabled.
func activeUser(users []domain.User, id domain.ID) []domain.User {
	return slices.DeleteFunc(slices.Clone(users), func(u domain.User) bool {
		return u.ID != id || u.Disabled
	})
}

// retryCandidates returns the users who may retry the incident, the submitter first.
func retryCandidates(policy *authz.Authority, users []domain.User, c domain.Case,
	facts domain.CaseFacts) []domain.User {
	var candidates []domain.User
	for _, user := range users {
		if _, err := policy.AuthorizeCase(user, domain.ActRetry, facts); err == nil {
			candidates = append(candidates, user)
		}
	}
	slices.SortStableFunc(candidates, func(a, b domain.User) int {
		first := func(u domain.User) int {
			if u.ID == c.Submitter {
				return 0
			}
			return 1
		}
		return first(a) - first(b)
	})
	return candidates
}
