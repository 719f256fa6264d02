package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/pgtest"
)

// operatorTool runs the commands of an operator on a database of its own.
type operatorTool struct {
	engine string // of the settings, that reads documents
	t      *testing.T
	db     *pgtest.DB
	folder string
}

func newOperatorTool(t *testing.T) *operatorTool {
	t.Helper()
	return &operatorTool{t: t, db: pgtest.New(t), folder: t.TempDir()}
}

func (o *operatorTool) console(out, errs *bytes.Buffer) *console {
	c := &console{out: out, errs: errs, clock: domain.SystemClock{}}
	c.settings.Database.URL, c.settings.Database.MigrateURL = o.db.AppURL, o.db.OwnerURL
	c.settings.Storage.BlobDir, c.settings.HTTP.MaxUploadBytes = o.folder, 1<<20
	c.settings.Reading.Engine = o.engine
	return c
}

// run executes a command and returns exit code, output and messages.
func (o *operatorTool) run(args ...string) (code int, out, messages string) {
	o.t.Helper()
	var outBuffer, errBuffer bytes.Buffer
	c := o.console(&outBuffer, &errBuffer)
	var all commands
	parser, err := kong.New(&all, kong.Name("countersign"), kong.Writers(c.out, c.errs),
		kong.Bind(c), kong.BindTo(o.t.Context(), (*context.Context)(nil)))
	if err != nil {
		o.t.Fatal(err)
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return c.printUsage(err), outBuffer.String(), errBuffer.String()
	}
	c.json = all.JSON
	return c.printError(chosen.Run()), outBuffer.String(), errBuffer.String()
}

// ok executes a command that must succeed without a message, and returns its output.
func (o *operatorTool) ok(args ...string) string {
	o.t.Helper()
	code, out, messages := o.run(args...)
	if code != exitDone || messages != "" {
		o.t.Errorf("%v: exit code %d, messages %q", args, code, messages)
	}
	return out
}

// decoded executes a command with --json and decodes its output, which must be one value.
func (o *operatorTool) decoded(into any, args ...string) {
	o.t.Helper()
	decode(o.t, o.ok(append([]string{"--json"}, args...)...), into)
}

// decode decodes an output, which must be one JSON value.
func decode(t *testing.T, output string, into any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(output))
	if err := decoder.Decode(into); err != nil || decoder.More() {
		t.Errorf("%q is not one JSON value: %v", output, err)
	}
}

// refused executes a command that must fail with the exit code and the message, and print nothing.
func (o *operatorTool) refused(code int, message string, args ...string) {
	o.t.Helper()
	got, out, messages := o.run(args...)
	if got != code || out != "" || !strings.HasPrefix(messages, "countersign: "+message) {
		o.t.Errorf("%v: exit code %d, output %q, messages %q, want %d and %q", args, got, out,
			messages, code, message)
	}
}

// person adds a person with a role and returns the e-mail address.
func (o *operatorTool) person(name string, role domain.Role) string {
	o.t.Helper()
	email := name + "@example.test"
	o.operator(func(op *operator) {
		if _, err := op.service.PutUser(o.t.Context(), domain.SystemActor(), casework.PutUser{
			User: domain.User{Email: email, Name: name, Roles: []domain.Role{role},
				Queues: []string{"L1"}}}); err != nil {
			o.t.Fatal(err)
		}
	})
	return email
}

// operator calls the function with the service layer as the commands open it.
func (o *operatorTool) operator(use func(*operator)) {
	o.t.Helper()
	var messages bytes.Buffer
	opened, err := o.console(&messages, &messages).openOperator(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	defer opened.close()
	use(opened)
}
