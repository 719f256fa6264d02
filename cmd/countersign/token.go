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

// tokenCommands keep API tokens.
type tokenCommands struct {
	Create tokenCreate `cmd:"" help:"Make an API token for a person; it is shown this once."`
	List   tokenList   `cmd:"" help:"A person's tokens."`
	Revoke tokenRevoke `cmd:"" help:"End a token at once."`
}

// tokenCreate makes a token.
type tokenCreate struct {
	Email string        `arg:"" help:"Whose token it is."`
	Name  string        `required:"" help:"What it is for."`
	Scope []string      `help:"Only these actions, such as submit,read; default: all that the person may."`
	Valid time.Duration `help:"How long it holds, such as 720h; default: until it is revoked."`
}

// Run makes it.
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
	if t.Valid > 0 {
		now, err := o.db.Reader().Clock(ctx)
		if err != nil {
			return err
		}
		wanted.ExpiresAt = now.Add(t.Valid)
	}
	secret, token, err := o.tokenFor(ctx, who.ID, wanted)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"id": token.ID, "token": secret})
	}
	c.printNote("token %s of %s, shown this once:", token.ID, who.Email)
	c.printLine("%s", secret)
	return nil
}

// tokenFor makes a token for the person.
func (o *operator) tokenFor(ctx context.Context, person domain.ID,
	wanted casework.CreateToken) (string, domain.APIToken, error) {
	secret, hash := identity.NewToken()
	wanted.OwnerID, wanted.Hash = person, hash
	token, err := o.service.CreateToken(ctx, domain.SystemActor(), wanted)
	return secret, token, err
}

// tokenList lists a person's tokens.
type tokenList struct {
	Email string `arg:"" help:"Whose."`
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
	rows := [][]string{}
	for _, token := range tokens {
		rows = append(rows, []string{token.ID.String(), token.Name,
			orDash(strings.Join(token.Scopes, ", ")), day(token.CreatedAt),
			day(token.ExpiresAt), day(token.RevokedAt), day(token.LastUsed),
			dashZero(token.RequestsPerMinute)})
	}
	return c.printTable(tokens, []string{"ID", "NAME", "SCOPES", "MADE", "EXPIRES", "REVOKED",
		"LAST USED", "REQUESTS A MINUTE"}, rows)
}

// dashZero shows a number that is not set as a dash.
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

// tokenRevoke ends a token.
type tokenRevoke struct {
	ID string `arg:"" help:"Id of the token, as token list shows it."`
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
	c.printLine("%s  %s  revoked", token.ID, token.Name)
	return nil
}
