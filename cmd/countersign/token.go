package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
)

// tokenCommands manage API tokens.
type tokenCommands struct {
	Create tokenCreate `cmd:"" help:"Create an API token for a person. It is shown only once."`
	List   tokenList   `cmd:"" help:"List the tokens of a person."`
	Revoke tokenRevoke `cmd:"" help:"Revoke a token immediately."`
}

// tokenCreate creates a token.
type tokenCreate struct {
	Email string         `arg:"" help:"E-mail address of the owner."`
	Name  string         `required:"" help:"Name of the token."`
	Scope []string       `help:"Only these scopes, such as submit,read. Default: everything that the person may do."`
	Valid *time.Duration `help:"Lifetime, such as 720h. Default: until it is revoked."`
	waitFlags
}

// Validate refuses options whose value is empty, as of an unset variable of a script: without them
// the token would have every right, or never expire. Kong calls it.
func (t *tokenCreate) Validate() error {
	if t.Scope != nil && len(t.Scope) == 0 {
		return domain.Invalid("scope", "The option --scope is empty.").
			WithRemedy("Leave it out to include all rights of the person.")
	}
	if t.Valid != nil && *t.Valid <= 0 {
		return domain.Invalid("valid", "The lifetime %s is not above zero.", *t.Valid)
	}
	return nil
}

// Run creates the token and prints it.
func (t *tokenCreate) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	who, err := o.personOf(ctx, t.Email)
	if err != nil {
		return err
	}
	wanted := casework.CreateToken{Name: t.Name, Scopes: t.Scope}
	if t.Valid != nil {
		now, err := o.db.Reader().Clock(ctx)
		if err != nil {
			return err
		}
		wanted.ExpiresAt = now.Add(*t.Valid)
	}
	secret, hash := identity.NewToken()
	wanted.OwnerID, wanted.Hash = who.ID, hash
	err = t.change(ctx, c, o, casework.OperatorChange{Command: domain.BreakGlassToken, Token: wanted},
		func(done casework.OperatorResult) error {
			if c.json {
				return c.printJSON(map[string]any{"id": done.ID, "token": secret})
			}
			c.printNote("token %s of %s, shown only once:", done.ID, who.Email)
			c.printLine("%s", secret)
			return nil
		})
	c.notePassword(err, secret, false)
	return err
}

// tokenFor creates a token for the person.
func (o *operator) tokenFor(ctx context.Context, person domain.ID,
	wanted casework.CreateToken) (string, domain.APIToken, error) {
	secret, hash := identity.NewToken()
	wanted.OwnerID, wanted.Hash = person, hash
	token, err := o.service.CreateToken(ctx, domain.SystemActor(), wanted)
	return secret, token, err
}

// tokenList lists a person's tokens.
type tokenList struct {
	Email string `arg:"" help:"E-mail address of the owner."`
}

// Run prints the list.
func (t *tokenList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	who, err := o.personOf(ctx, t.Email)
	if err != nil {
		return err
	}
	tokens, err := o.db.Reader().TokensOf(ctx, who.ID)
	if err != nil {
		return err
	}
	rows, list := [][]string{}, []tokenRow{}
	for _, token := range tokens {
		list = append(list, newTokenRow(token))
		rows = append(rows, []string{token.ID.String(), token.Name,
			orDash(strings.Join(token.Scopes, ", ")), day(token.CreatedAt),
			day(token.ExpiresAt), day(token.RevokedAt), day(token.LastUsed),
			dashZero(token.RequestsPerMinute)})
	}
	return c.printTable(list, []string{"ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "REVOKED",
		"LAST USED", "REQUESTS PER MINUTE"}, rows)
}

// tokenRow is a token in JSON; a time that does not exist is null.
type tokenRow struct {
	ID, UserID                     domain.ID
	Name                           string
	Scopes                         []string
	CreatedAt                      time.Time
	ExpiresAt, RevokedAt, LastUsed *time.Time
	RequestsPerMinute              int64
}

func newTokenRow(token domain.APIToken) tokenRow {
	known := func(at time.Time) *time.Time {
		if at.IsZero() {
			return nil
		}
		return &at
	}
	return tokenRow{ID: token.ID, UserID: token.UserID, Name: token.Name, Scopes: token.Scopes,
		CreatedAt: token.CreatedAt, ExpiresAt: known(token.ExpiresAt),
		RevokedAt: known(token.RevokedAt), LastUsed: known(token.LastUsed),
		RequestsPerMinute: token.RequestsPerMinute}
}

// dashZero formats a number, with a dash for zero.
func dashZero(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

func day(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format("2006-01-02 15:04")
}

// tokenRevoke revokes a token.
type tokenRevoke struct {
	ID string `arg:"" help:"ID of the token, from token list."`
}

// Run revokes.
func (t *tokenRevoke) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(t.ID)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	token, err := o.service.RevokeToken(ctx, domain.SystemActor(), id)
	if err != nil {
		return err
	}
	return c.printDone(newTokenRow(token), "%s  %s  revoked", token.ID, token.Name)
}
