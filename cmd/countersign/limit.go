package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
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
}

// Run sets it.
func (l *limitSet) Run(ctx context.Context, c *console) error {
	if !slices.Contains(domain.Roles(), domain.Role(l.Role)) {
		return domain.Invalid("role", "The role %q does not exist.",
			l.Role).WithRemedy("Use one of: %s.",
			joinRoles(domain.Roles()))
	}
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
	if err := o.service.SetLimit(ctx, domain.SystemActor(), limit); err != nil {
		return err
	}
	c.printLine("%s may decide up to %s", l.Role, l.Amount)
	return nil
}

// limitList lists the limits.
type limitList struct{}

// Run prints the limits of every role: the general one, and those for single document types.
func (limitList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	limits, err := limitsOf(ctx, o.db.Reader())
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

func limitsOf(ctx context.Context, reader store.Reader) ([]domain.Limit, error) {
	limits := []domain.Limit{}
	for _, role := range domain.Roles() {
		limit, err := reader.Limit(ctx, role, domain.ActDecide, "")
		if err == nil {
			limits = append(limits, limit)
		} else if !domain.HasCode(err, domain.NotFound) {
			return nil, err
		}
	}
	users, err := reader.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, user := range users {
		for _, limit := range user.Limits {
			if !slices.Contains(limits, limit) {
				limits = append(limits, limit)
			}
		}
	}
	slices.SortFunc(limits, func(a, b domain.Limit) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Action, b.Action),
			cmp.Compare(a.DocumentType, b.DocumentType))
	})
	return limits, nil
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
	End     conflictEnd     `cmd:"" help:"End a conflict."`
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
	c.printLine("%s  %s may not decide on %s", id, who.Name, d.Party)
	return nil
}

// conflictEnd ends a conflict.
type conflictEnd struct {
	ID     string `arg:"" help:"ID of the conflict, from conflict list."`
	Reason string `required:"" help:"Reason."`
}

// Run ends it.
func (e *conflictEnd) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(e.ID)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.service.EndConflict(ctx, domain.SystemActor(),
		casework.EndConflict{ID: id, Reason: e.Reason}); err != nil {
		return err
	}
	c.printLine("%s  ended", id)
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
