package graph

import (
	"cmp"
	"context"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
)

// actorOnBehalfOf returns the caller, acting on behalf of the given user if there is one.
func actorOnBehalfOf(ctx context.Context, other *string) (domain.Actor, error) {
	actor := callerOf(ctx)
	if other == nil {
		return actor, nil
	}
	var err error
	actor.OnBehalfOf, err = scalar.IDOf(scalar.KindPerson, "onBehalfOf", *other)
	if err == nil && actor.OnBehalfOf == actor.UserID {
		err = domain.Invalid("onBehalfOf", "You cannot act on behalf of yourself. Omit this value.")
	}
	return actor, err
}

func timeOrZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func (r mutationResolver) CreateDelegation(ctx context.Context, in donotuse.CreateDelegationInput) (
	*donotuse.DelegationPayload, error) {
	payload := &donotuse.DelegationPayload{}
	command, err := delegationOf(ctx, in)
	if err == nil {
		var made casework.DelegationResult
		if made, err = r.service.CreateDelegation(ctx, callerOf(ctx), command); err == nil {
			payload.ReviewsWithoutReviewer = &made.UncoveredReviews
			payload.WithNobody = payload.ReviewsWithoutReviewer
			payload.ProposalID = made.ProposalID
			found, readErr := r.views.Delegation(ctx, callerOf(ctx), made.ID)
			payload.Delegation, err = nullIfNotFound(&found, readErr)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func delegationOf(ctx context.Context, in donotuse.CreateDelegationInput) (
	casework.CreateDelegation, error) {
	command := casework.CreateDelegation{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		From: timeOrZero(in.ValidFrom), Until: in.ValidUntil,
		Scope:  domain.Scope{Queues: in.Queues, DocumentTypes: in.DocumentTypes},
		Reason: valueOrEmpty(in.Reason)}
	var err error
	if command.Delegator, err = personOr(ctx, "delegatorId",
		cmp.Or(in.DelegatorID, in.GiverID)); err != nil {
		return command, err
	}
	delegate := cmp.Or(in.DelegateID, in.TakerID)
	if delegate == nil {
		return command, domain.Invalid("delegateId", "Choose a delegate.")
	}
	command.Delegate, err = scalar.IDOf(scalar.KindPerson, "delegateId", *delegate)
	if err != nil || in.Limit == nil {
		return command, err
	}
	amount, err := baseAmountMinor("limit", *in.Limit)
	command.Scope.BaseMinor = &amount
	return command, err
}

// baseAmountMinor parses an amount in the base currency and returns minor units.
func baseAmountMinor(field string, in donotuse.MoneyInput) (int64, error) {
	if in.Currency != domain.BaseCurrency {
		return 0, domain.Invalid(field, "Enter the limit in %s.", domain.BaseCurrency)
	}
	amount, err := domain.ParseMoney(in.Amount, in.Currency)
	if err == nil && amount.Minor < 0 {
		err = domain.Invalid(field, "The limit must not be negative.")
	}
	return amount.Minor, err
}

func (r mutationResolver) EndDelegation(ctx context.Context, in donotuse.EndDelegationInput) (
	*donotuse.DelegationPayload, error) {
	id, err := scalar.IDOf(scalar.KindDelegation, "delegationId", in.DelegationID)
	if err == nil {
		err = r.service.EndDelegation(ctx, callerOf(ctx),
			casework.EndDelegation{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
				ID: id, Reason: valueOrEmpty(in.Reason)})
	}
	refusals, err := userErrorsOf(err)
	return &donotuse.DelegationPayload{UserErrors: refusals}, err
}

func (r mutationResolver) SetOutOfOffice(ctx context.Context, in donotuse.SetOutOfOfficeInput) (
	*donotuse.AbsencePayload, error) {
	payload := &donotuse.AbsencePayload{}
	command := casework.SetAbsence{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		From: timeOrZero(in.ValidFrom), Until: in.ValidUntil, Reason: valueOrEmpty(in.Reason)}
	var err error
	if command.Person, err = personOr(ctx, "personId", in.PersonID); err == nil &&
		in.SubstituteID != nil {
		command.Substitute, err = scalar.IDOf(scalar.KindPerson, "substituteId", *in.SubstituteID)
	}
	if err == nil {
		var made casework.DelegationResult
		if made, err = r.service.SetAbsence(ctx, callerOf(ctx), command); err == nil {
			payload.ReviewsWithoutReviewer = &made.UncoveredReviews
			payload.WithNobody = payload.ReviewsWithoutReviewer
			payload.ProposalID = made.ProposalID
			payload.Absence, err = r.absenceOf(ctx, command.Person,
				func(a domain.Absence) bool { return a.ID == made.ID })
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) EndOutOfOffice(ctx context.Context, in donotuse.EndOutOfOfficeInput) (
	*donotuse.AbsencePayload, error) {
	id, err := scalar.IDOf(scalar.KindAbsence, "absenceId", in.AbsenceID)
	if err == nil {
		err = r.service.EndAbsence(ctx, callerOf(ctx),
			casework.EndAbsence{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ID: id})
	}
	refusals, err := userErrorsOf(err)
	return &donotuse.AbsencePayload{UserErrors: refusals}, err
}

// absenceOf returns the person's first absence that matches; nil if there is none.
func (r *resolver) absenceOf(ctx context.Context, person domain.ID,
	meant func(domain.Absence) bool) (*domain.Absence, error) {
	absences, err := r.views.Reader().Absences(ctx, []domain.ID{person})
	for i := range absences {
		if meant(absences[i]) {
			return &absences[i], err
		}
	}
	return nil, err
}

func (r queryResolver) Delegations(ctx context.Context, first int, after, personID *string) (
	*donotuse.DelegationConnection, error) {
	person, place := domain.NoID, domain.NoID
	err := checkPageSize(first)
	if err == nil && after != nil {
		place, err = parseCursor("d", *after)
	}
	if err == nil && personID != nil {
		person, err = scalar.IDOf(scalar.KindPerson, "personId", *personID)
	}
	if err != nil {
		return nil, err
	}
	list, more, err := r.views.Delegations(ctx, callerOf(ctx), person, place, first)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.DelegationConnection{Edges: []donotuse.DelegationEdge{}, Nodes: list,
		PageInfo: donotuse.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}}
	for _, d := range list {
		connection.Edges = append(connection.Edges,
			donotuse.DelegationEdge{Cursor: makeCursor("d", d.ID), Node: d})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func (r queryResolver) Colleagues(ctx context.Context) ([]domain.User, error) {
	people, err := r.views.Colleagues(ctx, callerOf(ctx))
	return namesOnly(people), err
}

// namesOnly removes everything but names and ids from the users.
func namesOnly(people []domain.User) []domain.User {
	names := make([]domain.User, 0, len(people))
	for _, one := range people {
		names = append(names, domain.User{ID: one.ID, Name: one.Name})
	}
	return names
}

func (r queryResolver) Absences(ctx context.Context) ([]domain.Absence, error) {
	return r.views.Absences(ctx, callerOf(ctx))
}

func (r viewerResolver) Delegations(ctx context.Context, viewer *shape.Viewer) (
	[]domain.Delegation, error) {
	list, _, err := r.views.Delegations(ctx, callerOf(ctx), viewer.Person.ID, domain.NoID, 100)
	return list, err
}

func (r viewerResolver) Absences(ctx context.Context, _ *shape.Viewer) ([]domain.Absence, error) {
	return r.views.OwnAbsences(ctx, callerOf(ctx))
}

func (r personResolver) OutOfOffice(ctx context.Context, user *domain.User) (
	*domain.Absence, error) {
	now, err := loadersFrom(ctx).now()
	if err != nil {
		return nil, err
	}
	absences, err := loadersFrom(ctx).absences()
	for _, a := range absences {
		if a.Person == user.ID && a.At(now) {
			a.Reason = "" // only visible to people administrators and to the person
			return &a, err
		}
	}
	return nil, err
}

func (r reviewResolver) Delegators(ctx context.Context, review *domain.Review) (
	[]domain.User, error) {
	question, err := loadersFrom(ctx).accessQuestion(review.ID, r.views.ReviewAccessQuestion)
	if err != nil {
		return nil, err
	}
	return namesOf(question.Delegators()), nil
}

func (delegationResolver) ID(_ context.Context, d *domain.Delegation) (string, error) {
	return scalar.GlobalID(scalar.KindDelegation, d.ID), nil
}

func (delegationResolver) Delegator(ctx context.Context, d *domain.Delegation) (
	*domain.User, error) {
	return loadPerson(ctx, d.Delegator)
}

func (delegationResolver) Delegate(ctx context.Context, d *domain.Delegation) (
	*domain.User, error) {
	return loadPerson(ctx, d.Delegate)
}

func (delegationResolver) Queues(_ context.Context, d *domain.Delegation) ([]string, error) {
	return d.Scope.Queues, nil
}

func (delegationResolver) DocumentTypes(_ context.Context, d *domain.Delegation) ([]string, error) {
	return d.Scope.DocumentTypes, nil
}

func (delegationResolver) Limit(_ context.Context, d *domain.Delegation) (*domain.Money, error) {
	if d.Scope.BaseMinor == nil {
		return nil, nil
	}
	return &domain.Money{Minor: *d.Scope.BaseMinor, Currency: domain.BaseCurrency}, nil
}

func (delegationResolver) CreatedBy(ctx context.Context, d *domain.Delegation) (
	*domain.User, error) {
	return loadPerson(ctx, d.CreatedBy)
}

func (delegationResolver) Active(ctx context.Context, d *domain.Delegation) (bool, error) {
	now, err := loadersFrom(ctx).now()
	return d.At(now), err
}

func (absenceResolver) ID(_ context.Context, a *domain.Absence) (string, error) {
	return scalar.GlobalID(scalar.KindAbsence, a.ID), nil
}

func (absenceResolver) Person(ctx context.Context, a *domain.Absence) (*domain.User, error) {
	return loadPerson(ctx, a.Person)
}

func (absenceResolver) Substitute(ctx context.Context, a *domain.Absence) (*domain.User, error) {
	return loadPerson(ctx, a.Substitute)
}

func (absenceResolver) Active(ctx context.Context, a *domain.Absence) (bool, error) {
	now, err := loadersFrom(ctx).now()
	return a.At(now), err
}

// The following resolve deprecated names of fields.

func (r reviewResolver) StandInFor(ctx context.Context, review *domain.Review) (
	[]domain.User, error) {
	return r.Delegators(ctx, review)
}

func (r delegationResolver) Giver(ctx context.Context, d *domain.Delegation) (*domain.User, error) {
	return r.Delegator(ctx, d)
}

func (r delegationResolver) Taker(ctx context.Context, d *domain.Delegation) (*domain.User, error) {
	return r.Delegate(ctx, d)
}
