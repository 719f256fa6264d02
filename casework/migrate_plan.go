package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// MigrationOrder is what two persons carry: the plan, what happens to deadlines, and the migration
// that is undone instead, if any.
type MigrationOrder struct {
	Plan workflow.MigrationPlan `json:"plan"`
	// RestartDeadlines lets the deadlines of open reviews and timers begin again; otherwise they are
	// kept.
	RestartDeadlines bool      `json:"restartDeadlines,omitempty"`
	Undoes           domain.ID `json:"undoes,omitzero"`
}

// PlanMigration asks for a plan between two versions of a process. Nodes are the chosen pairs; a node
// mapped to "" stays, and other nodes keep their ids.
type PlanMigration struct {
	Process          string
	From, To         int
	Nodes            map[string]string
	RestartDeadlines bool
}

// CheckedMigration is a plan with what was found about it.
type CheckedMigration struct {
	From, To *workflow.Definition
	Order    MigrationOrder
	Problems []workflow.Problem
	Cases    int // running cases of the version From
}

// CheckMigration completes a plan with the default pairs and checks it, without storing it.
func (svc *Service) CheckMigration(
	ctx context.Context, actor domain.Actor, in PlanMigration,
) (CheckedMigration, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return CheckedMigration{}, err
	}
	return svc.checkMigration(ctx, in)
}

func (svc *Service) checkMigration(
	ctx context.Context, in PlanMigration,
) (checked CheckedMigration, err error) {
	r := svc.db.Reader()
	if checked.From, err = svc.plannedVersion(ctx, r, "fromVersion", in.Process, in.From); err != nil {
		return checked, err
	}
	if checked.To, err = svc.plannedVersion(ctx, r, "toVersion", in.Process, in.To); err != nil {
		return checked, err
	}
	checked.Order = MigrationOrder{RestartDeadlines: in.RestartDeadlines,
		Plan: workflow.NewMigrationPlan(checked.From, checked.To, in.Nodes)}
	checked.Problems = workflow.CheckPlan(checked.From, checked.To, checked.Order.Plan)
	checked.Cases, err = r.CountMovableCases(ctx, in.Process, in.From)
	return checked, err
}

// plannedVersion returns a version that a plan names in the field; InvalidInput if it does not exist.
func (svc *Service) plannedVersion(
	ctx context.Context, r store.Reader, field, process string, version int,
) (*workflow.Definition, error) {
	def, err := svc.definitions.get(ctx, r, process, version)
	if domain.HasCode(err, domain.ProcessorNotFound) {
		return nil, domain.Invalid(field, "The process %q has no version %d.", process, version)
	}
	return def, err
}

// refusedPlan returns the refusal of a plan with problems.
func refusedPlan(problems []workflow.Problem) error {
	err := domain.Errorf(domain.ValidationFailed, "The plan was refused: %s", problems[0])
	if more := len(problems) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "nodes"
	return err.WithRemedy("Correct the plan and check it again.")
}

// ProposeMigration asks to propose a migration, which another administrator must confirm.
type ProposeMigration struct {
	Once Once
	PlanMigration
	Reason string
}

// ProposeMigration proposes to move the running cases of a version. It requires the right to publish.
func (svc *Service) ProposeMigration(
	ctx context.Context, actor domain.Actor, in ProposeMigration,
) (ControlResult, error) {
	const operation = "proposeMigration"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("process", []string{in.Process}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	checked, err := svc.CheckMigration(ctx, actor, in.PlanMigration)
	if err != nil {
		return ControlResult{}, err
	}
	if len(checked.Problems) > 0 {
		return ControlResult{}, refusedPlan(checked.Problems)
	}
	return svc.proposeMigration(ctx, actor, operation, in.Once, in, in.Process, reason, checked.Order)
}

// UndoMigration asks to propose that the cases that a migration has moved are moved back.
type UndoMigration struct {
	Once        Once
	MigrationID domain.ID
	Reason      string
}

// UndoMigration proposes to undo a migration, which another administrator must confirm: it takes back
// what two persons carried. Only cases to which nothing has happened since move back.
func (svc *Service) UndoMigration(
	ctx context.Context, actor domain.Actor, in UndoMigration,
) (ControlResult, error) {
	const operation = "undoMigration"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return ControlResult{}, err
	}
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return ControlResult{}, err
	}
	done, err := svc.db.Reader().CaseMigration(ctx, in.MigrationID)
	if err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("migrationId", []string{done.Process}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	if done.EndedAt.IsZero() || done.Undoes != domain.NoID {
		return ControlResult{}, domain.Errorf(domain.StateMismatch,
			"Only a migration that has ended can be undone.")
	}
	undone, err := svc.db.Reader().UndoneMigration(ctx, done.ID)
	if err == nil && undone {
		err = domain.Errorf(domain.StateMismatch, "This migration has already been undone.").
			WithDetail("reason", "undone")
	}
	if err != nil {
		return ControlResult{}, err
	}
	order, err := orderOf(done.Plan)
	if err != nil {
		return ControlResult{}, err
	}
	undo := MigrationOrder{Undoes: done.ID, Plan: workflow.MigrationPlan{From: done.To, To: done.From,
		Nodes: map[string]string{}}}
	for node, target := range order.Plan.Nodes {
		undo.Plan.Nodes[target] = node
	}
	return svc.proposeMigration(ctx, actor, operation, in.Once, in, done.Process, reason, undo)
}

func (svc *Service) proposeMigration(ctx context.Context, actor domain.Actor, operation string,
	once Once, request any, process, reason string, order MigrationOrder,
) (ControlResult, error) {
	document, err := json.Marshal(order)
	if err != nil {
		return ControlResult{}, fmt.Errorf("casework: encode the plan: %w", err)
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, once, request}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) {
			return p.proposeControl(domain.ControlMigration, process, reason,
				domain.ControlDocument{Before: strconv.Itoa(order.Plan.From), After: string(document)})
		})
}

// orderOf decodes a stored order.
func orderOf(plan string) (order MigrationOrder, err error) {
	if err = json.Unmarshal([]byte(plan), &order); err != nil {
		err = domain.Errorf(domain.Internal, "The plan cannot be read.").WithCause(err)
	}
	return order, err
}

// proposedOrder decodes the order of a proposed migration.
func proposedOrder(proposal domain.Proposal) (MigrationOrder, error) {
	var change domain.ControlDocument
	if err := json.Unmarshal([]byte(proposal.Document), &change); err != nil {
		return MigrationOrder{}, fmt.Errorf("casework: proposal %s: %w", proposal.ID, err)
	}
	return orderOf(change.After)
}

// migrationBase is the number of migrations of the process that were confirmed before.
func migrationBase(ctx context.Context, r store.Reader, process string) (int, error) {
	return r.CountMigrations(ctx, process)
}

// checkProposedMigration checks a plan again before it is confirmed, because the program may be another
// one than when it was proposed.
func checkProposedMigration(
	ctx context.Context, svc *Service, actor domain.Actor, proposal domain.Proposal,
) error {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return err
	}
	order, err := proposedOrder(proposal)
	if err != nil || order.Undoes != domain.NoID {
		return err
	}
	checked, err := svc.checkMigration(ctx, PlanMigration{Process: proposal.Key,
		From: order.Plan.From, To: order.Plan.To, Nodes: order.chosen()})
	if err == nil && len(checked.Problems) > 0 {
		err = refusedPlan(checked.Problems)
	}
	return err
}

// applyMigration starts a confirmed migration.
func (p *permissionChange) applyMigration(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	order, err := orderOf(change.After)
	if err != nil {
		return err
	}
	running, err := p.tx.RunningMigrations(p.ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(running,
		func(m domain.CaseMigration) bool { return m.Process == proposal.Key }) {
		return domain.Errorf(domain.StateMismatch, "Another migration of this process is running.").
			WithRemedy("Confirm this one when it has ended.")
	}
	migration := domain.CaseMigration{ID: domain.NewID(), Process: proposal.Key, From: order.Plan.From,
		To: order.Plan.To, Plan: change.After, Undoes: order.Undoes, Reason: proposal.Note,
		ProposalID: proposal.ID, ProposedBy: proposal.ProposedBy, ConfirmedBy: p.actor.UserID}
	cases, err := p.tx.PutCaseMigration(p.ctx, migration)
	if err != nil {
		return err
	}
	body := generated.CaseMigrationStartedV1{MigrationID: migration.ID, Process: migration.Process,
		FromVersion: int64(migration.From), ToVersion: int64(migration.To), Cases: int64(cases),
		PlanSHA256: sha256Hex(migration.Plan), By: migration.ConfirmedBy,
		ProposedBy: migration.ProposedBy, ProposalID: proposal.ID, Undoes: migration.Undoes,
		Reason: proposal.Note}
	p.controlChanged(body)
	return nil
}

// chosen returns every pair of the plan, so that completing it again changes nothing.
func (o MigrationOrder) chosen() map[string]string {
	nodes := map[string]string{}
	for node, target := range o.Plan.Nodes {
		nodes[node] = target
	}
	for _, node := range o.Plan.Stays {
		nodes[node] = ""
	}
	return nodes
}
