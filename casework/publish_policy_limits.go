package casework

import (
	"context"
	"fmt"
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// A text of the policy can change limits too, so that one proposal shows and gives the right to decide and
// the amount. It names the present limits, so it cannot be published after another change of them.

// limitFaults returns the faults of the limits that a text changes. It returns true if they differ only
// from the present limits.
func (svc *Service) limitFaults(
	ctx context.Context, r store.Reader, roles []store.Role, changes []authz.LimitChange,
) (faults []authz.Problem, stale bool, err error) {
	if faults = authz.CheckLimits(changes); len(faults) > 0 {
		return faults, false, nil
	}
	stale = true
	for _, change := range changes {
		fault, err := svc.limitFault(ctx, r, roles, change)
		if err != nil {
			return nil, false, err
		}
		if fault != nil {
			stale = stale && fault.Check == "policy_limit_stale"
			faults = append(faults, *fault)
		}
	}
	return faults, stale && len(faults) > 0, nil
}

func (svc *Service) limitFault(
	ctx context.Context, r store.Reader, roles []store.Role, change authz.LimitChange,
) (*authz.Problem, error) {
	if !slices.ContainsFunc(roles, func(known store.Role) bool { return known.Name == change.Role }) {
		return &authz.Problem{Rule: change.Name(), Message: fmt.Sprintf(unknownRole, change.Role),
			Check: "policy_no_role", Values: map[string]string{"role": string(change.Role)}}, nil
	}
	present, known, named, err := comparedLimit(ctx, r, change)
	if err != nil {
		return nil, err
	}
	if now := authz.LimitText(present, known); !named {
		return &authz.Problem{Rule: change.Name(), Check: "policy_limit_stale",
			Message: fmt.Sprintf("The limit is %s now, not %s.", now, change.Before),
			Values:  map[string]string{"now": now, "before": change.Before}}, nil
	}
	if known || change.After == authz.NoLimit {
		return nil, nil
	}
	if err := svc.checkKnownType(ctx, r, change.DocumentType); err != nil {
		return &authz.Problem{Rule: change.Name(), Message: err.Error(), Check: "policy_limit_no_type",
			Values: map[string]string{"type": change.DocumentType}}, nil
	}
	return nil, nil
}

// sameLimit reports whether a text of the change names the limit, however it writes the amount.
func sameLimit(change authz.LimitChange, text string, limit domain.Limit, known bool) bool {
	named, exists, err := change.Limit(text)
	return err == nil && exists == known &&
		(!known || named.Unlimited == limit.Unlimited && (named.Unlimited || named.BaseMinor == limit.BaseMinor))
}

// comparedLimit returns the present limit of a change, and whether the change names it.
func comparedLimit(ctx context.Context, r store.Reader, change authz.LimitChange) (
	present domain.Limit, known, named bool, err error) {
	present, known, err = presentLimit(ctx, r, change.Role, domain.ActDecide, change.DocumentType)
	return present, known, err == nil && sameLimit(change, change.Before, present, known), err
}

func presentLimit(
	ctx context.Context, r store.Reader, role domain.Role, action domain.Action, documentType string,
) (limit domain.Limit, known bool, err error) {
	limit, err = r.Limit(ctx, role, action, documentType)
	if domain.HasCode(err, domain.NotFound) {
		return limit, false, nil
	}
	return limit, err == nil, err
}

// authorizeText checks what a text with limits needs: the right and the scope to change limits, that it
// names the present ones, and that the actor raises no limit that applies to one of their accounts.
func (s policyPublishable) authorizeText(w *unitOfWork, document string) error {
	if s.authority > 0 {
		now, err := w.tx.AuthorityVersion(w.ctx)
		if err != nil || now.Version != s.authority {
			return firstError(err, effectChanged())
		}
	}
	parsed, _ := authz.ParseDocument([]byte(document))
	if len(parsed.Limits) == 0 {
		return nil
	}
	if err := checkScope(w.actor, domain.ActManagePeople); err != nil {
		return err
	}
	if _, err := w.command.snapshot.authorizer.AuthorizeGlobal(w.command.persons[0],
		domain.ActManagePeople); err != nil {
		return err
	}
	p := &permissionChange{unitOfWork: w}
	for _, change := range parsed.Limits {
		in, before, known, err := p.proposedLimit(change)
		if err != nil {
			return err
		}
		if lowersLimit(in, before, known) {
			continue
		}
		if err := p.refuseOwnLimit(change.Role); err != nil {
			return err
		}
	}
	return nil
}

// proposedLimit returns the change as a command, and the present limit. It refuses what limitFault refuses, because
// role, type and limit may have changed since.
func (p *permissionChange) proposedLimit(change authz.LimitChange) (
	in PutLimit, before domain.Limit, known bool, err error) {
	after, exists, err := change.Limit(change.After)
	if err != nil {
		return in, before, false, err
	}
	in = PutLimit{Limit: after, Drop: !exists}
	before, known, named, err := comparedLimit(p.ctx, p.tx.Reader, change)
	if err == nil && !named {
		err = staleLimit(change.Name(), authz.LimitText(before, known))
	}
	return in, before, known, firstError(err, p.checkLimit(in))
}

func staleLimit(name, now string) error {
	return domain.Errorf(domain.StaleVersion, "The limit of %s is %s now.", name, now).
		WithDetail("reason", "limit_changed").WithDetail("limit", name).WithDetail("now", now).
		WithRemedy("Withdraw the proposal. If the change is still needed, propose it again.")
}

// applyText writes the limits of a published text and releases the reviews that people may no longer hold.
func (policyPublishable) applyText(w *unitOfWork, document string) error {
	parsed, _ := authz.ParseDocument([]byte(document))
	if len(parsed.Limits) == 0 {
		return nil
	}
	p := &permissionChange{unitOfWork: w}
	var affected []domain.ID
	for _, change := range parsed.Limits {
		in, before, known, err := p.proposedLimit(change)
		if err != nil {
			return err
		}
		if err := p.writeLimit(in, before, known); err != nil {
			return err
		}
		affected = append(affected, p.affectedUsers...)
	}
	p.affectedUsers = affected
	w.hints = append(w.hints, domain.Hint{Stream: domain.QueuesTopic})
	return p.releaseForbiddenReviews()
}
