package casework

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// The reasons for which a case does not move, besides those of workflow.
const (
	moveVersion workflow.MoveReason = "version"       // it no longer has the version
	moveBusy    workflow.MoveReason = "busy"          // a worker has leased one of its steps
	moveType    workflow.MoveReason = "document_type" // the version does not accept its document type
	moveStated  workflow.MoveReason = "attributes"    // it lacks an attribute that the version requires
	moveFiles   workflow.MoveReason = "documents"     // the version does not accept its supporting documents
	movePart    workflow.MoveReason = "part"          // a part of a file keeps a review by its name
	moveTouched workflow.MoveReason = "touched"       // something happened since the migration to undo
	moveRevoked workflow.MoveReason = "votes_revoked" // the migration to undo revoked votes or a claim
	moveFailed  workflow.MoveReason = "failed"
)

// MovedReview is an open review of a case that moves.
type MovedReview struct {
	ID            domain.ID
	Node          string // in the new version
	Before, After workflow.OpenReview
	Assignee      domain.ID
	Released      bool // the assignee may not take it any more
	Added         bool // a seat that the version adds
}

// RevokedVote is a vote that does not count in the new version.
type RevokedVote struct {
	Node   string // of the version that the case has
	Duty   string
	Person domain.ID
}

// NodeMove is a node at which a case waits, in both versions.
type NodeMove struct{ From, To string }

// CaseMove is what a migration does to one case.
type CaseMove struct {
	CaseID    domain.ID
	Reference string
	Status    domain.MoveStatus
	Reason    workflow.MoveReason // why it does not move
	Node      string
	Message   string
	Nodes     []NodeMove // where it waits
	Reviews   []MovedReview
	Revoked   []RevokedVote
	Changed   bool // since the proposal
}

// caseMigration is one case of a migration while it moves.
type caseMigration struct {
	*command
	migration domain.CaseMigration
	order     MigrationOrder
	from, to  *workflow.Definition
	result    domain.MigratedCase // stored so far; of an undo, that of the migration that is undone
	runs      []domain.StageRun
	rows      store.MovedRows
	move      CaseMove
	was       caseBefore
}

// caseBefore is what is needed to move a case back exactly.
type caseBefore struct {
	Marking domain.Marking `json:"marking"`
	Reviews []reviewBefore `json:"reviews,omitempty"`
	// Inexact says that votes were revoked or a claim was released.
	Inexact bool `json:"inexact,omitempty"`
}

// reviewBefore is an open review before it was moved.
type reviewBefore struct {
	ID         domain.ID `json:"id"`
	Queue      string    `json:"queue"`
	Level      int       `json:"level"`
	Duty       string    `json:"duty"`
	ClaimBy    time.Time `json:"claimBy"`
	DecideBy   time.Time `json:"decideBy"`
	AtRiskFrom time.Time `json:"atRiskFrom"`
}

// run moves the locked case. An error that is a *workflow.Immovable changes nothing.
func (m *caseMigration) run() error {
	m.move.CaseID, m.move.Reference = m.before.ID, m.before.Reference
	if err := m.checkCase(); err != nil {
		return err
	}
	if err := m.loadOpenWork(); err != nil {
		return err
	}
	marking, facts, fallen, err := m.movedMarking()
	if err != nil {
		return err
	}
	for i, token := range m.before.Marking.Tokens {
		m.move.Nodes = append(m.move.Nodes, NodeMove{token.Node, marking.Tokens[i].Node})
	}
	opened := workflow.OpenWork(m.from, m.before.Marking, facts)
	m.was.Marking = m.before.Marking
	m.enterVersion(marking)
	for _, review := range fallen {
		m.was.Inexact = true
		m.revokeVotesOf(review, "moved to another version of the process")
	}
	if err := m.rewire(opened, workflow.OpenWork(m.to, marking, facts)); err != nil {
		return err
	}
	m.change.Case.Status = m.statusWithIncidents(workflow.StatusOf(m.to, marking))
	m.emitMigrated()
	return nil
}

// checkCase refuses a case that cannot move whatever its marking is.
func (m *caseMigration) checkCase() error {
	renamed := func(kept domain.KeptReview) bool { return m.order.Plan.Nodes[kept.Node] != kept.Node }
	switch {
	case m.before.Status.Final():
		return refuseMove(workflow.MoveEnded, "The case has ended.")
	case m.before.ProcessVersion != m.migration.From:
		return refuseMove(moveVersion, "The case has another version of the process.")
	case len(m.to.DocumentTypes) > 0 && !slices.Contains(m.to.DocumentTypes, m.before.DocumentType):
		return refuseMove(moveType, "The new version does not accept the document type.")
	case domain.FitAttributes(m.to.Attributes, m.before.Attributes) != nil:
		return refuseMove(moveStated,
			"The case lacks an attribute that the new version requires, or has another value or type.")
	case slices.ContainsFunc(m.before.Part.Reviews, renamed):
		return refuseMove(movePart, "The part of a file keeps a review that the plan renames.")
	}
	return m.checkSupporting()
}

func refuseMove(reason workflow.MoveReason, message string) error {
	return &workflow.Immovable{Reason: reason, Message: message}
}

// loadOpenWork locks the reviews and runs of the case. Work that a worker or a program has leased, and
// a decision that can still be undone, end first.
func (m *caseMigration) loadOpenWork() error {
	if err := firstError(m.lockReviews(), m.loadIncidents()); err != nil {
		return err
	}
	if _, err := m.loadExclusions(); err != nil {
		return err
	}
	var err error
	if m.runs, err = m.tx.LockOpenRuns(m.ctx, m.before.ID); err != nil {
		return err
	}
	for _, run := range m.runs {
		if run.Status == domain.RunLeased || run.Kind == domain.RunKindUndoBy {
			return &workflow.Immovable{Reason: moveBusy, Node: run.Node,
				Message: "A step of the case is being executed. It is tried again."}
		}
	}
	return nil
}

// movedMarking returns the marking in the new version, the facts that its route is evaluated with,
// and the reviews whose votes do not count there.
func (m *caseMigration) movedMarking() (
	domain.Marking, domain.ProcessFacts, []domain.Review, error,
) {
	if m.order.Undoes != domain.NoID {
		return m.undoneMarking()
	}
	nothing := domain.Marking{}
	moved, err := workflow.MigrateMarking(m.from, m.to, m.order.Plan, m.before.Marking)
	if err != nil {
		return nothing, domain.ProcessFacts{}, nil, err
	}
	oldFacts, err := m.countedFacts(m.from, m.before.Marking, nil)
	if err != nil {
		return nothing, oldFacts, nil, err
	}
	fallen, err := m.fallenReviews()
	if err != nil {
		return nothing, oldFacts, nil, err
	}
	facts, err := m.countedFacts(m.to, moved, fallen)
	if err != nil {
		return nothing, facts, nil, err
	}
	for _, review := range fallen { // seats of a quorum that is not complete
		step, err := workflow.Advance(m.to, moved, workflow.Event{Kind: workflow.SeatReopened,
			Node: m.target(review.Node), Visit: review.Visit, Seat: review.Seat}, facts)
		if err == nil {
			moved = step.Marking
		} else if !domain.HasCode(err, domain.StateMismatch) {
			return nothing, facts, nil, err
		}
	}
	counted, err := m.withHiddenVotes(moved)
	if err != nil {
		return nothing, facts, nil, err
	}
	return workflow.WithoutVotes(m.to, moved), facts, fallen, workflow.MovingCase{From: m.from,
		To: m.to, Plan: m.order.Plan, Marking: m.before.Marking, Moved: counted, OldFacts: oldFacts,
		Facts: facts, Narrower: m.narrower}.CheckReviews()
}

// undoneMarking returns the marking from before the migration that is undone.
func (m *caseMigration) undoneMarking() (
	domain.Marking, domain.ProcessFacts, []domain.Review, error,
) {
	var was caseBefore
	if err := json.Unmarshal(m.result.Before, &was); err != nil {
		return was.Marking, domain.ProcessFacts{}, nil, fmt.Errorf("casework: case before: %w", err)
	}
	switch {
	case m.before.LastSeq != m.result.Seq:
		return was.Marking, domain.ProcessFacts{}, nil,
			refuseMove(moveTouched, "Something has happened to the case since it was moved.")
	case was.Inexact:
		return was.Marking, domain.ProcessFacts{}, nil,
			refuseMove(moveRevoked, "Votes or a claim ended when the case was moved.")
	}
	m.was.Reviews = was.Reviews
	facts, err := m.countedFacts(m.to, was.Marking, nil)
	return was.Marking, facts, nil, err
}

// target returns the name of a node in the new version, or its own if it is not mapped.
func (m *caseMigration) target(node string) string {
	if target, ok := m.order.Plan.Nodes[node]; ok {
		return target
	}
	return node
}

// countedFacts returns the facts of the case in one version, with the verdicts that count in it.
func (m *caseMigration) countedFacts(
	def *workflow.Definition, marking domain.Marking, fallen []domain.Review,
) (domain.ProcessFacts, error) {
	fields, err := m.storedFields()
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	findings, err := m.storedFindings()
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	record, before := m.before, m.def
	if record.Marking = marking; def != m.from {
		history, err := m.assertedBefore()
		if err != nil {
			return domain.ProcessFacts{}, err
		}
		record.Missing, record.Unstated = missingFacts(def, record, history)
	}
	m.def = def
	counted, err := m.processFacts(record, fields, findingsByStage(findings))
	if m.def = before; err != nil {
		return counted, err
	}
	counted.Verdicts = map[string]int{}
	cast, err := m.castVotes()
	if err != nil {
		return counted, err
	}
	present := coverageOf(def, record, func(name string) string { return fieldValue(fields, name) })
	for _, review := range cast.reviews {
		node := review.Node
		if def == m.to {
			node = m.target(node)
		}
		lost := slices.ContainsFunc(fallen, func(f domain.Review) bool { return f.ID == review.ID })
		if !lost && review.Visit == marking.Visits[node] && cast.decided(review) &&
			cast.counts(&m.change, review, present) {
			counted.Verdicts[node]++
		}
	}
	return counted, nil
}

// fallenReviews returns the decided reviews of the last visits whose votes do not count in the new
// version.
func (m *caseMigration) fallenReviews() ([]domain.Review, error) {
	fields, err := m.storedFields()
	if err != nil {
		return nil, err
	}
	present := coverageOf(m.to, m.before,
		func(name string) string { return fieldValue(fields, name) })
	var fallen []domain.Review
	for _, review := range m.reviews {
		node, _ := m.from.Node(review.Node)
		other, ok := m.to.Node(m.order.Plan.Nodes[review.Node])
		votes := m.exclusions.VotesIn(review.ID)
		if !ok || node == nil || len(votes) == 0 ||
			review.Visit != m.before.Marking.Visits[review.Node] {
			continue
		}
		if workflow.VoteCarries(node, other, review.Level) &&
			!slices.ContainsFunc(votes, func(vote domain.Vote) bool {
				return !voteCovers(vote, *m.exclusions, present)
			}) {
			continue
		}
		fallen = append(fallen, review)
		for _, vote := range votes {
			m.move.Revoked = append(m.move.Revoked, RevokedVote{review.Node, vote.Duty, vote.Person})
		}
	}
	return fallen, nil
}

// narrower reports whether everyone who may claim the case at one review may claim it at another.
func (m *caseMigration) narrower(old, other *workflow.Node) (bool, error) {
	before, err := m.eligibleAt(old)
	if err != nil {
		return false, err
	}
	after, err := m.eligibleAt(other)
	return !slices.ContainsFunc(after, func(id domain.ID) bool { return !slices.Contains(before, id) }),
		err
}

// eligibleAt returns the people who may claim a new review at a node.
func (m *caseMigration) eligibleAt(node *workflow.Node) ([]domain.ID, error) {
	review := domain.Review{ID: domain.NewID(), CaseID: m.before.ID, Node: node.ID, Queue: node.Queue,
		Level: node.Level, Duty: node.Duty, Status: domain.ReviewOpen, Submitter: m.before.Submitter}
	copyCaseFacts(&review, &m.before, m.def)
	users, facts, err := m.usersAndUnclaimed(review)
	var ids []domain.ID
	for _, user := range m.snapshot.authorizer.Eligible(users, domain.ActClaim, facts) {
		ids = append(ids, user.ID)
	}
	return ids, err
}

// enterVersion gives the case its new version and marking, and its rows the names of the new nodes.
func (m *caseMigration) enterVersion(marking domain.Marking) {
	m.def = m.to
	m.change.Case.ProcessVersion, m.change.Case.Marking = m.to.Version, marking
	m.rows = store.MovedRows{CaseID: m.before.ID, Version: m.to.Version,
		Renamed: map[string]string{}}
	for node, target := range m.order.Plan.Nodes {
		if node != target {
			m.rows.Renamed[node] = target
		}
	}
	for i := range m.reviews {
		m.reviews[i].Node = m.target(m.reviews[i].Node)
	}
	for i := range m.incidents {
		m.incidents[i].Node = m.target(m.incidents[i].Node)
	}
}

// emitMigrated emits the event that carries the new marking, as the last one of the change.
func (m *caseMigration) emitMigrated() {
	body := generated.CaseMigratedV1{MigrationID: m.migration.ID, Process: m.migration.Process,
		FromVersion: int64(m.migration.From), ToVersion: int64(m.migration.To), Nodes: []string{},
		ProposedBy: m.migration.ProposedBy, ConfirmedBy: m.migration.ConfirmedBy,
		Undoes: m.migration.Undoes}
	for _, node := range m.move.Nodes {
		body.Nodes = append(body.Nodes, node.From+" -> "+node.To)
	}
	for _, review := range m.move.Reviews {
		if !review.Added && !sameAssignment(review.Before, review.After) {
			body.Reviews = append(body.Reviews, fmt.Sprintf("%s: %s -> %s", review.ID,
				assignmentText(review.Before), assignmentText(review.After)))
		}
	}
	m.emitStatusEvent(body)
}

func sameAssignment(a, b workflow.OpenReview) bool {
	return a.Queue == b.Queue && a.Level == b.Level && a.Duty == b.Duty
}

func assignmentText(r workflow.OpenReview) string {
	return fmt.Sprintf("%s, %d, %s", r.Queue, r.Level, r.Duty)
}

// Texts describes queue, level and duty in both versions; before is empty for an added seat.
func (r MovedReview) Texts() (before, after string) {
	if !r.Added {
		before = assignmentText(r.Before)
	}
	return before, assignmentText(r.After)
}
