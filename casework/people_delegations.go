package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// CreateDelegation asks to let a person act in the name of another for a time.
type CreateDelegation struct {
	Once   Once
	Giver  domain.ID
	Taker  domain.ID
	From   time.Time
	Until  time.Time // the first moment after
	Scope  domain.Scope
	Reason string
}

// DelegationResult names what was set up, and how many undecided reviews of the delegator nobody else could take meanwhile.
type DelegationResult struct {
	ID     domain.ID
	Nobody int
}

const (
	// maxDelegationPeriod bounds delegations and absences.
	maxDelegationPeriod = 366 * 24 * time.Hour
	// maxDelegationChain bounds how far names are lent on at one time.
	maxDelegationChain   = 5
	maxActiveDelegations = 1000
)

// CreateDelegation lends a name: one's own needs nobody's leave, another's the right to manage people. Acting in it later
// is judged by the smaller of both limits and by the conflicts and votes of both. Refused: to oneself, in a cycle,
// longer than five on end, to somebody who could decide nothing, across a conflict of interest with what the delegator holds.
func (svc *Service) CreateDelegation(ctx context.Context, actor domain.Actor, in CreateDelegation) (DelegationResult, error) {
	if err := svc.inScope(ctx, actor, "createDelegation", scopeFor(actor, in.Giver, domain.ActManagePeople)); err != nil {
		return DelegationResult{}, err
	}
	reason, err := checkReason(in.Reason)
	if err == nil && in.Giver == in.Taker {
		err = domain.Invalid("to", "Nobody stands in for themselves.").WithRemedy("Choose somebody else.")
	}
	if err == nil && in.Scope.BaseMinor != nil && *in.Scope.BaseMinor < 0 {
		err = domain.Invalid("limit", "a limit is not negative")
	}
	if err != nil {
		return DelegationResult{}, err
	}
	spec := permissionCommand{"createDelegation", domain.PeopleStream, requiredAction(actor, in.Giver), in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (DelegationResult, error) {
		d := domain.Delegation{ID: domain.NewID(), Giver: in.Giver, Taker: in.Taker, Scope: in.Scope, Reason: reason, CreatedBy: actor.UserID}
		var err error
		if d.From, d.Until, err = p.checkPeriod(in.From, in.Until); err != nil {
			return DelegationResult{}, err
		}
		delegator, delegate, err := p.authorizedPair(in.Giver, in.Taker)
		if err != nil {
			return DelegationResult{}, err
		}
		if err := p.checkDelegation(d, delegator, delegate); err != nil {
			return DelegationResult{}, err
		}
		if err := p.tx.PutDelegation(p.ctx, d); err != nil {
			return DelegationResult{}, err
		}
		p.affectedUsers = append(p.affectedUsers, d.Taker)
		p.emit(generated.DelegationCreatedV1{DelegationID: d.ID, From: d.Giver, To: d.Taker, ValidFrom: d.From, ValidUntil: d.Until,
			Queues: d.Scope.Queues, DocumentTypes: d.Scope.DocumentTypes, BaseMinor: d.Scope.BaseMinor, Reason: reason})
		uncovered, err := p.countUncoveredReviews(delegator.AsDelegator(d.Scope), delegator.ID, &delegate)
		return DelegationResult{d.ID, uncovered}, err
	})
}

// checkPeriod checks a half-open span of time; a beginning left out, or past, is now.
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
		return from, until, domain.Invalid("validUntil", "it has to end after it begins, and not in the past")
	case until.Sub(from) > maxDelegationPeriod:
		return from, until, domain.Invalid("validUntil", "it lasts a year at most")
	}
	return from, until, nil
}

// authorizedPair reads two people of whom the first asks something of the second, in their own name or by a director's hand.
// Whoever asks for themselves has to decide on documents and finds only those who do: nobody else learns by it who there is.
func (p *permissionChange) authorizedPair(first, second domain.ID) (domain.User, domain.User, error) {
	if first != p.actor.UserID || p.actor.System || authorizeDispatch(p.ctx, p.tx.Reader, p.actor) == nil {
		return p.loadPair(first, second)
	}
	one, err := p.tx.User(p.ctx, first)
	if err != nil {
		return one, one, err
	}
	if !one.CanDecide() {
		return one, one, domain.Errorf(domain.NotPermitted, "Only who decides on documents has somebody stand in for them.")
	}
	two, err := p.tx.User(p.ctx, second)
	if err == nil && !two.CanDecide() || domain.HasCode(err, domain.NotFound) {
		err = domain.Errorf(domain.NotEligible, "There is nobody of this id who decides on documents.").WithRemedy("Choose somebody who reviews documents.")
	}
	if err != nil {
		return one, two, err
	}
	return p.loadPair(first, second)
}

// loadPair reads the two people; the second has to be able to come in.
func (p *permissionChange) loadPair(first, second domain.ID) (domain.User, domain.User, error) {
	one, err := p.tx.User(p.ctx, first)
	if err != nil {
		return one, one, err
	}
	two, err := p.tx.User(p.ctx, second)
	if err == nil && two.Disabled {
		err = domain.Errorf(domain.NotEligible, "The account of %s is switched off.", two.Name).WithRemedy("Choose somebody else.")
	}
	return one, two, err
}

// checkDelegation refuses a delegation that could never be used, or that would lead round a rule.
func (p *permissionChange) checkDelegation(d domain.Delegation, delegator, delegate domain.User) error {
	if !delegate.CanDecide() {
		return domain.Errorf(domain.NotEligible, "%s may decide nothing, and the smaller of both limits counts.", delegate.Name).
			WithRemedy("Choose somebody who reviews documents.")
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
		if other.Giver == d.Giver && other.Taker == d.Taker {
			return domain.Errorf(domain.StateMismatch, "%s stands in for %s in that time already.", delegate.Name, delegator.Name).
				WithRemedy("End that delegation first.")
		}
		edges[other.Giver] = append(edges[other.Giver], other.Taker)
	}
	if isReachable(edges, d.Taker, d.Giver, map[domain.ID]bool{}) {
		return domain.Errorf(domain.StateMismatch, "That would lend the name in a circle.").WithRemedy("Choose somebody who has not lent theirs to you.")
	}
	edges[d.Giver] = append(edges[d.Giver], d.Taker)
	if chain := longestPath(edges, len(existing)+1); chain > maxDelegationChain {
		return domain.Errorf(domain.StateMismatch, "Names would be lent on %d times on end; %d is the most.", chain, maxDelegationChain).
			WithRemedy("Choose somebody who has not lent theirs.")
	}
	return p.checkDelegationConflicts(d, delegate)
}

// checkDelegationConflicts refuses to hand the delegator's present work to somebody whom a conflict bars from it.
func (p *permissionChange) checkDelegationConflicts(d domain.Delegation, delegate domain.User) error {
	held, err := p.tx.UndecidedReviewsOf(p.ctx, []domain.ID{d.Giver}, maxRecheckedReviews)
	if err != nil {
		return err
	}
	for _, review := range held {
		if review.Assignee != d.Giver || len(d.Scope.Queues) > 0 && !slices.Contains(d.Scope.Queues, review.Queue) ||
			len(d.Scope.DocumentTypes) > 0 && !slices.Contains(d.Scope.DocumentTypes, review.DocumentType) {
			continue
		}
		exclusions, err := p.tx.Exclusions(p.ctx, review.CaseID, review.PartyID)
		if err != nil {
			return err
		}
		if slices.Contains(exclusions.Conflicted, delegate.ID) {
			return domain.Errorf(domain.ConflictOfInterest, "A conflict of interest bars %s from work that would be handed over.", delegate.Name).
				WithRemedy("Choose somebody else, or give that work back first.")
		}
	}
	return nil
}

// isReachable reports whether one leads to the other by further delegation.
func isReachable(edges map[domain.ID][]domain.ID, from, to domain.ID, visited map[domain.ID]bool) bool {
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

// longestPath is how many times on end names are lent; there is no circle, so no chain is longer than most.
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

// EndDelegation asks to end a delegation before its time.
type EndDelegation struct {
	Once   Once
	ID     domain.ID
	Reason string
}

// EndDelegation ends a delegation immediately; the delegator, the delegate and those who manage people may. What the delegate had
// claimed on behalf of the delegator is withdrawn.
func (svc *Service) EndDelegation(ctx context.Context, actor domain.Actor, in EndDelegation) error {
	if err := svc.inScope(ctx, actor, "endDelegation", domain.ScopeAccount, domain.ActManagePeople); err != nil {
		return err
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return err
	}
	spec := permissionCommand{"endDelegation", domain.PeopleStream, "", in.Once, in}
	_, err = runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.ID, error) {
		d, err := p.tx.Delegation(p.ctx, in.ID)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return in.ID, err
		}
		// A missing one is asked about like another's, so that both take the same time.
		if refusal := p.checkParticipant(actor, "delegation", d.Giver, d.Taker); refusal != nil {
			return in.ID, refusal
		}
		if err != nil {
			return in.ID, notFoundOrNotYours(err, "delegation")
		}
		if _, err := p.tx.EndDelegation(p.ctx, in.ID); err != nil {
			return in.ID, err
		}
		p.affectedUsers = append(p.affectedUsers, d.Taker)
		p.emit(generated.DelegationEndedV1{DelegationID: in.ID, From: d.Giver, To: d.Taker, Reason: reason})
		return in.ID, nil
	})
	return err
}

func notFoundOrNotYours(err error, what string) error {
	if domain.HasCode(err, domain.NotFound) {
		return domain.Errorf(domain.NotFound, "There is no such %s in force, or it is not yours.", what)
	}
	return err
}

// checkParticipant refuses everyone but the people concerned and those who manage people, as if there were none.
func (p *permissionChange) checkParticipant(actor domain.Actor, what string, concerned ...domain.ID) error {
	if actor.System {
		return nil
	}
	if slices.Contains(concerned, actor.UserID) {
		return checkScope(actor, domain.ScopeAccount)
	}
	if err := p.svc.authorizeAction(p.ctx, p.tx.Reader, actor, domain.ActManagePeople); err != nil {
		return notFoundOrNotYours(domain.Errorf(domain.NotFound, ""), what)
	}
	return nil
}

// countUncoveredReviews counts, among the reviews that the person could take, those that nobody else could: neither in their own name
// nor, where a delegate exists, in the person's.
func (p *permissionChange) countUncoveredReviews(person domain.User, self domain.ID, standIn *domain.User) (int, error) {
	authorizer, err := p.svc.uncommittedAuthorizer(p.ctx, p.tx.Reader)
	if err != nil {
		return 0, err
	}
	filter, err := authorizer.QueueFilter(person)
	if err != nil {
		return 0, err
	}
	reviews, err := p.tx.QueuePage(p.ctx, filter, store.DueAny, nil, maxRecheckedReviews)
	if err != nil || len(reviews) == 0 {
		return 0, err
	}
	users, err := p.tx.Users(p.ctx, nil)
	if err != nil {
		return 0, err
	}
	absences, now, err := p.currentAbsences()
	if err != nil {
		return 0, err
	}
	users = slices.DeleteFunc(users, func(u domain.User) bool {
		return u.ID == self || domain.SubstituteOf(u.ID, absences, now) != u.ID
	})
	uncovered := 0
	for _, review := range reviews {
		facts, err := p.reviewFacts(review, now)
		if err != nil {
			return 0, err
		}
		if standIn != nil {
			if _, err := authorizer.AuthorizeOnBehalfOf(*standIn, person, domain.ActClaim, asUnclaimed(facts)); err == nil {
				continue
			}
		}
		if len(authorizer.Eligible(users, domain.ActClaim, asUnclaimed(facts))) == 0 {
			uncovered++
		}
	}
	return uncovered, nil
}

func (p *permissionChange) currentAbsences() ([]domain.Absence, time.Time, error) {
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return nil, now, err
	}
	absences, err := p.tx.Absences(p.ctx, nil)
	return absences, now, err
}

// reviewFacts reads what the policy is asked about a review.
func (p *permissionChange) reviewFacts(review domain.Review, now time.Time) (domain.ReviewFacts, error) {
	c, err := p.tx.Case(p.ctx, review.CaseID)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	exclusions, err := p.tx.Exclusions(p.ctx, c.ID, c.PartyID)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	def, err := p.svc.definitions.get(p.ctx, p.tx.Reader, c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	return store.NewReviewFacts(c, review, exclusions, def.HasAmount, now), nil
}

// ApplyDelegationTransitions takes note of delegations that began or were over by time: what was claimed on behalf of a former delegator is
// withdrawn, and who watches by it is evaluated again.
func (svc *Service) ApplyDelegationTransitions(ctx context.Context) (int, error) {
	turned, err := svc.db.Reader().CountDelegationTransitions(ctx)
	if err != nil || turned == 0 {
		return 0, err
	}
	spec := permissionCommand{operation: "turnPowers", stream: domain.PeopleStream}
	return runPermissionChange(ctx, svc, domain.SystemActor(), spec, func(p *permissionChange) (int, error) {
		var err error
		p.affectedUsers, err = p.tx.MarkDelegationTransitions(p.ctx)
		return len(p.affectedUsers), err
	})
}
