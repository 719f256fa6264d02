package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"countersign/casework"
	"countersign/domain"
)

// limitCommands keep approval limits.
type limitCommands struct {
	Set limitSet `cmd:"" help:"Set the amount up to which a role may decide."`
}

// limitSet sets one limit.
type limitSet struct {
	Role   string `arg:"" help:"Role, such as reviewer_l1."`
	Amount string `arg:"" help:"Amount in the base currency (USD), or unlimited."`
	Type   string `help:"Only for this document type; default: all."`
}

// Run sets it.
func (l *limitSet) Run(ctx context.Context, c *console) error {
	if !slices.Contains(domain.Roles(), domain.Role(l.Role)) {
		return domain.Invalid("role", "there is no role %q", l.Role).WithWayOut("Roles are: %s.", joinRoles(domain.Roles()))
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
			return domain.Invalid("amount", "a limit is not negative")
		}
		limit.BaseMinor = amount.Minor
	}
	o, err := c.operate(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.hall.SetLimit(ctx, domain.SystemActor(), limit); err != nil {
		return err
	}
	c.say("%s may decide up to %s", l.Role, l.Amount)
	return nil
}

func joinRoles(roles []domain.Role) string {
	names := make([]string, 0, len(roles))
	for _, role := range roles {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// rateCommands keep exchange rates.
type rateCommands struct {
	Set rateSet `cmd:"" help:"Set what one unit of a currency is worth in the base currency, from now on."`
}

// rateSet sets one rate.
type rateSet struct {
	Currency string `arg:"" help:"Three letters, such as EUR."`
	Rate     string `arg:"" help:"Base currency (USD) for one unit, such as 1.0875."`
}

// Run sets it.
func (r *rateSet) Run(ctx context.Context, c *console) error {
	currency := strings.ToUpper(r.Currency)
	micros, err := microsOf(currency, r.Rate)
	if err != nil {
		return err
	}
	o, err := c.operate(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.hall.PutRate(ctx, domain.SystemActor(), currency, micros); err != nil {
		return err
	}
	c.say("1 %s = %s %s from now on", currency, r.Rate, domain.BaseCurrency)
	return nil
}

// microsOf turns "base units for one unit" into millionths of a base minor unit for one minor unit, rounded up: the yen
// has no minor digits, the dinar three.
func microsOf(currency, rate string) (int64, error) {
	digits, ok := domain.Exponent(currency)
	base, _ := domain.Exponent(domain.BaseCurrency)
	if !ok {
		return 0, domain.Invalid("currency", "%q is not a known currency", currency)
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(rate), ".")
	if len(whole) > 9 || len(fraction) > 9 || strings.Trim(whole+fraction, "0123456789") != "" || whole+fraction == "" {
		return 0, domain.Invalid("rate", "%q is not a rate", rate).WithWayOut("Write it like 1.0875.")
	}
	nanos, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	if err != nil || nanos == 0 {
		return 0, domain.Invalid("rate", "%q is not a rate above zero", rate)
	}
	divisor := int64(1000) // from nanos to micros
	for ; digits > base; digits-- {
		divisor *= 10
	}
	for ; digits < base; digits++ {
		if nanos > (1<<62)/10 {
			return 0, domain.Invalid("rate", "the rate %s is too large", rate)
		}
		nanos *= 10
	}
	return (nanos + divisor - 1) / divisor, nil
}

// conflictCommands keep conflicts of interest.
type conflictCommands struct {
	Declare conflictDeclare `cmd:"" help:"Bar a person from every case of a company or person, and of its group."`
	End     conflictEnd     `cmd:"" help:"End a conflict."`
	List    conflictList    `cmd:"" default:"1" help:"The conflicts in force."`
}

// conflictDeclare declares one.
type conflictDeclare struct {
	Email  string `arg:"" help:"Who is barred."`
	Party  string `arg:"" help:"The company or person as named on documents."`
	Reason string `required:"" help:"Why."`
}

// Run declares it.
func (d *conflictDeclare) Run(ctx context.Context, c *console) error {
	o, err := c.operate(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	who, err := o.personOf(ctx, d.Email)
	if err != nil {
		return err
	}
	id, err := o.hall.DeclareConflict(ctx, domain.SystemActor(), casework.DeclareConflict{Person: who.ID, Party: d.Party, Reason: d.Reason})
	if err != nil {
		return err
	}
	c.say("%s  %s may not decide on %s", id, who.Name, d.Party)
	return nil
}

// conflictEnd ends one.
type conflictEnd struct {
	ID     string `arg:"" help:"Id of the conflict, as conflict list shows it."`
	Reason string `help:"Why."`
}

// Run ends it.
func (e *conflictEnd) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(e.ID)
	if err != nil {
		return err
	}
	o, err := c.operate(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.hall.EndConflict(ctx, domain.SystemActor(), id, e.Reason); err != nil {
		return err
	}
	c.say("%s  ended", id)
	return nil
}

// conflictList lists them.
type conflictList struct{}

// Run prints the list.
func (conflictList) Run(ctx context.Context, c *console) error {
	o, err := c.operate(ctx)
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
		rows = append(rows, []string{k.ID.String(), emails[k.Person], k.PartyID.String(), dash(k.Reason), k.CreatedAt.Local().Format("2006-01-02 15:04")})
	}
	return c.table(conflicts, []string{"ID", "PERSON", "PARTY", "REASON", "SINCE"}, rows)
}
