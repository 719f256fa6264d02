package main

import (
	"context"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/scalar"
)

// limitCommands manage approval limits.
type limitCommands struct {
	Set  limitSet  `cmd:"" help:"Set the approval limit of a role."`
	List limitList `cmd:"" default:"1" help:"List the approval limits."`
}

// limitSet sets one limit.
type limitSet struct {
	Role   string `arg:"" help:"Role, such as reviewer_l1."`
	Amount string `arg:"" help:"Amount in the base currency (USD), or unlimited."`
	Type   string `help:"Only for this document type. Default: all types."`
	waitFlags
}

// Run sets it.
func (l *limitSet) Run(ctx context.Context, c *console) error {
	limit := domain.Limit{Role: domain.Role(l.Role), DocumentType: l.Type, Action: domain.ActDecide}
	if l.Amount == "unlimited" {
		limit.Unlimited = true
	} else {
		amount, err := domain.ParseMoney(l.Amount, domain.BaseCurrency)
		if err != nil {
			return err
		}
		if amount.Minor < 0 {
			return domain.Invalid("amount", "A limit cannot be negative.")
		}
		limit.BaseMinor = amount.Minor
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.checkRole(ctx, limit.Role); err != nil {
		return err
	}
	return l.change(ctx, c, o, casework.OperatorChange{Command: domain.BreakGlassLimit, Limit: limit},
		func(casework.OperatorResult) error {
			types := "every document type without a limit of its own"
			if l.Type != "" {
				types = "the document type " + l.Type
			}
			return c.printDone(limit, "%s may decide up to %s, for %s", l.Role, limitAmount(limit), types)
		})
}

// checkRole refuses a role that is neither built in nor defined by an administrator.
func (o *operator) checkRole(ctx context.Context, wanted domain.Role) error {
	known, err := o.db.Reader().Roles(ctx)
	if err != nil {
		return err
	}
	roles := make([]domain.Role, 0, len(known))
	for _, role := range known {
		roles = append(roles, role.Name)
	}
	if !slices.Contains(roles, wanted) {
		return domain.Invalid("role", "The role %q does not exist.", wanted).
			WithRemedy("Use one of: %s.", joinRoles(roles))
	}
	return nil
}

// limitAmount renders the amount of a limit.
func limitAmount(limit domain.Limit) string {
	if limit.Unlimited {
		return "any amount"
	}
	return domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}.String()
}

// limitList lists the limits.
type limitList struct{}

// Run prints the limits of every role: the general one, and those for single document types. A
// limit is listed even if no user has the role yet.
func (limitList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	limits, err := o.db.Reader().Limits(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, limit := range limits {
		amount := "unlimited"
		if !limit.Unlimited {
			amount = domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}.String()
		}
		kind := limit.DocumentType
		if kind == "" {
			kind = "all"
		}
		rows = append(rows, []string{string(limit.Role), string(limit.Action), kind, amount})
	}
	return c.printTable(limits, []string{"ROLE", "MAY", "DOCUMENT TYPE", "UP TO"}, rows)
}

func joinRoles(roles []domain.Role) string {
	names := make([]string, 0, len(roles))
	for _, role := range roles {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// conflictCommands manage conflicts of interest.
type conflictCommands struct {
	Declare conflictDeclare `cmd:"" help:"Exclude a person from every case of a counterparty and its group."`
	End     conflictEnd     `cmd:"" help:"Propose to end a conflict. Another person must confirm it."`
	List    conflictList    `cmd:"" default:"1" help:"List the active conflicts."`
}

// conflictDeclare declares a conflict.
type conflictDeclare struct {
	Email  string `arg:"" help:"E-mail address of the excluded person."`
	Party  string `arg:"" help:"Counterparty as named on documents."`
	Reason string `required:"" help:"Reason."`
}

// Run declares it.
func (d *conflictDeclare) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	who, err := o.personOf(ctx, d.Email)
	if err != nil {
		return err
	}
	id, err := o.service.DeclareConflict(ctx, domain.SystemActor(),
		casework.DeclareConflict{Person: who.ID, Party: d.Party, Reason: d.Reason})
	if err != nil {
		return err
	}
	return c.printDone(map[string]any{"id": id, "person": who.ID, "party": d.Party},
		"%s  %s may not decide on %s", id, who.Name, d.Party)
}

// conflictEnd proposes to end a conflict.
type conflictEnd struct {
	ID     string `arg:"" help:"ID of the conflict, from conflict list."`
	Reason string `required:"" help:"Reason."`
}

// Run proposes it.
func (e *conflictEnd) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(e.ID)
	if err != nil {
		return err
	}
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := endConflict(ctx, client, scalar.GlobalID(scalar.KindConflict, id), e.Reason)
	if err == nil {
		err = refused(answer.Done.UserErrors)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(answer.Done.Proposal)
	}
	c.printLine("%s  proposed; another administrator must confirm it", id)
	return nil
}

// conflictList lists the conflicts.
type conflictList struct{}

// Run prints the list.
func (conflictList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	conflicts, err := o.db.Reader().Conflicts(ctx, domain.NoID)
	if err != nil {
		return err
	}
	users, err := o.db.Reader().Users(ctx, nil)
	if err != nil {
		return err
	}
	emails := map[domain.ID]string{}
	for _, user := range users {
		emails[user.ID] = user.Email
	}
	rows := [][]string{}
	for _, k := range conflicts {
		rows = append(rows, []string{k.ID.String(), emails[k.Person], k.Party, orDash(k.Reason),
			k.CreatedAt.Local().Format("2006-01-02 15:04")})
	}
	return c.printTable(conflicts, []string{"ID", "PERSON", "PARTY", "REASON", "SINCE"}, rows)
}
