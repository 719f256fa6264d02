package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// operatorCommands manage the keys of operators, and their requests that wait.
type operatorCommands struct {
	Keygen   operatorKeygen   `cmd:"" help:"Make the key of an operator."`
	Enroll   operatorEnroll   `cmd:"" help:"Enroll the public key of an operator. After the setup it waits for another operator's key or the delay."`
	Keys     operatorKeyList  `cmd:"" help:"List the enrolled keys."`
	Revoke   operatorRevoke   `cmd:"" help:"Revoke a key immediately."`
	Requests operatorRequests `cmd:"" default:"1" help:"List the requests of operators."`
	Approve  operatorApprove  `cmd:"" help:"Sign a request with the key of an operator. With the second key it takes effect."`
	Withdraw operatorWithdraw `cmd:"" help:"Withdraw a request, or take back what it gave."`
}

const (
	privateKeyPrefix = "countersign-operator-private:"
	publicKeyPrefix  = "countersign-operator-public:"
)

// operatorKeygen makes a key.
type operatorKeygen struct {
	To string `arg:"" type:"path" help:"File for the private key; the public key is written beside it with the ending .pub."`
}

// Run writes the key. A file with a key is never replaced.
func (k *operatorKeygen) Run(c *console) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if err := writeNew(k.To, flags, 0o600,
		privateKeyPrefix+base64.RawURLEncoding.EncodeToString(private.Seed())+"\n"); err != nil {
		return err
	}
	text := publicKeyPrefix + base64.RawURLEncoding.EncodeToString(public)
	if err := writeNew(k.To+".pub", flags, 0o644, text+"\n"); err != nil {
		return err
	}
	return c.printDone(map[string]any{"public": text, "file": k.To, "publicFile": k.To + ".pub"},
		"%s\nThe private key is in %s. Keep it where no other operator can read it.", text, k.To)
}

// readKey reads the bytes of a key from a file.
func readKey(path, prefix string, size int) ([]byte, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, domain.Invalid("key", "The file %s cannot be read: %v.", path, err)
	}
	encoded, found := strings.CutPrefix(strings.TrimSpace(string(text)), prefix)
	key, err := base64.RawURLEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) != size {
		return nil, domain.Invalid("key", "The file %s is not a key of an operator.", path).
			WithRemedy("Make one with countersign operator keygen.")
	}
	return key, nil
}

// waitFlags are the flags of commands that may wait for a second operator.
type waitFlags struct {
	Reason string `help:"Why, after the setup of the installation; administrators see it."`
	Key    string `type:"existingfile" env:"COUNTERSIGN_OPERATOR_KEY" help:"File with your key, which signs a change that waits for a second operator."`
}

// change makes a change, or requests and signs it if it waits. done prints a change that took effect.
func (w waitFlags) change(ctx context.Context, c *console, o *operator, in casework.OperatorChange,
	done func(casework.OperatorResult) error) error {
	in.Reason, in.Delay, in.Lifetime = w.Reason, c.settings.BreakGlass.Delay, c.settings.BreakGlass.Lifetime
	result, err := o.service.OperatorChange(ctx, in)
	if err != nil {
		return err
	}
	if result.Request == nil {
		return done(result)
	}
	request := *result.Request
	if w.Key != "" {
		if request, err = o.sign(ctx, request, w.Key); err != nil {
			return err
		}
	}
	if err := c.printRequest(request); err != nil {
		return err
	}
	return exitStatus(exitWaiting)
}

func (o *operator) sign(ctx context.Context, request domain.BreakGlass, path string) (domain.BreakGlass, error) {
	seed, err := readKey(path, privateKeyPrefix, ed25519.SeedSize)
	if err != nil {
		return request, err
	}
	return o.service.SignBreakGlass(ctx, request.ID,
		ed25519.Sign(ed25519.NewKeyFromSeed(seed), request.Statement()))
}

// requestRow is a request in JSON.
type requestRow struct {
	ID                                            domain.ID
	Command                                       domain.BreakGlassCommand
	Subject, Before, After, Reason                string
	Status                                        domain.BreakGlassStatus
	RequestedAt, EffectAt, EffectiveAt, ExpiresAt time.Time
	SignedBy                                      []string
	Reviews                                       int
}

func newRequestRow(b domain.BreakGlass) requestRow {
	return requestRow{ID: b.ID, Command: b.Command, Subject: b.Subject, Before: b.Before, After: b.After,
		Reason: b.Reason, Status: b.Status, RequestedAt: b.RequestedAt, EffectAt: b.EffectAt,
		EffectiveAt: b.EffectiveAt, ExpiresAt: b.ExpiresAt, SignedBy: append([]string{}, b.SignedBy...),
		Reviews: len(b.Reviewers)}
}

// printRequest prints a request and what it waits for.
func (c *console) printRequest(b domain.BreakGlass) error {
	switch b.Status {
	case domain.BreakGlassRequested:
		return c.printDone(newRequestRow(b), "%s  requested: %s\nIt takes effect when a second operator signs it (countersign operator approve %s --key FILE), or at %s. All administrators are notified and can withdraw it.",
			b.ID, b.Subject, b.ID, b.EffectAt.UTC().Format(time.RFC3339))
	case domain.BreakGlassInEffect:
		until := "It is not taken back."
		if !b.ExpiresAt.IsZero() {
			until = "It is taken back at " + b.ExpiresAt.UTC().Format(time.RFC3339) + "."
		}
		return c.printDone(newRequestRow(b), "%s  in effect: %s\n%s Two administrators review it.", b.ID, b.Subject, until)
	}
	return c.printDone(newRequestRow(b), "%s  %s: %s", b.ID, b.Status, b.Subject)
}

// operatorEnroll enrolls a key.
type operatorEnroll struct {
	Name   string `arg:"" help:"Name of the operator, such as erin."`
	Public string `arg:"" type:"existingfile" help:"File with the public key, made by countersign operator keygen."`
	waitFlags
}

// Run enrolls it.
func (e *operatorEnroll) Run(ctx context.Context, c *console) error {
	public, err := readKey(e.Public, publicKeyPrefix, ed25519.PublicKeySize)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(e.Name)
	if name == "" || domain.Longer(name, 100) {
		return domain.Invalid("name", "Enter a name (1 to 100 characters).")
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	return e.change(ctx, c, o, casework.OperatorChange{Command: domain.BreakGlassKey,
		Key: domain.OperatorKey{Name: name, PublicKey: public}}, func(casework.OperatorResult) error {
		return c.printDone(map[string]any{"name": name}, "%s  enrolled", name)
	})
}

// operatorKeyList lists the keys.
type operatorKeyList struct{}

// Run prints the list.
func (operatorKeyList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	keys, err := o.service.OperatorKeys(ctx)
	if err != nil {
		return err
	}
	rows, list := [][]string{}, []map[string]any{}
	for _, key := range keys {
		public := publicKeyPrefix + base64.RawURLEncoding.EncodeToString(key.PublicKey)
		rows = append(rows, []string{key.Name, day(key.EnrolledAt), day(key.RevokedAt), public})
		list = append(list, map[string]any{"name": key.Name, "public": public, "enrolledAt": key.EnrolledAt,
			"revoked": !key.RevokedAt.IsZero()})
	}
	return c.printTable(list, []string{"NAME", "ENROLLED", "REVOKED", "PUBLIC KEY"}, rows)
}

// operatorRevoke revokes a key.
type operatorRevoke struct {
	Name string `arg:"" help:"Name of the key."`
}

// Run revokes it.
func (r *operatorRevoke) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.service.RevokeOperatorKey(ctx, r.Name); err != nil {
		return err
	}
	return c.printDone(map[string]any{"name": r.Name}, "%s  revoked", r.Name)
}

// operatorRequests lists the requests.
type operatorRequests struct {
	All bool `help:"Also those that need no person any more."`
}

// maxListedRequests bounds the list.
const maxListedRequests = 200

// Run prints the list.
func (r *operatorRequests) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	requests, err := o.db.Reader().BreakGlasses(ctx, !r.All, maxListedRequests)
	if err != nil {
		return err
	}
	rows, list := [][]string{}, []requestRow{}
	for _, b := range requests {
		list = append(list, newRequestRow(b))
		rows = append(rows, []string{b.ID.String(), string(b.Command), b.Subject, orDash(b.Before),
			orDash(b.After), string(b.Status), b.EffectAt.UTC().Format(time.RFC3339),
			orDash(strings.Join(b.SignedBy, ", ")), b.Reason})
	}
	return c.printTable(list, []string{"ID", "COMMAND", "SUBJECT", "BEFORE", "AFTER", "STATUS", "EFFECT",
		"SIGNED BY", "REASON"}, rows)
}

// operatorApprove signs a request.
type operatorApprove struct {
	ID  string `arg:"" help:"ID of the request, from operator requests."`
	Key string `required:"" type:"existingfile" env:"COUNTERSIGN_OPERATOR_KEY" help:"File with your private key."`
}

// Run shows and signs it.
func (a *operatorApprove) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(a.ID)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	request, err := o.db.Reader().BreakGlass(ctx, id)
	if err != nil {
		return err
	}
	if request, err = o.sign(ctx, request, a.Key); err != nil {
		return err
	}
	return c.printRequest(request)
}

// operatorWithdraw withdraws a request.
type operatorWithdraw struct {
	ID     string `arg:"" help:"ID of the request."`
	Reason string `help:"Why."`
}

// Run withdraws it.
func (w *operatorWithdraw) Run(ctx context.Context, c *console) error {
	id, err := domain.ParseID(w.ID)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	ended, err := o.service.EndBreakGlass(ctx, domain.SystemActor(), casework.EndBreakGlass{ID: id, Reason: w.Reason})
	if err != nil {
		return err
	}
	return c.printRequest(ended)
}
