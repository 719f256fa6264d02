package main

import (
	"context"
	"time"

	"countersign/domain"
)

// passkeyCommands show and remove passkeys. They are the operator's: an API token neither lists nor
// removes the passkeys of its owner.
type passkeyCommands struct {
	List   passkeyList   `cmd:"" default:"withargs" help:"List the passkeys of everyone, or of one person."`
	Remove passkeyRemove `cmd:"" help:"Remove a passkey, as after a loss. Open sessions of the person end."`
}

// passkeyList lists active passkeys.
type passkeyList struct {
	Email string `arg:"" optional:"" help:"E-mail address of the person."`
}

// passkeyRow is a passkey in JSON.
type passkeyRow struct {
	ID           domain.ID
	Person       domain.ID
	Email, Name  string
	RelyingParty string
	Synced       bool
	AddedAt      time.Time
	UsedAt       *time.Time
}

// Run prints the list.
func (p *passkeyList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	people, err := o.people(ctx, p.Email)
	if err != nil {
		return err
	}
	list, rows := []passkeyRow{}, [][]string{}
	for _, person := range people {
		passkeys, err := o.db.Reader().PasskeysOf(ctx, person.ID)
		if err != nil {
			return err
		}
		for _, passkey := range passkeys {
			row := newPasskeyRow(person, passkey)
			list = append(list, row)
			rows = append(rows, []string{row.ID.String(), row.Email, row.Name, day(passkey.At),
				day(passkey.UsedAt)})
		}
	}
	return c.printTable(list, []string{"ID", "E-MAIL", "NAME", "ADDED", "USED"}, rows)
}

// people finds one person by e-mail, or everyone.
func (o *operator) people(ctx context.Context, email string) ([]domain.User, error) {
	if email == "" {
		return o.db.Reader().Users(ctx, nil)
	}
	person, err := o.personOf(ctx, email)
	return []domain.User{person}, err
}

func newPasskeyRow(person domain.User, p domain.Passkey) passkeyRow {
	row := passkeyRow{ID: p.ID, Person: person.ID, Email: person.Email, Name: p.Name,
		RelyingParty: p.RelyingParty, Synced: p.Synced, AddedAt: p.At}
	if !p.UsedAt.IsZero() {
		row.UsedAt = &p.UsedAt
	}
	return row
}

// passkeyRemove removes one.
type passkeyRemove struct {
	ID string `arg:"" help:"ID of the passkey, from passkeys list."`
}

// Run removes.
func (p *passkeyRemove) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(p.ID)
	if err != nil {
		return domain.Invalid("id", "%.60q is not the ID of a passkey.", p.ID)
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	removed, err := o.service.RemovePersonsPasskey(ctx, domain.SystemActor(), id)
	if err != nil {
		return err
	}
	person, err := o.db.Reader().User(ctx, removed.UserID)
	if err != nil {
		return err
	}
	return c.printDone(newPasskeyRow(person, removed), "%s  %s  removed", person.Email, removed.Name)
}
