package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// ProposedEffect returns what an open proposal of a limit or an account would change for whom, and what it
// would change together with the other open proposals, as PreviewPolicy does for a text of the policy. It
// requires the right to manage people; NotFound if the proposal is of another kind or has ended.
func (svc *Service) ProposedEffect(ctx context.Context, actor domain.Actor, id domain.ID) (
	PolicyPreview, error) {
	preview := PolicyPreview{}
	if err := checkScope(actor, domain.ActManagePeople); err != nil {
		return preview, err
	}
	if actor.OnBehalfOf != domain.NoID {
		return preview, domain.Errorf(domain.NotPermitted,
			"You cannot confirm changes on behalf of another user.")
	}
	if err := svc.Authorize(ctx, actor, domain.ActManagePeople); err != nil {
		return preview, err
	}
	proposal, err := svc.db.Reader().Proposal(ctx, id)
	if err == nil && (!hasEffect(proposal.Kind) || proposal.Status != domain.ProposalOpen) {
		err = domain.NewNotFound()
	}
	if err != nil {
		return preview, err
	}
	preview.Evaluated, preview.Complete = true, true
	p, err := svc.effectOf(ctx, proposal, &preview)
	if err != nil {
		return preview, err
	}
	return preview, p.compute(ctx, actor)
}

// hasEffect reports whether proposals of the kind change what people may do.
func hasEffect(kind domain.ProposalKind) bool {
	return kind == domain.ControlLimit || kind == domain.ControlPerson
}

// effectOf prepares the comparison of the people as they are with those after the proposal.
func (svc *Service) effectOf(ctx context.Context, proposal domain.Proposal, found *PolicyPreview) (
	*policyPreview, error) {
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return nil, err
	}
	p := &policyPreview{svc: svc, r: svc.db.Reader(), before: authorizer, after: authorizer, found: found,
		accounts: map[domain.ID]PersonDocument{}}
	if proposal.Kind == domain.ControlPerson {
		if err := addProposedAccount(proposal, p.accounts); err != nil {
			return nil, err
		}
	} else if p.changes, err = p.proposedLimits(ctx, proposal); err != nil {
		return nil, err
	}
	if p.limits, err = p.r.Limits(ctx); err != nil {
		return nil, err
	}
	p.text, err = p.openText(ctx)
	return p, err
}

// proposedLimits returns the limit of a proposal as the text of a policy would change it.
func (p *policyPreview) proposedLimits(ctx context.Context, proposal domain.Proposal) ([]authz.LimitChange,
	error) {
	limit, exists, err := proposedLimit(proposal)
	if err != nil {
		return nil, err
	}
	change := authz.LimitChange{Role: limit.Role, DocumentType: limit.DocumentType,
		After: authz.LimitText(limit, exists)}
	before, known, err := presentLimit(ctx, p.r, limit.Role, limit.Action, limit.DocumentType)
	change.Before = authz.LimitText(before, known)
	return []authz.LimitChange{change}, err
}

// proposedLimit returns the limit that a proposal sets, false if it removes it.
func proposedLimit(proposal domain.Proposal) (limit domain.Limit, exists bool, err error) {
	var change domain.ControlDocument
	if err := json.Unmarshal([]byte(proposal.Document), &change); err != nil {
		return limit, false, fmt.Errorf("casework: proposal %s: %w", proposal.ID, err)
	}
	role, documentType, _ := strings.Cut(proposal.Key, "/")
	limit = domain.Limit{Role: domain.Role(role), DocumentType: documentType, Action: domain.ActDecide,
		Unlimited: change.After == unlimitedText}
	if change.After != "" && !limit.Unlimited {
		if limit.BaseMinor, err = strconv.ParseInt(change.After, 10, 64); err != nil {
			return limit, false, domain.Errorf(domain.Internal, "The proposed limit cannot be read.").WithCause(err)
		}
	}
	return limit, change.After != "", nil
}

// addProposedAccount adds the account of a proposal.
func addProposedAccount(proposal domain.Proposal, accounts map[domain.ID]PersonDocument) error {
	var change domain.ControlDocument
	var account PersonDocument
	err := json.Unmarshal([]byte(proposal.Document), &change)
	if err == nil {
		err = json.Unmarshal([]byte(change.After), &account)
	}
	if err != nil {
		return fmt.Errorf("casework: proposal %s: %w", proposal.ID, err)
	}
	id, err := domain.ParseID(proposal.Key)
	accounts[id] = account
	return err
}

// addAccounts adds the people who have no account yet, or a disabled one, and would get one.
func (p *policyPreview) addAccounts() {
	for _, id := range slices.SortedFunc(maps.Keys(p.accounts),
		func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) }) {
		if !slices.ContainsFunc(p.people, func(user domain.User) bool { return user.ID == id }) {
			p.people = append(p.people, domain.User{ID: id, Name: p.accounts[id].Name, Disabled: true})
		}
	}
}

// withAccount returns the user as a proposed account changes them.
func withAccount(user domain.User, accounts map[domain.ID]PersonDocument, limits []domain.Limit) domain.User {
	account, changes := accounts[user.ID]
	if !changes {
		return user
	}
	user.Roles, user.Queues, user.Disabled = account.Roles, account.Queues, account.Disabled
	user.Limits = slices.DeleteFunc(slices.Clone(limits),
		func(limit domain.Limit) bool { return !user.HasRole(limit.Role) })
	return user
}

// openText returns the newest open text of the policy that could be published, nil if there is none.
func (p *policyPreview) openText(ctx context.Context) (*openText, error) {
	open, err := p.r.Proposals(ctx, store.ProposalQuery{Status: domain.ProposalOpen, Limit: maxOpenTexts,
		Kinds: []domain.ProposalKind{domain.ProposePolicy}})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	now, err := policyPublishable{}.newestVersion(ctx, p.r, PolicyKey)
	for _, proposal := range open {
		parsed, faults := authz.ParseDocument([]byte(proposal.Document))
		if err != nil || proposal.Base != now || len(faults) > 0 {
			continue
		}
		if authorizer, invalid := authz.New(parsed.Policy()); invalid == nil {
			return &openText{authorizer, parsed.Limits}, nil
		}
	}
	return nil, err
}

// openText is a proposed text of the policy.
type openText struct {
	authorizer *authz.Authority
	limits     []authz.LimitChange
}

// checkReadEffect refuses to confirm an open proposal whose effect is not the one that was read, and returns
// the version of the permissions for which it was computed, 0 if none was read.
func (svc *Service) checkReadEffect(ctx context.Context, actor domain.Actor, operation string,
	proposal domain.Proposal, in EndProposal) (int64, error) {
	if in.ExpectedEffect == "" || operation != confirmOperation || !hasEffect(proposal.Kind) ||
		proposal.Status != domain.ProposalOpen {
		return 0, nil
	}
	err := svc.Authorize(ctx, actor, domain.ActManagePeople)
	var authority int64
	if err == nil {
		authority, err = svc.checkEffect(ctx, proposal, in.ExpectedEffect)
	}
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return authority, err
}

func (svc *Service) checkEffect(ctx context.Context, proposal domain.Proposal, expected string) (int64, error) {
	version, err := svc.db.Reader().AuthorityVersion(ctx)
	if err != nil {
		return 0, err
	}
	found := PolicyPreview{}
	p, err := svc.effectOf(ctx, proposal, &found)
	if err == nil {
		err = p.load(ctx)
	}
	if err == nil {
		err = p.comparePeople(p.comparison(p.laterUser))
	}
	if err == nil && found.Digest != expected {
		err = effectChanged()
	}
	return version.Version, err
}

// sameAuthority refuses a change if permissions have changed since the version, except by the change itself.
func (p *permissionChange) sameAuthority(version int64) error {
	if version == 0 {
		return nil
	}
	now, err := p.tx.AuthorityVersion(p.ctx)
	if err == nil && now.Version != version+1 {
		err = effectChanged()
	}
	return err
}
