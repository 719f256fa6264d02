package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

// personOr parses a user id; without one it returns the caller's.
func personOr(ctx context.Context, field string, id *string) (domain.ID, error) {
	if id == nil {
		return callerOf(ctx).UserID, nil
	}
	return scalar.IDOf(scalar.KindPerson, field, *id)
}

func (r mutationResolver) DeclareConflict(ctx context.Context, in donotuse.DeclareConflictInput) (
	*donotuse.DeclareConflictPayload, error) {
	payload := &donotuse.DeclareConflictPayload{}
	person, err := personOr(ctx, "personId", in.PersonID)
	if err == nil {
		payload.Done, err = r.service.DeclareConflict(ctx, callerOf(ctx),
			casework.DeclareConflict{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
				Person: person, Party: in.Counterparty, Reason: in.Reason})
	}
	if err == nil {
		payload.ConflictID = optional(scalar.GlobalID(scalar.KindConflict, payload.Done))
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r declareConflictResolver) Conflict(ctx context.Context,
	payload *donotuse.DeclareConflictPayload) (*domain.Conflict, error) {
	if payload.Done == domain.NoID {
		return nil, nil
	}
	conflict, err := r.views.Reader().Conflict(ctx, payload.Done)
	return nullIfNotFound(&conflict, err)
}

func (r mutationResolver) EndConflict(ctx context.Context, in donotuse.EndConflictInput) (
	*donotuse.EndConflictPayload, error) {
	payload := &donotuse.EndConflictPayload{}
	id, err := scalar.IDOf(scalar.KindConflict, "conflictId", in.ConflictID)
	var done casework.ControlResult
	if err == nil {
		done, err = r.service.EndConflict(ctx, callerOf(ctx),
			casework.EndConflict{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ID: id,
				Reason: valueOrEmpty(in.Reason)})
	}
	if err == nil {
		payload.ConflictID, payload.ProposalID = &in.ConflictID, done.ProposalID
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) ImportConflicts(ctx context.Context, in donotuse.ImportConflictsInput) (
	*donotuse.ImportConflictsPayload, error) {
	lines, err := r.service.ImportConflicts(ctx, callerOf(ctx),
		casework.ImportConflicts{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			CSV: in.CSV})
	payload := &donotuse.ImportConflictsPayload{Lines: lines}
	if lines == nil {
		payload.Lines = []casework.ImportLine{}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) GroupParty(ctx context.Context, in donotuse.GroupPartyInput) (
	*donotuse.GroupPartyPayload, error) {
	payload := &donotuse.GroupPartyPayload{Group: []string{}}
	done, err := r.service.GroupParty(ctx, callerOf(ctx),
		casework.GroupParty{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Party: in.Counterparty, With: valueOrEmpty(in.With), Reason: valueOrEmpty(in.Reason)})
	if err == nil {
		payload.ProposalID = done.ProposalID
		payload.Group, err = r.views.PartyGroupNames(ctx, done.Party)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) DeclareOwnAccount(ctx context.Context, in donotuse.OwnAccountInput) (
	*donotuse.OwnAccountPayload, error) {
	return r.setOwnAccount(ctx, in, false)
}

func (r mutationResolver) EndOwnAccount(ctx context.Context, in donotuse.OwnAccountInput) (
	*donotuse.OwnAccountPayload, error) {
	return r.setOwnAccount(ctx, in, true)
}

func (r mutationResolver) setOwnAccount(ctx context.Context, in donotuse.OwnAccountInput,
	ended bool) (*donotuse.OwnAccountPayload, error) {
	payload := &donotuse.OwnAccountPayload{}
	id, err := personOr(ctx, "personId", in.PersonID)
	if err == nil {
		err = r.service.SetOwnAccount(ctx, callerOf(ctx),
			casework.SetOwnAccount{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
				Person: id, Account: in.Account, Ended: ended})
	}
	if err == nil {
		payload.Person, err = loadPerson(ctx, id)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r queryResolver) Conflicts(ctx context.Context, first int, after *string,
	filter *donotuse.ConflictFilter) (*donotuse.ConflictConnection, error) {
	query := views.ConflictQuery{Limit: first}
	err := checkPageSize(first)
	if err == nil && after != nil {
		query.After, err = parseCursor("k", *after)
	}
	if err == nil && filter != nil {
		query.Text = valueOrEmpty(filter.Text)
		if filter.PersonID != nil {
			query.Person, err = scalar.IDOf(scalar.KindPerson, "personId", *filter.PersonID)
		}
	}
	if err != nil {
		return nil, err
	}
	conflicts, more, err := r.views.Conflicts(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.ConflictConnection{Edges: []donotuse.ConflictEdge{}, Nodes: conflicts,
		PageInfo: donotuse.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}}
	for _, conflict := range conflicts {
		connection.Edges = append(connection.Edges,
			donotuse.ConflictEdge{Cursor: makeCursor("k", conflict.ID), Node: conflict})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func (r queryResolver) PreviewConflictImport(ctx context.Context, csv string) (
	[]casework.ImportLine, error) {
	return r.service.PreviewConflicts(ctx, callerOf(ctx), csv)
}

func (r queryResolver) PartyGroup(ctx context.Context, counterparty string) ([]string, error) {
	return r.views.PartyGroupByKey(ctx, callerOf(ctx), casework.PartyKey(counterparty))
}

func (r viewerResolver) OwnAccounts(ctx context.Context, _ *shape.Viewer) ([]string, error) {
	accounts, err := r.views.OwnAccounts(ctx, callerOf(ctx))
	if accounts == nil {
		accounts = []string{}
	}
	return accounts, err
}

func (r personResolver) Conflicts(ctx context.Context, user *domain.User) (
	[]domain.Conflict, error) {
	return r.views.ConflictsOf(ctx, callerOf(ctx), user.ID)
}

func (conflictResolver) ID(_ context.Context, conflict *domain.Conflict) (string, error) {
	return scalar.GlobalID(scalar.KindConflict, conflict.ID), nil
}

func (conflictResolver) Person(ctx context.Context, conflict *domain.Conflict) (
	*domain.User, error) {
	return loadPerson(ctx, conflict.Person)
}

func (conflictResolver) DeclaredBy(ctx context.Context, conflict *domain.Conflict) (
	*domain.User, error) {
	return loadPerson(ctx, conflict.DeclaredBy)
}
