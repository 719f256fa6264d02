package casework

import (
	"context"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// PutLimit asks to set the amount up to which a role may decide. Drop removes the limit and with it
// the right.
type PutLimit struct {
	Once  Once
	Limit domain.Limit
	Drop  bool
	// Expected is the present limit that the caller read; nil skips the check.
	Expected *ExpectedLimit `json:",omitempty"`
}

// ExpectedLimit is a limit as a caller read it.
type ExpectedLimit struct {
	Exists    bool
	Unlimited bool
	BaseMinor int64
}

func (e ExpectedLimit) text() string {
	return limitText(domain.Limit{Unlimited: e.Unlimited, BaseMinor: e.BaseMinor}, e.Exists)
}

// SetLimit is PutLimit for callers to whom it does not matter whether the change waits.
func (svc *Service) SetLimit(ctx context.Context, actor domain.Actor, limit domain.Limit) error {
	_, err := svc.PutLimit(ctx, actor, PutLimit{Limit: limit})
	return err
}

// PutLimit sets or removes a limit. A lower limit takes effect immediately: reviews above it are
// released. What raises a limit waits for another administrator, except for the operator's command
// line, as the system. Users cannot raise a limit that applies to themselves.
func (svc *Service) PutLimit(ctx context.Context, actor domain.Actor, in PutLimit) (ControlResult,
	error) {
	if err := svc.inScope(ctx, actor, "setLimit", domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	if err := checkLimitValue(in.Limit); err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{"setLimit", domain.PolicyStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) (ControlResult, error) { return p.putLimit(in) })
}

func checkLimitValue(limit domain.Limit) error {
	switch {
	case limit.BaseMinor < 0:
		return domain.Invalid("amount", negativeLimit)
	case limit.Action != domain.ActDecide:
		return domain.Invalid("action", "Only the action decide has a limit.")
	}
	return nil
}

// checkLimit refuses a limit of an unknown role, and a new one of an unknown document type.
func (p *permissionChange) checkLimit(in PutLimit) error {
	roles, err := p.tx.Roles(p.ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(roles,
		func(known store.Role) bool { return known.Name == in.Limit.Role }) {
		return domain.Invalid("role", unknownRole, in.Limit.Role)
	}
	_, known, err := p.presentLimit(in.Limit)
	if err != nil || known || in.Drop {
		return err
	}
	return p.svc.checkKnownType(p.ctx, p.tx.Reader, in.Limit.DocumentType)
}

func (p *permissionChange) putLimit(in PutLimit) (ControlResult, error) {
	result := ControlResult{Kind: domain.ControlLimit, Key: limitKey(in.Limit)}
	if err := p.checkLimit(in); err != nil {
		return result, err
	}
	before, known, err := p.presentLimit(in.Limit)
	if err != nil {
		return result, err
	}
	if present := limitText(before, known); present != limitText(in.Limit, !in.Drop) {
		if err := p.checkPresent(textOf(in.Expected, ExpectedLimit.text), present,
			shownLimit(before, known), domain.NoID); err != nil {
			return result, err
		}
	}
	if p.actor.System || lowersLimit(in, before, known) {
		return result, p.writeLimit(in, before, known)
	}
	if err := p.refuseOwnLimit(in.Limit.Role); err != nil {
		return result, err
	}
	change := domain.ControlDocument{Before: limitText(before, known), After: limitText(in.Limit, !in.Drop)}
	return p.proposeControl(result.Kind, result.Key, "", change)
}

func (p *permissionChange) presentLimit(of domain.Limit) (limit domain.Limit, known bool, err error) {
	return presentLimit(p.ctx, p.tx.Reader, of.Role, of.Action, of.DocumentType)
}

// writeLimit writes or deletes the limit with the event.
func (p *permissionChange) writeLimit(in PutLimit, before domain.Limit, known bool) error {
	limit := in.Limit
	var err error
	body := generated.LimitChangedV1{Action: string(limit.Action), DocumentType: limit.DocumentType,
		Role: string(limit.Role)}
	if known {
		body.Before = &generated.LimitChangedV1Before{Unlimited: before.Unlimited,
			BaseMinor: &before.BaseMinor}
	}
	if in.Drop {
		if dropped, err := p.tx.DeleteLimit(p.ctx, limit.Role, limit.Action,
			limit.DocumentType); err != nil || !dropped {
			return err
		}
	} else {
		body.After = &generated.LimitChangedV1After{Unlimited: limit.Unlimited,
			BaseMinor: &limit.BaseMinor}
		if err := p.tx.PutLimit(p.ctx, limit); err != nil {
			return err
		}
	}
	if body.PolicyVersion, _, err = p.tx.Policy(p.ctx); err != nil &&
		!domain.HasCode(err, domain.NotFound) {
		return err
	}
	if p.affectedUsers, err = p.tx.UserIDsWithRole(p.ctx, limit.Role); err != nil {
		return err
	}
	p.emit(body)
	return nil
}

// lowersLimit reports whether the change raises nothing. Removing the limit of one document type may
// raise it, because the limit for all types applies then.
func lowersLimit(in PutLimit, before domain.Limit, known bool) bool {
	if in.Drop {
		return !known || in.Limit.DocumentType == ""
	}
	if !known || in.Limit.Unlimited && !before.Unlimited {
		return false
	}
	return before.Unlimited || in.Limit.BaseMinor <= before.BaseMinor && !in.Limit.Unlimited
}

// refuseOwnLimit refuses to raise, or to confirm a raise of, a limit that applies to the actor.
func (p *permissionChange) refuseOwnLimit(role domain.Role) error {
	actor, err := p.tx.User(p.ctx, p.actor.UserID)
	if err != nil {
		return err
	}
	accounts, err := p.tx.Users(p.ctx, actor.Accounts())
	if err != nil || !slices.ContainsFunc(accounts,
		func(account domain.User) bool { return account.HasRole(role) }) {
		return err
	}
	return domain.Errorf(domain.FourEyes, "You cannot raise a limit of your own role.").
		WithRemedy(askAnotherAdministrator)
}

// limitKey names a limit in a proposal.
func limitKey(limit domain.Limit) string { return string(limit.Role) + "/" + limit.DocumentType }

// limitText is a limit in a proposal: the amount in minor units, "unlimited", or "" for none.
func limitText(limit domain.Limit, exists bool) string {
	switch {
	case !exists:
		return ""
	case limit.Unlimited:
		return unlimitedText
	}
	return strconv.FormatInt(limit.BaseMinor, 10)
}

// shownLimit is a limit as a sentence names it.
func shownLimit(limit domain.Limit, exists bool) string {
	switch {
	case !exists:
		return "none"
	case limit.Unlimited:
		return unlimitedText
	}
	return domain.BaseCurrency + " " + domain.FormatMinor(limit.BaseMinor, 2)
}

const unlimitedText = "unlimited"

// limitBase identifies the present value of a limit, because limits have no versions.
func limitBase(ctx context.Context, r store.Reader, key string) (int, error) {
	role, documentType, _ := strings.Cut(key, "/")
	limit, err := r.Limit(ctx, domain.Role(role), domain.ActDecide, documentType)
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		return 0, err
	}
	return int(crc32.ChecksumIEEE([]byte(limitText(limit, err == nil))) & math.MaxInt32), nil
}

// applyLimit writes a confirmed limit.
func (p *permissionChange) applyLimit(proposal domain.Proposal, _ domain.ControlDocument) error {
	limit, exists, err := proposedLimit(proposal)
	if err != nil {
		return err
	}
	in := PutLimit{Drop: !exists, Limit: limit}
	if err := p.refuseOwnLimit(in.Limit.Role); err != nil {
		return err
	}
	before, known, err := p.presentLimit(in.Limit)
	if err != nil {
		return err
	}
	return p.writeLimit(in, before, known)
}
