package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"countersign/domain"
	"countersign/internal/devservices"
)

// The example programs that the demo starts beside the product: a ledger, to which a connector delivers
// the events of cases, and a mailbox, to which the notices are sent.
const (
	ledgerName   = "ledger" // of the program, its database, the connector and its secret
	mailboxName  = "mailbox"
	ledgerSecret = "ledger.secret" // file in the demo's folder
)

// beside are the addresses of these programs; "" = it is not started.
type beside struct {
	ledger, mailbox, smtp string
	secret                string // of the ledger
	isNew                 bool   // there is no connector to the ledger yet
	programs              []*program
}

// prepareLedger makes the database of the ledger and finds its address, which is that of its connector if
// there is one.
func (d *demo) prepareLedger(ctx context.Context, o *operator) error {
	if d.postgres == nil {
		d.printNote("NOTE: the ledger is not started, because it needs a database of its own.")
		return nil
	}
	if !d.isBuilt(ledgerName) {
		d.printNote("NOTE: the ledger and the mailbox are not built. make build builds them.")
		return nil
	}
	var err error
	if d.beside.secret, err = secretIn(filepath.Join(d.folder, ledgerSecret)); err != nil {
		return err
	}
	if err := d.postgres.CreateDatabase(ctx, ledgerName); err != nil {
		return err
	}
	present, err := o.db.Reader().ConnectorNamed(ctx, ledgerName)
	if err != nil {
		return err
	}
	if present.Version == 0 {
		free, err := devservices.FreeAddress()
		if err != nil {
			return err
		}
		d.beside.isNew, present.Spec.URL = true, ledgerURL(free.String())
	}
	address, err := url.Parse(present.Spec.URL)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address.Host) //nolint:noctx // closed immediately
	if err != nil {
		d.printNote("NOTE: the ledger is not started, because its address %s is in use.", address.Host)
		return nil
	}
	d.beside.ledger = address.Host
	return listener.Close()
}

// connectLedger makes the connector over the API: one administrator proposes it, another confirms.
func (d *demo) connectLedger(ctx context.Context) {
	if d.beside.ledger == "" || !d.beside.isNew {
		return
	}
	err := d.putLedger(ctx)
	if err != nil && ctx.Err() == nil {
		d.printNote("NOTE: no connector to the ledger was made: %v", err)
	}
}

func (d *demo) putLedger(ctx context.Context) error {
	proposer, err := d.apiOf("admin1@demo.test")
	if err != nil {
		return err
	}
	confirmer, err := d.apiOf("admin2@demo.test")
	if err != nil {
		return err
	}
	address := ledgerURL(d.beside.ledger)
	proposed, err := putConnector(ctx, proposer, PutConnectorInput{Name: ledgerName,
		Kind: kindOfAddress(address), Url: address, Secrets: []string{ledgerName}, Audience: "STAFF", Snapshot: true,
		Types:  []string{string(domain.CaseSubmitted), string(domain.CaseArchived)},
		Reason: "the demo's ledger"})
	if err == nil {
		err = refused(proposed.Done.UserErrors)
	}
	if err != nil || len(proposed.Done.Results) == 0 || proposed.Done.Results[0].Proposal == nil {
		return err
	}
	confirmed, err := confirmChange(ctx, confirmer, proposed.Done.Results[0].Proposal.Id, "")
	if err != nil {
		return err
	}
	return refused(confirmed.Done.UserErrors)
}

func ledgerURL(address string) string { return "http://" + address + "/events" }

// apiOf is the API with the token of one of the demo's people.
func (d *demo) apiOf(email string) (*api, error) {
	people, err := os.ReadFile(filepath.Join(d.folder, peopleFile))
	if err != nil {
		return nil, err
	}
	client := &api{address: d.settings.HTTP.PublicAddress() + "/graphql", client: &http.Client{}}
	for line := range strings.Lines(string(people)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == email {
			client.token = words[len(words)-1]
		}
	}
	return client, nil
}

// secretIn reads a secret that signs webhooks, and makes it if there is none.
func secretIn(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return string(text), err
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	made := "whsec_" + base64.StdEncoding.EncodeToString(secret)
	return made, writeSecret(path, made)
}

func (d *demo) isBuilt(name string) bool {
	own, err := os.Executable()
	if err == nil {
		_, err = os.Stat(filepath.Join(filepath.Dir(own), name))
	}
	return err == nil
}

// besideSettings chooses the addresses of the mailbox and returns the settings with which the server
// and the worker use both programs.
func (d *demo) besideSettings() (settings []string, err error) {
	if d.beside.ledger != "" {
		secrets := append(d.settings.Connect.Secrets, ledgerName+"="+d.beside.secret)
		networks := append(d.settings.Connect.Networks, "127.0.0.1")
		settings = append(settings, "COUNTERSIGN_CONNECTOR_SECRETS="+strings.Join(secrets, ","),
			"COUNTERSIGN_CONNECTOR_NETWORKS="+strings.Join(networks, ","))
	}
	if d.settings.Mail.Server != "" || !d.isBuilt(mailboxName) {
		return settings, nil // e-mails go to the server of the settings, or nowhere
	}
	for _, address := range []*string{&d.beside.mailbox, &d.beside.smtp} {
		free, err := devservices.FreeAddress()
		if err != nil {
			return nil, err
		}
		*address = free.String()
	}
	return append(settings, "COUNTERSIGN_SMTP_URL=smtp-plain://"+d.beside.smtp,
		"COUNTERSIGN_SMTP_FROM=countersign@demo.test"), nil
}

// startBeside starts both programs, before the server and the worker use them.
func (d *demo) startBeside(ctx context.Context, child func(name, ready string) *program) error {
	if d.beside.ledger != "" {
		p := child(ledgerName, d.beside.ledger)
		p.readyURL = "http://" + d.beside.ledger + "/"
		p.arguments = []string{"-listen", d.beside.ledger, "-database", d.postgres.OwnerURL(ledgerName),
			"-secrets", filepath.Join(d.folder, ledgerSecret)}
		d.beside.programs = append(d.beside.programs, p)
	}
	if d.beside.mailbox != "" {
		p := child(mailboxName, d.beside.mailbox)
		p.readyURL = "http://" + d.beside.mailbox + "/"
		p.arguments = []string{"-listen", d.beside.mailbox, "-smtp", d.beside.smtp}
		d.beside.programs = append(d.beside.programs, p)
	}
	d.beside.programs = append(d.beside.programs, d.witnessProgram(child))
	for _, p := range d.beside.programs {
		p.environment = nil
		if err := p.start(ctx); err != nil {
			return err
		}
		d.addCleanup(p.stop)
		if err := p.waitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// printBeside prints where the programs are.
func (d *demo) printBeside() {
	if d.beside.ledger != "" {
		d.printLine("Ledger, to which a connector delivers archived cases: http://%s", d.beside.ledger)
	}
	if d.beside.mailbox != "" {
		d.printLine("Mailbox, with the e-mails of the demo:                http://%s", d.beside.mailbox)
	}
}
