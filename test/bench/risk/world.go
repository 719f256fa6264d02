package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/internal/einvoice"
	"countersign/migrations"
	"countersign/store"
)

// rates are units of the base currency for a million units.
var rates = map[string]int64{"EUR": 1_100_000, "USD": 1_000_000, "GBP": 1_300_000, "CNY": 140_000,
	"INR": 12_000, "JPY": 6_700, "MYR": 220_000}

// world is the program in one process on its own Postgres, with the people who use it.
type world struct {
	postgres   *devservices.Postgres
	owner      *pgx.Conn
	db         *store.DB
	service    *casework.Service
	notifier   *notifier
	dir        string
	offset     time.Duration // of the database's clock
	submitters []domain.Actor
	staff      []domain.Actor
	turn       int
	references int
}

// notifier keeps the pending runs until they are taken.
type notifier struct {
	mu      sync.Mutex
	pending []domain.PendingRun
}

func (n *notifier) Enqueue(_ context.Context, runs []domain.PendingRun) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pending = append(n.pending, runs...)
}

func (n *notifier) PublishHints(context.Context, []domain.Hint) {}

func (n *notifier) take() []domain.PendingRun {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.pending
	n.pending = nil
	return taken
}

func (w *world) close() {
	if w.service != nil {
		w.service.Close(context.Background())
	}
	if w.db != nil {
		w.db.Close()
	}
	if w.owner != nil {
		_ = w.owner.Close(context.Background())
	}
	_ = w.postgres.Close()
	_ = os.RemoveAll(w.dir)
}

// newWorld starts the servers and publishes what is built in. Time begins at start.
func newWorld(ctx context.Context, start time.Time) (w *world, err error) {
	w = &world{notifier: &notifier{}}
	if w.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.dir, err = os.MkdirTemp("", "countersign-risk-"); err != nil {
		return w, err
	}
	if err = w.postgres.CreateDatabase(ctx, "risk"); err != nil {
		return w, err
	}
	if _, err = migrations.Up(ctx, w.postgres.OwnerURL("risk"), 24); err != nil {
		return w, err
	}
	if w.owner, err = pgx.Connect(ctx, w.postgres.OwnerURL("risk")); err != nil {
		return w, err
	}
	if w.db, err = store.Open(ctx, w.postgres.AppURL("risk"), 4); err != nil {
		return w, err
	}
	folder, err := blob.OpenFolder(w.dir)
	if err != nil {
		return w, err
	}
	w.service, err = casework.New(w.db, casework.Ports{Reader: reader{}, Blobs: folder,
		Notifier: w.notifier}, casework.Settings{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return w, err
	}
	if err = w.setTime(ctx, start); err != nil {
		return w, err
	}
	return w, w.publish(ctx)
}

func (w *world) publish(ctx context.Context) error {
	err := w.service.PublishBuiltins(ctx)
	for currency, micros := range rates {
		err = errors.Join(err, w.service.SeedRate(ctx, currency, micros))
	}
	if err != nil {
		return err
	}
	for n := range 10 {
		by, err := w.person(ctx, fmt.Sprintf("submitter%d", n), domain.RoleSubmitter)
		if err != nil {
			return err
		}
		w.submitters = append(w.submitters, by)
	}
	// In the order in which they are asked: who may decide least, first.
	for _, one := range []struct {
		name string
		role domain.Role
	}{{"l1a", domain.RoleL1}, {"l1b", domain.RoleL1}, {"l1c", domain.RoleL1},
		{"senior1", domain.RoleSenior}, {"senior2", domain.RoleSenior},
		{"manager1", domain.RoleManager}, {"manager2", domain.RoleManager},
		{"manager3", domain.RoleManager}, {"aml1", domain.RoleAML}, {"aml2", domain.RoleAML}} {
		by, err := w.person(ctx, one.name, one.role)
		if err != nil {
			return err
		}
		w.staff = append(w.staff, by)
	}
	return nil
}

func (w *world) person(ctx context.Context, name string, role domain.Role) (domain.Actor, error) {
	user := domain.User{Email: name + "@example.com", Name: name, Roles: []domain.Role{role}}
	switch role {
	case domain.RoleL1, domain.RoleSenior:
		user.Queues = []string{domain.QueueL1, domain.QueueRepair}
	case domain.RoleManager:
		user.Queues = []string{domain.QueueL1, domain.QueueL2, domain.QueueRepair}
	case domain.RoleAML:
		user.Queues = []string{domain.QueueAML}
	}
	id, err := w.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: user})
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}, err
}

// setTime sets the clock of the database.
func (w *world) setTime(ctx context.Context, now time.Time) error {
	w.offset = time.Until(now)
	_, err := w.owner.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz
		LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d microseconds'''`, w.offset.Microseconds()))
	return err
}

// know adds an approved document of each known party, for each type of document.
func (w *world) know(ctx context.Context, parties []*party) error {
	for _, p := range parties {
		if !p.known {
			continue
		}
		account := p.account
		if !hasIBAN(account) {
			account = ""
		}
		for _, kind := range []string{"invoice", "remittance"} {
			past := einvoice.Past{ID: domain.NewID(), Key: casework.PartyKey(p.name), Vendor: p.name,
				DocumentType: kind, Account: account}
			if err := past.Insert(ctx, w.owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// submit submits a document, a duplicate by another person than its first.
func (w *world) submit(ctx context.Context, d *document, content []byte) (err error) {
	w.turn++
	by := w.submitters[w.turn%len(w.submitters)]
	sum := sha256.Sum256(content)
	in := casework.SubmitDocument{Process: "document_approval", DocumentType: d.kind,
		File: casework.Upload{FileName: "document.pdf", Size: int64(len(content)), SHA256: sum[:],
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(content)), nil
			}}}
	switch {
	case d.ordered:
		w.references++
		in.Process = "cross_border_remittance"
		in.Order = &casework.OrderInput{Payer: "Example Trading Ltd", Payee: d.payee.name,
			Account: d.payee.account, Country: d.payee.country, Amount: d.amount.Decimal(),
			Currency: d.amount.Currency, Purpose: "invoice " + d.number,
			Reference: fmt.Sprintf("P-%06d", w.references)}
	case d.declared:
		in.Amount, in.Currency = strings.TrimPrefix(d.amount.Decimal(), "+"), d.amount.Currency
	}
	submitted, err := w.service.SubmitDocument(ctx, by, in)
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	d.caseID = submitted.CaseID
	return w.drain(ctx)
}

// drain runs what is due until nothing is left. Deadlines stay pending.
func (w *world) drain(ctx context.Context) error {
	for {
		now := time.Now().Add(w.offset + time.Minute)
		ran := 0
		var later []domain.PendingRun
		for _, run := range w.notifier.take() {
			if run.RunAfter.After(now) {
				later = append(later, run)
				continue
			}
			ran++
			if err := w.service.RunStage(ctx, casework.RunRequest{CaseID: run.CaseID,
				RunID: run.RunID, Worker: "risk"}); err != nil {
				return err
			}
		}
		if ran == 0 {
			return nil // what is later are deadlines, which the benchmark does not wait for
		}
		w.notifier.Enqueue(ctx, later)
	}
}
