package graph

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/identity"
	"countersign/views"
)

func policyOf(version views.PolicyVersion) donotuse.Policy {
	shown := donotuse.Policy{Version: int(version.Version), Newest: version.Newest,
		Document: version.Document, PublishedAt: version.PublishedAt,
		Rules: []donotuse.PolicyRule{}, By: version.PublishedBy, ProposalID: version.ProposalID}
	for _, rule := range version.Rules {
		effect := string(rule.Effect)
		if effect == "" {
			effect = "allow"
		}
		shown.Rules = append(shown.Rules, donotuse.PolicyRule{Name: rule.Name,
			Role: string(rule.Role), Action: string(rule.Action),
			Object: string(rule.Object), Condition: rule.Condition, Effect: effect})
	}
	return shown
}

func (r queryResolver) Policy(ctx context.Context, version *int) (*donotuse.Policy, error) {
	wanted := 0
	if version != nil {
		if wanted = *version; wanted < 1 {
			return nil, domain.Invalid("version", "Versions start at 1.")
		}
	}
	found, err := r.views.Policy(ctx, callerOf(ctx), int64(wanted))
	shown := policyOf(found)
	return nullIfNotFound(&shown, err)
}

func (r queryResolver) Policies(ctx context.Context, first int, after *string) (
	*donotuse.PolicyConnection, error) {
	before := int64(0)
	err := checkPageSize(first)
	if err == nil && after != nil {
		before, err = parsePolicyCursor(*after)
	}
	if err != nil {
		return nil, err
	}
	versions, more, err := r.views.Policies(ctx, callerOf(ctx), before, first)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.PolicyConnection{Edges: []donotuse.PolicyEdge{},
		Nodes:    []donotuse.Policy{},
		PageInfo: donotuse.PageInfo{HasNextPage: more, HasPreviousPage: after != nil}}
	for _, version := range versions {
		shown := policyOf(version)
		cursor := base64.RawURLEncoding.EncodeToString(
			[]byte("v:" + strconv.FormatInt(version.Version, 10)))
		connection.Edges = append(connection.Edges,
			donotuse.PolicyEdge{Cursor: cursor, Node: shown})
		connection.Nodes = append(connection.Nodes, shown)
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func parsePolicyCursor(cursor string) (int64, error) {
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	digits, found := strings.CutPrefix(string(plain), "v:")
	version, parseErr := strconv.ParseInt(digits, 10, 64)
	if err != nil || !found || parseErr != nil || version < 1 {
		return 0, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
	}
	return version, nil
}

func (r policyResolver) PublishedBy(ctx context.Context, p *donotuse.Policy) (*domain.User, error) {
	if p.By == domain.SystemUserID {
		return nil, nil
	}
	return loadPerson(ctx, p.By)
}

func (r policyResolver) Proposal(ctx context.Context, p *donotuse.Policy) (
	*domain.Proposal, error) {
	if p.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, p.ProposalID)
}

func (r queryResolver) CheckPolicy(ctx context.Context, document string) (
	[]donotuse.DefinitionProblem, error) {
	problems, err := r.service.CheckPolicy(ctx, callerOf(ctx), document)
	return problemsOf(views.NewProblems(problems)), err
}

func (r queryResolver) PolicyTerms(context.Context) (*donotuse.PolicyTerms, error) {
	terms, names := views.PolicyTerms()
	shown := &donotuse.PolicyTerms{Actions: []donotuse.PolicyTerm{}, Names: names}
	for _, term := range terms {
		shown.Actions = append(shown.Actions,
			donotuse.PolicyTerm{Action: string(term.Action), Objects: term.Objects, Limited: term.Limited})
	}
	return shown, nil
}

func (r queryResolver) Roles(ctx context.Context) ([]donotuse.RoleDefinition, error) {
	roles, err := r.views.Roles(ctx, callerOf(ctx))
	shown := make([]donotuse.RoleDefinition, 0, len(roles))
	for _, role := range roles {
		shown = append(shown, donotuse.RoleDefinition{Name: string(role.Name),
			Description: role.Description, People: role.People,
			BuiltIn: slices.Contains(domain.Roles(), role.Name)})
	}
	return shown, err
}

func (r queryResolver) Limits(ctx context.Context) ([]donotuse.RoleLimit, error) {
	limits, err := r.views.Limits(ctx, callerOf(ctx))
	shown := make([]donotuse.RoleLimit, 0, len(limits))
	for _, limit := range limits {
		shown = append(shown, roleLimitOf(limit))
	}
	return shown, err
}

func roleLimitOf(limit domain.Limit) donotuse.RoleLimit {
	shown := donotuse.RoleLimit{Role: string(limit.Role), Action: string(limit.Action),
		DocumentType: limit.DocumentType}
	if !limit.Unlimited {
		shown.Amount = &domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}
	}
	return shown
}

func (r mutationResolver) ProposePolicy(ctx context.Context, in donotuse.ProposeDefinitionInput) (
	*donotuse.ProposalPayload, error) {
	return proposeText(ctx, in, r.service.ProposePolicy)
}

func (r mutationResolver) RestorePolicy(ctx context.Context, in donotuse.RestorePolicyInput) (
	*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.RestorePolicy(ctx, callerOf(ctx),
		casework.Restore{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Version: in.PolicyVersion, Note: valueOrEmpty(in.Note),
			ExpectedVersion: valueOrEmpty(in.ExpectedVersion)}))
}

func (r mutationResolver) PublishPolicy(ctx context.Context, in donotuse.PublishProposalInput) (
	*donotuse.ProposalPayload, error) {
	return publishProposal(ctx, in, r.service.PublishPolicy)
}

func (r mutationResolver) WithdrawPolicy(ctx context.Context, in donotuse.WithdrawProposalInput) (
	*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, withdrawCommand(in), r.service.WithdrawPolicy)
}

func (r mutationResolver) PutPerson(ctx context.Context, in donotuse.PutPersonInput) (
	*donotuse.PutPersonPayload, error) {
	payload := &donotuse.PutPersonPayload{}
	command, err := personOf(in)
	if err == nil {
		var result casework.PersonResult
		if result, err = r.service.PutPerson(ctx, callerOf(ctx), command); err == nil {
			payload.ProposalID = result.ProposalID
			var made domain.User
			made, err = r.views.Reader().User(ctx, result.ID)
			payload.Person, err = nullIfNotFound(&made, err)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func personOf(in donotuse.PutPersonInput) (casework.PutUser, error) {
	command := casework.PutUser{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		ExpectedVersion: valueOrEmpty(in.ExpectedVersion), EmployeeID: in.EmployeeID,
		User: domain.User{Email: in.Email, Name: in.Name, Queues: in.Queues, Disabled: in.Disabled,
			Locale: valueOrEmpty(in.Locale)}}
	for _, role := range in.Roles {
		command.User.Roles = append(command.User.Roles, domain.Role(role))
	}
	var err error
	if in.PersonID != nil {
		command.UpdateOnly = true
		if command.User.ID, err = scalar.IDOf(scalar.KindPerson, "personId",
			*in.PersonID); err != nil {
			return command, err
		}
	}
	if in.Password != nil {
		command.PasswordHash, err = identity.HashPassword(*in.Password)
	}
	return command, err
}

func (r mutationResolver) SetLimit(ctx context.Context, in donotuse.SetLimitInput) (
	*donotuse.SetLimitPayload, error) {
	command := casework.PutLimit{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Drop: in.Drop,
		Limit: domain.Limit{Role: domain.Role(in.Role), Action: domain.ActDecide,
			DocumentType: valueOrEmpty(in.DocumentType), Unlimited: in.Unlimited}}
	var err error
	switch {
	case in.Amount != nil && (in.Unlimited || in.Drop), in.Amount == nil && in.Unlimited == in.Drop:
		err = domain.Invalid("amount", "Enter exactly one of amount, unlimited and drop.")
	case in.Amount != nil:
		command.Limit.BaseMinor, err = baseAmountMinor("amount", *in.Amount)
	}
	if err == nil && in.Expected != nil {
		command.Expected, err = expectedLimit(*in.Expected)
	}
	var result casework.ControlResult
	if err == nil {
		result, err = r.service.PutLimit(ctx, callerOf(ctx), command)
	}
	refusals, err := userErrorsOf(err)
	return &donotuse.SetLimitPayload{ProposalID: result.ProposalID, UserErrors: refusals}, err
}

func expectedLimit(in donotuse.ExpectedLimitInput) (*casework.ExpectedLimit, error) {
	limit := casework.ExpectedLimit{Exists: in.Unlimited || in.Amount != nil, Unlimited: in.Unlimited}
	var err error
	if in.Amount != nil {
		limit.BaseMinor, err = baseAmountMinor("expected", *in.Amount)
	}
	return &limit, err
}

func (r mutationResolver) PutRole(ctx context.Context, in donotuse.PutRoleInput) (
	*donotuse.PutRolePayload, error) {
	err := r.service.PutRole(ctx, callerOf(ctx),
		casework.PutRole{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Name:                domain.Role(in.Name),
			Description:         valueOrEmpty(in.Description),
			ExpectedDescription: in.ExpectedDescription})
	refusals, err := userErrorsOf(err)
	return &donotuse.PutRolePayload{UserErrors: refusals}, err
}

// Roles returns the built-in roles, which the enumeration contains. roleNames returns custom roles
// too.
func (personResolver) Roles(_ context.Context, user *domain.User) ([]domain.Role, error) {
	return slices.DeleteFunc(append([]domain.Role{}, user.Roles...),
		func(role domain.Role) bool { return !slices.Contains(domain.Roles(), role) }), nil
}

func (personResolver) RoleNames(_ context.Context, user *domain.User) ([]string, error) {
	names := make([]string, 0, len(user.Roles))
	for _, role := range user.Roles {
		names = append(names, string(role))
	}
	return names, nil
}

func (personResolver) Limits(_ context.Context, user *domain.User) ([]domain.Limit, error) {
	return slices.DeleteFunc(append([]domain.Limit{}, user.Limits...),
		func(l domain.Limit) bool { return !slices.Contains(domain.Roles(), l.Role) }), nil
}

func (personResolver) Version(_ context.Context, user *domain.User) (string, error) {
	return casework.PersonVersion(*user), nil
}
