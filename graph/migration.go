package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func migrationPlanOf(in donotuse.MigrationPlanInput) casework.PlanMigration {
	plan := casework.PlanMigration{Process: in.Process, From: in.FromVersion, To: in.ToVersion,
		Nodes: map[string]string{}, RestartDeadlines: in.RestartDeadlines}
	for _, pair := range in.Nodes {
		plan.Nodes[pair.From] = pair.To
	}
	return plan
}

func (r queryResolver) CheckMigration(ctx context.Context, plan donotuse.MigrationPlanInput) (
	*donotuse.MigrationCheck, error) {
	checked, err := r.service.CheckMigration(ctx, callerOf(ctx), migrationPlanOf(plan))
	if err != nil {
		return nil, err
	}
	shown := &donotuse.MigrationCheck{Problems: problemsOf(views.NewProblems(checked.Problems)),
		Cases: checked.Cases, Nodes: []donotuse.NodePair{}, Targets: []donotuse.MigrationTarget{}}
	for _, node := range checked.From.Nodes {
		shown.Nodes = append(shown.Nodes, donotuse.NodePair{From: node.ID, Kind: string(node.Kind),
			To: checked.Order.Plan.Nodes[node.ID], Labels: namedValues(node.Title),
			Required: node.Movable(), Stays: slices.Contains(checked.Order.Plan.Stays, node.ID)})
	}
	for _, node := range checked.To.Nodes {
		shown.Targets = append(shown.Targets, donotuse.MigrationTarget{ID: node.ID,
			Kind: string(node.Kind), Labels: namedValues(node.Title)})
	}
	return shown, nil
}

func (r queryResolver) PreviewMigration(ctx context.Context, plan donotuse.MigrationPlanInput,
	first int, after *string) (*donotuse.MigrationPreview, error) {
	query := casework.PreviewMigration{PlanMigration: migrationPlanOf(plan), Limit: first}
	err := checkPageSize(first)
	if err == nil && after != nil {
		query.After, err = parseCursor("m", *after)
	}
	if err != nil {
		return nil, err
	}
	preview, err := r.service.PreviewMigration(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	return previewOf(preview), nil
}

// previewOf converts a page of a preview.
func previewOf(preview casework.MigrationPreview) *donotuse.MigrationPreview {
	shown := &donotuse.MigrationPreview{Problems: problemsOf(views.NewProblems(preview.Problems)),
		Cases: preview.Cases, Hidden: preview.Hidden, Moves: []donotuse.CaseMove{}}
	for _, move := range preview.Moves {
		shown.Moves = append(shown.Moves, caseMoveOf(move))
	}
	if preview.More {
		shown.Next = optional(makeCursor("m", preview.Last))
	}
	return shown
}

func (r queryResolver) PreviewProposedMigration(ctx context.Context, proposalID string, first int,
	after *string) (*donotuse.MigrationPreview, error) {
	query := casework.PreviewProposedMigration{Limit: first}
	err := checkPageSize(first)
	if err == nil {
		query.ProposalID, err = scalar.IDOf(scalar.KindProposal, "proposalId", proposalID)
	}
	if err == nil && after != nil {
		query.After, err = parseCursor("m", *after)
	}
	if err != nil {
		return nil, err
	}
	preview, err := r.service.PreviewProposedMigration(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	return previewOf(preview), nil
}

func (r queryResolver) ProposedMigration(ctx context.Context, proposalID string) (
	*donotuse.ProposedMigration, error) {
	id, err := scalar.IDOf(scalar.KindProposal, "proposalId", proposalID)
	if err != nil {
		return nil, err
	}
	proposed, err := r.service.ProposedMigration(ctx, callerOf(ctx), id)
	if err != nil {
		return nil, err
	}
	shown := &donotuse.ProposedMigration{Cases: proposed.Cases,
		RestartDeadlines: proposed.Order.RestartDeadlines,
		Problems:         problemsOf(views.NewProblems(proposed.Problems))}
	if proposed.Undone != nil {
		shown.UndoesOf = &proposed.Undone.StartedAt
		shown.Problems = []donotuse.DefinitionProblem{} // an undo is judged case by case
	}
	return shown, nil
}

func caseMoveOf(move casework.CaseMove) donotuse.CaseMove {
	shown := donotuse.CaseMove{CaseID: scalar.GlobalID(scalar.KindCase, move.CaseID),
		Reference: move.Reference, Status: move.Status, Reason: string(move.Reason), Node: move.Node,
		Message: move.Message, Changed: move.Changed, Nodes: []string{}, Reviews: []donotuse.MovedReview{},
		Revoked: []donotuse.RevokedVote{}}
	for _, node := range move.Nodes {
		shown.Nodes = append(shown.Nodes, node.From+" → "+node.To)
	}
	for _, review := range move.Reviews {
		before, after := review.Texts()
		shown.Reviews = append(shown.Reviews, donotuse.MovedReview{Node: review.Node, Before: before,
			After: after, Released: review.Released, Person: review.Assignee})
	}
	for _, vote := range move.Revoked {
		shown.Revoked = append(shown.Revoked,
			donotuse.RevokedVote{Node: vote.Node, Duty: vote.Duty, By: vote.Person})
	}
	return shown
}

func (movedReviewResolver) Assignee(ctx context.Context, review *donotuse.MovedReview) (
	*domain.User, error) {
	return personOrSystem(ctx, review.Person)
}

func (revokedVoteResolver) Person(ctx context.Context, vote *donotuse.RevokedVote) (
	*domain.User, error) {
	return personOrSystem(ctx, vote.By)
}

func (r queryResolver) CaseMigrations(ctx context.Context, process string) (
	[]donotuse.CaseMigration, error) {
	found, err := r.service.Migrations(ctx, callerOf(ctx), process)
	shown := make([]donotuse.CaseMigration, 0, len(found))
	for _, m := range found {
		one := donotuse.CaseMigration{ID: scalar.GlobalID(scalar.KindMigration, m.ID),
			Process: m.Process, FromVersion: m.From, ToVersion: m.To, Reason: m.Reason,
			Proposer: m.ProposedBy, Confirmer: m.ConfirmedBy, StartedAt: m.StartedAt,
			EndedAt: timeOrNil(m.EndedAt), Waiting: m.Count(domain.MoveWaiting),
			Moved: m.Count(domain.Moved), NotMoved: m.Count(domain.NotMoved)}
		if m.Undoes != domain.NoID {
			one.Undoes = optional(scalar.GlobalID(scalar.KindMigration, m.Undoes))
		}
		shown = append(shown, one)
	}
	return shown, err
}

// MigrationProgress sends the migrations as the subscriber may read them at that moment.
func (r subscriptionResolver) MigrationProgress(ctx context.Context, process string) (
	<-chan *donotuse.MigrationProgress, error) {
	// It is read once before, so that a caller without the right is refused immediately.
	if _, err := queryResolver(r).CaseMigrations(ctx, process); err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, callerOf(ctx), domain.ControlStream.ID)
	if err != nil {
		return nil, err
	}
	var sent []donotuse.CaseMigration
	return watchTicks(ctx, list, shownList[donotuse.MigrationProgress]{forget: func() { sent = nil },
		read: func(ctx context.Context) (*donotuse.MigrationProgress, time.Time, error) {
			read, err := queryResolver(r).CaseMigrations(ctx, process)
			if err != nil || sent != nil && reflect.DeepEqual(sent, read) {
				return nil, time.Time{}, err
			}
			sent = read
			return &donotuse.MigrationProgress{Migrations: read}, time.Time{}, nil
		}}), nil
}

func (caseMigrationResolver) ProposedBy(ctx context.Context, m *donotuse.CaseMigration) (
	*domain.User, error) {
	return personOrSystem(ctx, m.Proposer)
}

func (caseMigrationResolver) ConfirmedBy(ctx context.Context, m *donotuse.CaseMigration) (
	*domain.User, error) {
	return personOrSystem(ctx, m.Confirmer)
}

func (r queryResolver) MigratedCases(ctx context.Context, migrationID string,
	status *domain.MoveStatus, first int, after *string) (*donotuse.MigratedCaseList, error) {
	id, err := scalar.IDOf(scalar.KindMigration, "migrationId", migrationID)
	var last domain.ID
	if err == nil {
		err = checkPageSize(first)
	}
	if err == nil && after != nil {
		last, err = parseCursor("m", *after)
	}
	if err != nil {
		return nil, err
	}
	var wanted domain.MoveStatus
	if status != nil {
		wanted = *status
	}
	results, more, err := r.service.MigratedCases(ctx, callerOf(ctx), id, wanted, last, first)
	if err != nil {
		return nil, err
	}
	list := &donotuse.MigratedCaseList{Nodes: []donotuse.MigratedCase{}}
	for _, result := range results {
		list.Nodes = append(list.Nodes, donotuse.MigratedCase{
			CaseID: scalar.GlobalID(scalar.KindCase, result.CaseID), Reference: result.Reference,
			Status: result.Status, Reason: result.Reason, Node: result.Node, Message: result.Message,
			At: timeOrNil(result.At)})
	}
	if more {
		list.Next = optional(makeCursor("m", results[len(results)-1].CaseID))
	}
	return list, nil
}

func (r mutationResolver) ProposeMigration(ctx context.Context, in donotuse.ProposeMigrationInput) (
	*donotuse.ControlPayload, error) {
	done, err := r.service.ProposeMigration(ctx, callerOf(ctx), casework.ProposeMigration{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Reason: in.Reason,
		PlanMigration: migrationPlanOf(in.Plan)})
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) UndoMigration(ctx context.Context, in donotuse.UndoMigrationInput) (
	*donotuse.ControlPayload, error) {
	id, err := scalar.IDOf(scalar.KindMigration, "migrationId", in.MigrationID)
	var done casework.ControlResult
	if err == nil {
		done, err = r.service.UndoMigration(ctx, callerOf(ctx), casework.UndoMigration{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, MigrationID: id,
			Reason: in.Reason})
	}
	return controlPayload([]casework.ControlResult{done}, false, err)
}

// migrationTextOf describes the plan of a proposal: the version, the nodes with another name, and
// those whose cases stay.
func migrationTextOf(document string) string {
	var order casework.MigrationOrder
	if json.Unmarshal([]byte(document), &order) != nil {
		return ""
	}
	parts := []string{fmt.Sprint(order.Plan.To)}
	for _, node := range slices.Sorted(maps.Keys(order.Plan.Nodes)) {
		if target := order.Plan.Nodes[node]; target != node {
			parts = append(parts, node+" → "+target)
		}
	}
	if len(order.Plan.Stays) > 0 {
		parts = append(parts, "= "+strings.Join(order.Plan.Stays, ", "))
	}
	return joinParts(parts)
}
