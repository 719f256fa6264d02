package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"countersign/casework"
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
	programs              []*program
}

// prepareLedger makes the database of the ledger and, once, the connector, which one administrator
// proposes and another confirms.
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
		if present.Spec.URL, err = d.putLedger(ctx, o); err != nil {
			return err
		}
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

// putLedger makes the connector with a free address.
func (d *demo) putLedger(ctx context.Context, o *operator) (string, error) {
	free, err := devservices.FreeAddress()
	if err != nil {
		return "", err
	}
	spec := domain.ConnectorSpec{Name: ledgerName, Kind: domain.ConnectorWebhook,
		URL: "http://" + free.String() + "/events", Secrets: []string{ledgerName},
		Audience: domain.ForStaff, Snapshot: true,
		Types: []domain.EventType{domain.CaseSubmitted, domain.CaseArchived}}
	var administrators [2]domain.Actor
	for i, email := range []string{"admin1@demo.test", "admin2@demo.test"} {
		person, err := o.personOf(ctx, email)
		if err != nil {
			return "", err
		}
		administrators[i] = domain.Actor{UserID: person.ID, Name: person.Name, Channel: domain.ChannelCLI}
	}
	proposed, err := o.service.PutConnector(ctx, administrators[0],
		casework.PutConnector{Reason: "the demo's ledger", Spec: spec})
	if err != nil {
		return "", err
	}
	_, err = o.service.ConfirmControlChange(ctx, administrators[1],
		casework.EndProposal{ProposalID: proposed.ProposalID})
	return spec.URL, err
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
