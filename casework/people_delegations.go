package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// CreateDelegation asks to let a person (Delegate) act on behalf of another (Delegator) for a
// period. The JSON names are part of the hashes that are stored with idempotency keys.
type CreateDelegation struct {
	Once      Once
	Delegator domain.ID `json:"Giver"`
	Delegate  domain.ID `json:"Taker"`
	From      time.Time
	Until     time.Time // exclusive
	Scope     domain.Scope
	Reason    string
}

// DelegationResult contains the id of the delegation or absence, NoID if it only waits, the proposal
// that another person must confirm, NoID if nothing waits, and the number of the person's undecided
// reviews that no other user could take in that period.
type DelegationResult struct {
	ID               domain.ID
	ProposalID       domain.ID `json:",omitzero"`
	UncoveredReviews int       `json:"Nobody"` // stored outcomes contain the JSON name
}

const (
	// maxDelegationPeriod bounds delegations and absences.
	maxDelegationPeriod = 366 * 24 * time.Hour
	// maxDelegationChain bounds the length of a chain of delegations that are active at the same
	// time.
	maxDelegationChain   = 5
	maxActiveDelegations = 1000
)

// CreateDelegation creates a delegation. Creating one's own requires no right; another person's is
// proposed by those who manage people, and another of them confirms it. Acts on behalf of the delegator are checked against
// the smaller of both limits and the conflicts and votes of both. CreateDelegation refuses
// self-delegation, cycles, chains longer than maxDelegationChain, delegates who may not decide, and
// delegates with a conflict of interest in the delegator's current work.
func (svc *Service) CreateDelegation(
	ctx context.Context, actor domain.Actor, in CreateDelegation,
) (DelegationResult, error) {
	if err := svc.inScope(ctx, actor, "createDelegation",
		scopeFor(actor, in.Delegator, domain.ActManagePeople)); err != nil {
		return DelegationResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && in.Delegator == in.Delegate {
		err = domain.Invalid("to", "You cannot delegate to the same person.").
			WithRemedy("Choose another delegate.")
	}
	if err == nil && in.Scope.BaseMinor != nil && *in.Scope.BaseMinor < 0 {
		err = domain.Invalid("limit", negativeLimit)
	}
	if err != nil {
		return DelegationResult{}, err
	}
	spec := permissionCommand{"createDelegation", domain.PeopleStream,
		requiredAction(actor, in.Delegator), in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (DelegationResult, error) {
			d := domain.Delegation{ID: domain.NewID(), Delegator: in.Delegator, Delegate: in.Delegate,
				Scope: in.Scope, Reason: reason, CreatedBy: actor.UserID}
			var err error
			if d.From, d.Until, err = p.checkPeriod(in.From, in.Until); err != nil {
				return DelegationResult{}, err
			}
			delegator, delegate, err := p.authorizedPair(in.Delegator, in.Delegate)
			if err != nil {
				return DelegationResult{}, err
			}
			if err := p.checkDelegation(d, delegator, delegate); err != nil {
				return DelegationResult{}, err
			}
			result := DelegationResult{ID: d.ID}
			if in.Delegator == actor.UserID || actor.System {
				err = p.writeDelegation(d)
			} else {
				result, err = p.proposeDelegation(d, in.From, delegator, delegate)
			}
			if err != nil {
				return DelegationResult{}, err
			}
			result.UncoveredReviews, err = p.countUncoveredReviews(delegator.AsDelegator(d.Scope),
				delegator.ID, &delegate)
			return result, err
		})
}

// writeDelegation writes the delegation with the event.
func (p *permissionChange) writeDelegation(d domain.Delegation) error {
	if err := p.tx.PutDelegation(p.ctx, d); err != nil {
		return err
	}
	p.affectedUsers = append(p.affectedUsers, d.Delegate)
	p.emit(generated.DelegationCreatedV1{DelegationID: d.ID, From: d.Delegator, To: d.Delegate,
		ValidFrom: d.From, ValidUntil: d.Until, Queues: d.Scope.Queues,
		DocumentTypes: d.Scope.DocumentTypes, BaseMinor: d.Scope.BaseMinor, Reason: d.Reason})
	return nil
}

// checkPeriod checks a half-open period. A start that is missing or in the past becomes now.
func (p *permissionChange) checkPeriod(from, until time.Time) (time.Time, time.Time, error) {
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return from, until, err
	}
	if from.Before(now) {
		from = now
	}
	switch {
	case !until.After(from):
		return from, until,
			domain.Invalid("validUntil", "The end must be after the start and in the future.")
	case until.Sub(from) > maxDelegationPeriod:
		return from, until,
			domain.Invalid("validUntil", "The period must not be longer than a year.")
	}
	return from, until, nil
}

// authorizedPair loads two people, the first of whom delegates to or is substituted by the second.
// A user who acts for themselves must be a reviewer and finds only reviewers; otherwise any user
// could discover which accounts exist.
func (p *permissionChange) authorizedPair(
	first, second domain.ID,
) (domain.User, domain.User, error) {
	if first != p.actor.UserID || p.actor.System ||
		authorizeDispatch(p.ctx, p.tx.Reader, p.actor) == nil {
		return p.loadPair(first, second)
	}
	delegator, err := p.tx.User(p.ctx, first)
	if err != nil {
		return delegator, delegator, err
	}
	if !delegator.CanDecide() {
		return delegator, delegator, domain.Errorf(domain.NotPermitted,
			"Only reviewers can delegate.")
	}
	delegate, err := p.tx.User(p.ctx, second)
	if err == nil && !delegate.CanDecide() || domain.HasCode(err, domain.NotFound) {
		err = domain.Errorf(domain.NotEligible, "No reviewer has this id.").
			WithRemedy(chooseReviewer)
	}
	if err != nil {
		return delegator, delegate, err
	}
	return p.loadPair(first, second)
}

// loadPair loads two people; the account of the second must be enabled.
func (p *permissionChange) loadPair(first, second domain.ID) (domain.User, domain.User, error) {
	delegator, err := p.tx.User(p.ctx, first)
	if err != nil {
		return delegator, delegator, err
	}
	delegate, err := p.tx.User(p.ctx, second)
	if err == nil && delegate.Disabled {
		err = domain.Errorf(domain.NotEligible, "The account of %s is disabled.", delegate.Name).
			WithRemedy("Choose another person.")
	}
	return delegator, delegate, err
}

// chooseReviewer is the remedy for a delegate who may not decide.
const chooseReviewer = "Choose a reviewer."

// checkDelegation refuses a delegation that could never be used or that would circumvent a rule.
func (p *permissionChange) checkDelegation(
	d domain.Delegation, delegator, delegate domain.User,
) error {
	if !delegate.CanDecide() {
		return domain.Errorf(domain.NotEligible, "%s may not decide on any document.",
			delegate.Name).
			WithRemedy(chooseReviewer)
	}
	if delegator.IsSamePerson(delegate.ID) {
		return domain.Errorf(domain.NotEligible, "Both accounts belong to one person.").
			WithRemedy(chooseReviewer)
	}
	existing, err := p.tx.Delegations(p.ctx, domain.NoID, domain.NoID, maxActiveDelegations)
	if err != nil {
		return err
	}
	edges := map[domain.ID][]domain.ID{}
	for _, other := range existing {
		if !other.Overlaps(d.From, d.Until) {
			continue
		}
		if other.Delegator == d.Delegator && other.Delegate == d.Delegate {
			return domain.Errorf(domain.StateMismatch,
				"%s already acts on behalf of %s in that period.", delegate.Name, delegator.Name).
				WithRemedy("End that delegation first.")
		}
		edges[other.Delegator] = append(edges[other.Delegator], other.Delegate)
	}
	if isReachable(edges, d.Delegate, d.Delegator, map[domain.ID]bool{}) {
		return domain.Errorf(domain.StateMismatch, "These delegations would form a loop.").
			WithRemedy("Choose a delegate who does not delegate to you.")
	}
	edges[d.Delegator] = append(edges[d.Delegator], d.Delegate)
	if chain := longestPath(edges, len(existing)+1); chain > maxDelegationChain {
		return domain.Errorf(domain.StateMismatch,
			"The delegation chain would be %d long; the maximum is %d.", chain, maxDelegationChain).
			WithRemedy("Choose a delegate who does not delegate to another person.")
	}
	return p.checkDelegationConflicts(d, delegate)
}

// checkDelegationConflicts refuses a delegate with a conflict of interest in the delegator's
// current work.
func (p *permissionChange) checkDelegationConflicts(
	d domain.Delegation, delegate domain.User,
) error {
	assigned, err := p.tx.UndecidedReviewsOf(p.ctx, []domain.ID{d.Delegator}, maxRecheckedReviews)
	if err != nil {
		return err
	}
	for _, review := range assigned {
		if review.Assignee != d.Delegator || len(d.Scope.Queues) > 0 &&
			!slices.Contains(d.Scope.Queues, review.Queue) ||
			len(d.Scope.DocumentTypes) > 0 &&
				!slices.Contains(d.Scope.DocumentTypes, review.DocumentType) {
			continue
		}
		exclusions, err := p.tx.Exclusions(p.ctx, review.CaseID, review.Parties())
		if err != nil {
			return err
		}
		if delegate.AnyAccountIn(exclusions.Conflicted) {
			return domain.Errorf(domain.ConflictOfInterest,
				"%s has a conflict of interest in a review that would be delegated.",
				delegate.Name).
				WithRemedy("Choose another delegate, or release that review first.")
		}
	}
	return nil
}

// isReachable reports whether there is a path of edges between the two.
func isReachable(
	edges map[domain.ID][]domain.ID, from, to domain.ID, visited map[domain.ID]bool,
) bool {
	if from == to {
		return true
	}
	visited[from] = true
	for _, next := range edges[from] {
		if !visited[next] && isReachable(edges, next, to, visited) {
			return true
		}
	}
	return false
}

// longestPath returns the number of edges of the longest path, at most most. The caller has
// excluded cycles.
func longestPath(edges map[domain.ID][]domain.ID, most int) int {
	longest := 0
	for level := slices.Collect(keysOf(edges)); len(level) > 0 && longest < most; {
		next := map[domain.ID]bool{}
		for _, id := range level {
			for _, delegate := range edges[id] {
				next[delegate] = true
			}
		}
		if len(next) > 0 {
			longest++
		}
		level = slices.Collect(keysOf(next))
	}
	return longest
}

func keysOf[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// EndDelegation asks to end a delegation early.
type EndDelegation struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndDelegation ends a delegation immediately and releases the delegate's claims on behalf of the
// delegator. It is permitted to the delegator, the delegate and those who manage people.
func (svc *Service) EndDelegation(ctx context.Context, actor domain.Actor, in EndDelegation) error {
	if err := svc.inScope(ctx, actor, "endDelegation", domain.ScopeAccount,
		domain.ActManagePeople); err != nil {
		return err
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return err
	}
	spec := permissionCommand{"endDelegation", domain.PeopleStream, "", in.Once, in}
	_, err = runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (domain.ID, error) {
			d, err := p.tx.RecordedDelegation(p.ctx, in.ID)
			if err != nil && !domain.HasCode(err, domain.NotFound) {
				return in.ID, err
			}
			// A missing delegation is checked like another person's, so that response times do not
			// reveal which ids exist.
			if refusal := p.checkParticipant(actor, "delegation", d.Delegator,
				d.Delegate); refusal != nil {
				return in.ID, refusal
			}
			if err != nil {
				return in.ID, notFoundOrNotYours(err, "delegation")
			}
			if err := p.requireOpen("delegation", d.Until); err != nil {
				return in.ID, err
			}
			if _, err := p.tx.EndDelegation(p.ctx, in.ID); err != nil {
				return in.ID, err
			}
			p.affectedUsers = append(p.affectedUsers, d.Delegate)
			p.emit(generated.DelegationEndedV1{DelegationID: in.ID, From: d.Delegator, To: d.Delegate,
				Reason: reason})
			return in.ID, nil
		})
	return err
}

func notFoundOrNotYours(err error, kind string) error {
	if domain.HasCode(err, domain.NotFound) {
		return domain.Errorf(domain.NotFound,
			"The %s was not found, has ended, or is not yours.", kind)
	}
	return err
}

// requireOpen refuses to end what has ended, for people who may know of it.
func (p *permissionChange) requireOpen(kind string, until time.Time) error {
	now, err := p.tx.Clock(p.ctx)
	if err == nil && !until.After(now) {
		err = domain.Errorf(domain.StateMismatch, "This %s has already ended.", kind).
			WithDetail("reason", "ended")
	}
	return err
}

// checkParticipant returns NotFound unless the actor is one of the people concerned or may manage
// people.
func (p *permissionChange) checkParticipant(
	actor domain.Actor, kind string, concerned ...domain.ID,
) error {
	if actor.System {
		return nil
	}
	if slices.Contains(concerned, actor.UserID) {
		return checkScope(actor, domain.ScopeAccount)
	}
	if err := p.svc.authorizeAction(p.ctx, p.tx.Reader, actor, domain.ActManagePeople); err != nil {
		return notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), kind)
	}
	return nil
}

// ApplyDelegationTransitions handles delegations that started or expired since the last call: it
// releases claims on behalf of former delegators, and list subscribers reload.
func (svc *Service) ApplyDelegationTransitions(ctx context.Context) (int, error) {
	count, err := svc.db.Reader().CountDelegationTransitions(ctx)
	if err != nil || count == 0 {
		return 0, err
	}
	spec := permissionCommand{operation: "turnPowers", stream: domain.PeopleStream}
	return runPermissionChange(ctx, svc, domain.SystemActor(), spec,
		func(p *permissionChange) (int, error) {
			var err error
			p.affectedUsers, err = p.tx.MarkDelegationTransitions(p.ctx)
			return len(p.affectedUsers), err
		})
}
