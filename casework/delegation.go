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

// Delegated names what was set up, and how many undecided reviews of the giver nobody else could take meanwhile.
type Delegated struct {
	ID     domain.ID
	Nobody int
}

const (
	// longestSpan bounds delegations and absences.
	longestSpan = 366 * 24 * time.Hour
	// longestChain bounds how far names are lent on at one time.
	longestChain = 5
	maxStanding  = 1000
)

// CreateDelegation lends a name: one's own needs nobody's leave, another's the right to manage people. Acting in it later
// is judged by the smaller of both limits and by the conflicts and votes of both. Refused: to oneself, in a circle,
// longer than five on end, to somebody who could decide nothing, across a conflict of interest with what the giver holds.
func (h *Hall) CreateDelegation(ctx context.Context, actor domain.Actor, in CreateDelegation) (Delegated, error) {
	reason, err := boundedReason(in.Reason)
	if err == nil && in.Giver == in.Taker {
		err = domain.Invalid("to", "Nobody stands in for themselves.").WithWayOut("Choose somebody else.")
	}
	if err == nil && in.Scope.BaseMinor != nil && *in.Scope.BaseMinor < 0 {
		err = domain.Invalid("limit", "a limit is not negative")
	}
	if err != nil {
		return Delegated{}, err
	}
	command := powerCommand{"createDelegation", domain.PeopleStream, needed(actor, in.Giver), in.Once, in}
	return onPower(ctx, h, actor, command, func(p *powers) (Delegated, error) {
		d := domain.Delegation{ID: domain.NewID(), Giver: in.Giver, Taker: in.Taker, Scope: in.Scope, Reason: reason, CreatedBy: actor.UserID}
		var err error
		if d.From, d.Until, err = p.span(in.From, in.Until); err != nil {
			return Delegated{}, err
		}
		giver, taker, err := p.colleagues(in.Giver, in.Taker)
		if err != nil {
			return Delegated{}, err
		}
		if err := p.mayLend(d, giver, taker); err != nil {
			return Delegated{}, err
		}
		if err := p.tx.PutDelegation(p.ctx, d); err != nil {
			return Delegated{}, err
		}
		p.touched = append(p.touched, d.Taker)
		p.tell(generated.DelegationCreatedV1{DelegationID: d.ID, From: d.Giver, To: d.Taker, ValidFrom: d.From, ValidUntil: d.Until,
			Queues: d.Scope.Queues, DocumentTypes: d.Scope.DocumentTypes, BaseMinor: d.Scope.BaseMinor, Reason: reason})
		nobody, err := p.findNobody(giver.Lend(d.Scope), giver.ID, &taker)
		return Delegated{d.ID, nobody}, err
	})
}

// span checks a half-open span of time; a beginning left out, or past, is now.
func (p *powers) span(from, until time.Time) (time.Time, time.Time, error) {
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
	case until.Sub(from) > longestSpan:
		return from, until, domain.Invalid("validUntil", "it lasts a year at most")
	}
	return from, until, nil
}

// colleagues reads two people of whom the first asks something of the second, in their own name or by a director's hand.
// Whoever asks for themselves has to decide on documents and finds only those who do: nobody else learns by it who there is.
func (p *powers) colleagues(first, second domain.ID) (domain.User, domain.User, error) {
	if first != p.actor.UserID || p.actor.System || mayDirect(p.ctx, p.tx.Reader, p.actor) == nil {
		return p.pair(first, second)
	}
	one, err := p.tx.User(p.ctx, first)
	if err != nil {
		return one, one, err
	}
	if !one.Decides() {
		return one, one, domain.Fail(domain.NotPermitted, "Only who decides on documents has somebody stand in for them.")
	}
	two, err := p.tx.User(p.ctx, second)
	if err == nil && !two.Decides() || domain.HasCode(err, domain.NotFound) {
		err = domain.Fail(domain.NotEligible, "There is nobody of this id who decides on documents.").WithWayOut("Choose somebody who reviews documents.")
	}
	if err != nil {
		return one, two, err
	}
	return p.pair(first, second)
}

// pair reads the two people; the second has to be able to come in.
func (p *powers) pair(first, second domain.ID) (domain.User, domain.User, error) {
	one, err := p.tx.User(p.ctx, first)
	if err != nil {
		return one, one, err
	}
	two, err := p.tx.User(p.ctx, second)
	if err == nil && two.Disabled {
		err = domain.Fail(domain.NotEligible, "The account of %s is switched off.", two.Name).WithWayOut("Choose somebody else.")
	}
	return one, two, err
}

// mayLend refuses a delegation that could never be used, or that would lead round a rule.
func (p *powers) mayLend(d domain.Delegation, giver, taker domain.User) error {
	if !taker.Decides() {
		return domain.Fail(domain.NotEligible, "%s may decide nothing, and the smaller of both limits counts.", taker.Name).
			WithWayOut("Choose somebody who reviews documents.")
	}
	standing, err := p.tx.Delegations(p.ctx, domain.NoID, domain.NoID, maxStanding)
	if err != nil {
		return err
	}
	onward := map[domain.ID][]domain.ID{}
	for _, other := range standing {
		if !other.Overlaps(d.From, d.Until) {
			continue
		}
		if other.Giver == d.Giver && other.Taker == d.Taker {
			return domain.Fail(domain.StateMismatch, "%s stands in for %s in that time already.", taker.Name, giver.Name).
				WithWayOut("End that delegation first.")
		}
		onward[other.Giver] = append(onward[other.Giver], other.Taker)
	}
	if reaches(onward, d.Taker, d.Giver, map[domain.ID]bool{}) {
		return domain.Fail(domain.StateMismatch, "That would lend the name in a circle.").WithWayOut("Choose somebody who has not lent theirs to you.")
	}
	onward[d.Giver] = append(onward[d.Giver], d.Taker)
	if chain := longestFrom(onward, len(standing)+1); chain > longestChain {
		return domain.Fail(domain.StateMismatch, "Names would be lent on %d times on end; %d is the most.", chain, longestChain).
			WithWayOut("Choose somebody who has not lent theirs.")
	}
	return p.acrossConflict(d, taker)
}

// acrossConflict refuses to hand the giver's present work to somebody whom a conflict bars from it.
func (p *powers) acrossConflict(d domain.Delegation, taker domain.User) error {
	held, err := p.tx.HeldBy(p.ctx, []domain.ID{d.Giver}, maxWithdrawn)
	if err != nil {
		return err
	}
	for _, review := range held {
		if review.Assignee != d.Giver || len(d.Scope.Queues) > 0 && !slices.Contains(d.Scope.Queues, review.Queue) ||
			len(d.Scope.DocumentTypes) > 0 && !slices.Contains(d.Scope.DocumentTypes, review.DocumentType) {
			continue
		}
		bars, err := p.tx.BarsOf(p.ctx, review.CaseID, review.PartyID)
		if err != nil {
			return err
		}
		if slices.Contains(bars.Conflicted, taker.ID) {
			return domain.Fail(domain.ConflictOfInterest, "A conflict of interest bars %s from work that would be handed over.", taker.Name).
				WithWayOut("Choose somebody else, or give that work back first.")
		}
	}
	return nil
}

// reaches reports whether one leads to the other by what is lent onward.
func reaches(onward map[domain.ID][]domain.ID, from, to domain.ID, been map[domain.ID]bool) bool {
	if from == to {
		return true
	}
	been[from] = true
	for _, next := range onward[from] {
		if !been[next] && reaches(onward, next, to, been) {
			return true
		}
	}
	return false
}

// longestFrom is how many times on end names are lent; there is no circle, so no chain is longer than most.
func longestFrom(onward map[domain.ID][]domain.ID, most int) int {
	longest := 0
	for level := slices.Collect(keysOf(onward)); len(level) > 0 && longest < most; {
		next := map[domain.ID]bool{}
		for _, id := range level {
			for _, taker := range onward[id] {
				next[taker] = true
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

// EndDelegation ends a delegation at once; the giver, the taker and those who manage people may. What the taker had
// claimed in the lent name is withdrawn.
func (h *Hall) EndDelegation(ctx context.Context, actor domain.Actor, in EndDelegation) error {
	reason, err := boundedReason(in.Reason)
	if err != nil {
		return err
	}
	command := powerCommand{"endDelegation", domain.PeopleStream, "", in.Once, in}
	_, err = onPower(ctx, h, actor, command, func(p *powers) (domain.ID, error) {
		d, err := p.tx.Delegation(p.ctx, in.ID)
		if err != nil {
			return in.ID, noSuch(err, "delegation")
		}
		if err := p.mine(actor, "delegation", d.Giver, d.Taker); err != nil {
			return in.ID, err
		}
		if _, err := p.tx.EndDelegation(p.ctx, in.ID); err != nil {
			return in.ID, err
		}
		p.touched = append(p.touched, d.Taker)
		p.tell(generated.DelegationEndedV1{DelegationID: in.ID, From: d.Giver, To: d.Taker, Reason: reason})
		return in.ID, nil
	})
	return err
}

func noSuch(err error, what string) error {
	if domain.HasCode(err, domain.NotFound) {
		return domain.Fail(domain.NotFound, "There is no such %s in force, or it is not yours.", what)
	}
	return err
}

// mine refuses everyone but the people concerned and those who manage people, as if there were none.
func (p *powers) mine(actor domain.Actor, what string, concerned ...domain.ID) error {
	if actor.System || slices.Contains(concerned, actor.UserID) {
		return nil
	}
	if err := p.hall.mayPlain(p.ctx, p.tx.Reader, actor, domain.ActManagePeople); err != nil {
		return noSuch(domain.Fail(domain.NotFound, ""), what)
	}
	return nil
}

// findNobody counts, among the reviews that the person could take, those that nobody else could: neither in their own name
// nor, where somebody stands in, in the person's.
func (p *powers) findNobody(person domain.User, self domain.ID, standIn *domain.User) (int, error) {
	judge, err := p.hall.judgeUncommitted(p.ctx, p.tx.Reader)
	if err != nil {
		return 0, err
	}
	filter, err := judge.QueueFilter(person)
	if err != nil {
		return 0, err
	}
	reviews, err := p.tx.QueuePage(p.ctx, filter, store.DueAny, nil, maxWithdrawn)
	if err != nil || len(reviews) == 0 {
		return 0, err
	}
	users, err := p.tx.Users(p.ctx, nil)
	if err != nil {
		return 0, err
	}
	absences, now, err := p.away()
	if err != nil {
		return 0, err
	}
	users = slices.DeleteFunc(users, func(u domain.User) bool {
		return u.ID == self || domain.SubstituteOf(u.ID, absences, now) != u.ID
	})
	nobody := 0
	for _, review := range reviews {
		facts, err := p.factsOf(review, now)
		if err != nil {
			return 0, err
		}
		if standIn != nil {
			if _, err := judge.AuthorizeFor(*standIn, person, domain.ActClaim, unclaimed(facts)); err == nil {
				continue
			}
		}
		if len(judge.Eligible(users, domain.ActClaim, unclaimed(facts))) == 0 {
			nobody++
		}
	}
	return nobody, nil
}

func (p *powers) away() ([]domain.Absence, time.Time, error) {
	now, err := p.tx.Clock(p.ctx)
	if err != nil {
		return nil, now, err
	}
	absences, err := p.tx.Absences(p.ctx, nil)
	return absences, now, err
}

// factsOf reads what the policy is asked about a review.
func (p *powers) factsOf(review domain.Review, now time.Time) (domain.ReviewFacts, error) {
	kase, err := p.tx.Case(p.ctx, review.CaseID)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	bars, err := p.tx.BarsOf(p.ctx, kase.ID, kase.PartyID)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	def, err := p.hall.definitions.get(p.ctx, p.tx.Reader, kase.ProcessKey, kase.ProcessVersion)
	if err != nil {
		return domain.ReviewFacts{}, err
	}
	return store.ReviewFactsOf(kase, review, bars, def.HasAmount, now), nil
}

// TurnPowers takes note of delegations that began or were over by time: what was claimed in a name no longer lent is
// withdrawn, and who watches by it is judged anew.
func (h *Hall) TurnPowers(ctx context.Context) (int, error) {
	turned, err := h.db.Reader().TurnedDelegations(ctx)
	if err != nil || turned == 0 {
		return 0, err
	}
	command := powerCommand{operation: "turnPowers", stream: domain.PeopleStream}
	return onPower(ctx, h, domain.SystemActor(), command, func(p *powers) (int, error) {
		var err error
		p.touched, err = p.tx.TurnDelegations(p.ctx)
		return len(p.touched), err
	})
}
