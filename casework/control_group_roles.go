package casework

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"countersign/authz"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
)

// maxGroupName bounds the name of a group, in characters.
const maxGroupName = 300

var providerNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// PutGroupRole asks to map a group of a provider to a role, or with Ended to remove the mapping.
type PutGroupRole struct {
	Once   Once
	Mapped domain.GroupRole
	Ended  bool
	Reason string
}

// PutGroupRole proposes a mapping, which another administrator must confirm. Removing one takes effect
// immediately. A role that manages people or publishes cannot be mapped.
func (svc *Service) PutGroupRole(ctx context.Context, actor domain.Actor, in PutGroupRole) (ControlResult,
	error) {
	const operation = "putGroupRole"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return ControlResult{}, err
	}
	in.Mapped.Group = strings.TrimSpace(in.Mapped.Group)
	if err := svc.checkGroupRole(in.Mapped, in.Ended); err != nil {
		return ControlResult{}, err
	}
	reason, err := checkControlChanges("group", []string{in.Mapped.Key()}, in.Reason)
	if err != nil {
		return ControlResult{}, err
	}
	spec := permissionCommand{operation, domain.PeopleStream, domain.ActManagePeople, in.Once, in}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (ControlResult, error) {
		result := ControlResult{Kind: domain.ControlGroupRole, Key: in.Mapped.Key()}
		present, err := groupRoleBase(p.ctx, p.tx.Reader, result.Key)
		if err != nil {
			return result, err
		}
		if in.Ended {
			result.Unchanged = present == 0
			return result, p.removeGroupRole(in.Mapped)
		}
		if result.Unchanged = present == 1; result.Unchanged {
			return result, nil
		}
		if err := p.requireMappable(in.Mapped.Role); err != nil {
			return result, err
		}
		return p.proposeControl(result.Kind, result.Key, reason,
			domain.ControlDocument{Name: in.Mapped.Group, After: result.Key})
	})
}

// checkGroupRole checks what a mapping names. A mapping of a provider that is no longer configured can be
// removed, because it would act again if the provider came back.
func (svc *Service) checkGroupRole(mapped domain.GroupRole, ended bool) error {
	if !ended {
		if err := svc.requireProvider(mapped.Provider); err != nil {
			return err
		}
	}
	switch {
	case !providerNamePattern.MatchString(mapped.Provider):
		return domain.Invalid("provider", "No provider has the name %q.", mapped.Provider)
	case mapped.Group == "" || domain.Longer(mapped.Group, maxGroupName):
		return domain.Invalid("group", "Enter the name of the group (1 to %d characters).", maxGroupName)
	}
	return domain.CheckText("group", mapped.Group)
}

// requireProvider refuses the name of a provider that is not configured.
func (svc *Service) requireProvider(name string) error {
	configured := svc.settings.Providers
	switch {
	case len(configured) == 0:
		return domain.Invalid("provider", "No sign-in provider is configured, so no group can be mapped.").
			WithRemedy("Ask the operator to configure the provider.")
	case !slices.Contains(configured, name):
		return domain.Invalid("provider", "No provider has the name %q. The configured providers are: %s.",
			name, strings.Join(configured, ", ")).WithRemedy("Enter the name of a configured provider.")
	}
	return nil
}

func (p *permissionChange) removeGroupRole(mapped domain.GroupRole) error {
	removed, err := p.tx.DeleteGroupRole(p.ctx, mapped)
	if err == nil && removed {
		p.emit(generated.GroupRoleChangedV1{Provider: mapped.Provider, Group: mapped.Group,
			Role: string(mapped.Role), Ended: true, By: p.actor.UserID})
	}
	return err
}

// requireMappable refuses unknown roles, and those that manage people or publish.
func (p *permissionChange) requireMappable(role domain.Role) error {
	roles, err := p.tx.Roles(p.ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(roles, func(known store.Role) bool { return known.Name == role }) {
		return domain.Invalid("role", unknownRole, role)
	}
	policy, err := loadPolicy(p.ctx, p.tx.Reader)
	if err != nil {
		return err
	}
	if isPrivileged(policy, role) {
		return domain.Errorf(domain.NotPermitted,
			"The role %s manages people or publishes, so no group is mapped to it.", role).
			WithRemedy("Let two administrators give the role to people.")
	}
	return nil
}

// isPrivileged reports whether the role manages people or publishes.
func isPrivileged(policy authz.Policy, role domain.Role) bool {
	return role == domain.RoleAdmin || slices.ContainsFunc(policy.Rules, func(rule authz.Rule) bool {
		return rule.Role == role && rule.Effect != authz.Deny &&
			(rule.Action == domain.ActManagePeople || rule.Action == domain.ActPublish)
	})
}

// effectiveGroupRoles returns the mappings of a provider, without those to a role that has become
// privileged since.
func (svc *Service) effectiveGroupRoles(ctx context.Context, r store.Reader, provider string) (
	[]domain.GroupRole, error) {
	mapped, err := r.GroupRoles(ctx, provider)
	if err != nil || len(mapped) == 0 {
		return nil, err
	}
	policy, err := loadPolicy(ctx, r)
	return slices.DeleteFunc(mapped,
		func(m domain.GroupRole) bool { return isPrivileged(policy, m.Role) }), err
}

// groupRoleBase is 1 if the mapping exists, 0 otherwise.
func groupRoleBase(ctx context.Context, r store.Reader, key string) (int, error) {
	mapped, ok := domain.ParseGroupRole(key)
	if !ok {
		return 0, domain.Errorf(domain.Internal, "The mapping of the proposal cannot be read.")
	}
	known, err := r.GroupRoles(ctx, mapped.Provider)
	if err != nil || !slices.Contains(known, mapped) {
		return 0, err
	}
	return 1, nil
}

// applyGroupRole stores a confirmed mapping. It lowers rights at the next sign-in of each person.
func (p *permissionChange) applyGroupRole(proposal domain.Proposal, _ domain.ControlDocument) error {
	mapped, ok := domain.ParseGroupRole(proposal.Key)
	if !ok {
		return domain.Errorf(domain.Internal, "The mapping of the proposal cannot be read.")
	}
	if err := p.svc.requireProvider(mapped.Provider); err != nil {
		return err
	}
	if err := p.requireMappable(mapped.Role); err != nil {
		return err
	}
	added, err := p.tx.AddGroupRole(p.ctx, mapped, proposal.ID)
	if err == nil && added {
		p.emit(generated.GroupRoleChangedV1{Provider: mapped.Provider, Group: mapped.Group,
			Role: string(mapped.Role), By: p.actor.UserID, ProposedBy: proposal.ProposedBy,
			ProposalID: proposal.ID})
	}
	return err
}
