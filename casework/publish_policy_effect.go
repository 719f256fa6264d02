package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// comparison compares both policies. The later one is asked about each user as later returns them.
func (p *policyPreview) comparison(later func(domain.User) domain.User) *authz.Comparison {
	return authz.Compare(p.before, p.after, p.queues).Changing(p.types, later)
}

// laterUser returns the user as a proposed account changes them, with the limits that the text or the
// proposal gives their roles.
func (p *policyPreview) laterUser(user domain.User) domain.User {
	return authz.WithLimits(withAccount(user, p.accounts, p.limits), p.changes)
}

// comparePeople finds the people whose rights change, and what follows for the changed actions.
func (p *policyPreview) comparePeople(comparison *authz.Comparison) error {
	var actions []domain.Action
	digest := sha256.New()
	for _, person := range p.people {
		change := comparison.Of(person)
		if change.Empty() {
			continue
		}
		for _, one := range slices.Concat(change.Gains, change.Loses) {
			if !slices.Contains(actions, one.Action) {
				actions = append(actions, one.Action)
			}
		}
		effect := p.personEffect(comparison, person, change)
		text, err := json.Marshal(effect)
		if err != nil {
			return fmt.Errorf("casework: encode the effect: %w", err)
		}
		digest.Write(append(text, '\n'))
		if p.found.Changed++; p.found.Changed <= maxPreviewPeople {
			p.found.People = append(p.found.People, effect)
		}
	}
	p.found.Digest = hex.EncodeToString(digest.Sum(nil))
	slices.Sort(actions)
	for _, action := range actions {
		p.compareHolders(comparison, action)
	}
	return nil
}

func (p *policyPreview) personEffect(
	comparison *authz.Comparison, person domain.User, change authz.UserChange,
) PersonEffect {
	effect := PersonEffect{Person: person.ID, Gains: change.Gains, Loses: change.Loses,
		Amounts: change.Amounts}
	if person.Disabled {
		effect.NewAccount = person.Name
	}
	for _, duties := range separateDuties {
		beforeOne, afterOne := comparison.Holds(person, duties[0])
		beforeOther, afterOther := comparison.Holds(person, duties[1])
		if afterOne && afterOther && !(beforeOne && beforeOther) {
			effect.Duties = append(effect.Duties, duties)
		}
	}
	return effect
}

// compareHolders adds an action that few people keep, or that everyone gains. The accounts of one person
// count once.
func (p *policyPreview) compareHolders(comparison *authz.Comparison, action domain.Action) {
	var before, after []domain.User
	for _, person := range p.people {
		had, has := comparison.Holds(person, action)
		if had {
			before = append(before, person)
		}
		if has {
			after = append(after, person)
		}
	}
	before, after = distinctPeople(before), distinctPeople(after)
	effect := ActionEffect{Action: action, Before: len(before), After: len(after)}
	everyone := len(distinctPeople(p.people))
	effect.Everyone = effect.After == everyone && effect.Before < everyone && everyone > 1
	few := effect.After < effect.Before && effect.After <= fewHolders
	if !few && !effect.Everyone {
		return
	}
	for i := range after {
		if few {
			effect.Holders = append(effect.Holders, after[i].ID)
		}
	}
	p.found.Actions = append(p.found.Actions, effect)
}

// distinctPeople returns one account of each person.
func distinctPeople(accounts []domain.User) []domain.User {
	var found []domain.User
	for _, account := range accounts {
		if !slices.ContainsFunc(account.OtherAccounts, func(other domain.ID) bool {
			return slices.ContainsFunc(found, func(u domain.User) bool { return u.ID == other })
		}) {
			found = append(found, account)
		}
	}
	return found
}

// addLimit adds a limit that the text changes.
func (p *policyPreview) addLimit(ctx context.Context, change authz.LimitChange) error {
	after, exists, err := change.Limit(change.After)
	if err != nil {
		return err
	}
	before, known, _, err := comparedLimit(ctx, p.r, change)
	if err != nil {
		return err
	}
	before.Role, before.DocumentType = change.Role, change.DocumentType
	p.found.Limits = append(p.found.Limits, LimitEffect{Before: before, Known: known, After: after,
		Exists: exists, Lowers: lowersLimit(PutLimit{Limit: after, Drop: !exists}, before, known)})
	return nil
}

// compareTogether finds the people for whom something else changes if the other open proposals of limits and
// accounts are confirmed too, and for a proposal also an open text of the policy. Proposals of which each
// gives little can give much together.
func (p *policyPreview) compareTogether(ctx context.Context, alone *authz.Comparison) error {
	open, err := p.r.Proposals(ctx, store.ProposalQuery{Status: domain.ProposalOpen, Limit: maxControlChanges,
		Kinds: []domain.ProposalKind{domain.ControlLimit, domain.ControlPerson}})
	if err != nil || len(open) == 0 {
		return err
	}
	limits, err := p.r.Limits(ctx)
	if err != nil {
		return err
	}
	all := domain.User{Limits: limits}
	accounts := map[domain.ID]PersonDocument{}
	for _, proposal := range open {
		if err := p.applyOpen(ctx, proposal, &all, accounts); err != nil {
			return err
		}
	}
	maps.Copy(accounts, p.accounts)
	after, changes := p.after, p.changes
	if p.text != nil {
		after, changes = p.text.authorizer, slices.Concat(p.text.limits, p.changes)
	}
	for _, change := range changes { // they replace the limits that an open proposal is based on
		after, exists, err := change.Limit(change.After)
		if err != nil {
			return err
		}
		all = authz.WithLimit(all, after, exists)
	}
	later := func(user domain.User) domain.User {
		user = withAccount(user, accounts, nil)
		user.Limits = slices.DeleteFunc(slices.Clone(all.Limits),
			func(limit domain.Limit) bool { return !user.HasRole(limit.Role) })
		return user
	}
	p.addTogether(alone, authz.Compare(p.before, after, p.queues).Changing(p.types, later), accounts)
	return nil
}

// applyOpen applies an open proposal to the limits or the accounts.
func (p *policyPreview) applyOpen(ctx context.Context, proposal domain.Proposal, all *domain.User,
	accounts map[domain.ID]PersonDocument) error {
	if proposal.Kind == domain.ControlPerson {
		return addProposedAccount(proposal, accounts)
	}
	present, err := limitBase(ctx, p.r, proposal.Key)
	if err != nil || present != proposal.Base { // it can no longer be confirmed
		return err
	}
	limit, exists, err := proposedLimit(proposal)
	*all = authz.WithLimit(*all, limit, exists)
	return err
}

// addTogether adds the people for whom both comparisons differ, also those whose accounts are only proposed.
func (p *policyPreview) addTogether(alone, together *authz.Comparison, accounts map[domain.ID]PersonDocument) {
	people := slices.Clone(p.people)
	for id, account := range accounts {
		if !slices.ContainsFunc(people, func(user domain.User) bool { return user.ID == id }) {
			people = append(people, domain.User{ID: id, Name: account.Name, Disabled: true})
		}
	}
	for _, person := range people {
		change := together.Of(person)
		if reflect.DeepEqual(change, alone.Of(person)) || len(p.found.Together) >= maxPreviewPeople {
			continue
		}
		p.found.Together = append(p.found.Together, p.personEffect(together, person, change))
	}
	p.found.Complete = p.found.Complete && together.Complete()
}

// expecting computes the effect of a text again and compares it with the one that was read.
func (s policyPublishable) expecting(ctx context.Context, document, effect string) (publishable, error) {
	r := s.svc.db.Reader()
	version, err := r.AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	parsed, _ := authz.ParseDocument([]byte(document))
	after, invalid := authz.New(parsed.Policy())
	if invalid != nil {
		return s, nil // the validation says why
	}
	before, err := s.svc.Authorizer(ctx)
	if err != nil {
		return nil, err
	}
	found := PolicyPreview{}
	p := policyPreview{svc: s.svc, r: r, before: before, after: after, changes: parsed.Limits, found: &found}
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	if err := p.comparePeople(p.comparison(p.laterUser)); err != nil {
		return nil, err
	}
	if found.Digest != effect {
		return nil, effectChanged()
	}
	s.authority = version.Version
	return s, nil
}

func effectChanged() error {
	return domain.Errorf(domain.StaleVersion, "What this would change for whom has changed since you read it.").
		WithDetail("reason", "effect_changed").WithRemedy("Read the effect again, then publish.")
}
