package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// fakeReader answers immediately with an e-invoice that passes without a person.
type fakeReader struct {
	n     atomic.Int64
	waits *waits

	mu    sync.Mutex
	dated map[sellerDate]int64 // number of invoices
}

// sellerDate is a seller and the age of an invoice in days.
type sellerDate struct {
	seller int64
	age    int
}

func (d *fakeReader) Open(_ context.Context,
	request casework.ReadRequest) (casework.OpenedDocument, error) {
	if request.FileName == modelFile {
		return onePage(d.n.Add(1)), nil
	}
	d.waits.end(request.CorrelationID)
	return casework.OpenedDocument{XML: d.invoice(d.n.Add(1)).XML()}, nil
}

// invoice returns the nth invoice. No two of a seller have a similar number, or the same total and
// date, so that none is a possible duplicate of another.
func (d *fakeReader) invoice(n int64) einvoice.Invoice {
	seller := n % sellers
	invoice := einvoice.Invoice{Number: fmt.Sprintf("R-%08X", uint32(n)*2_654_435_761), //nolint:gosec // wraps
		Seller: sellerName(seller), Account: einvoice.GermanAccount(int(seller))}
	if sellers >= 100 {
		invoice.Total = 1_000 + n/sellers
		return invoice
	}
	// smaller totals, so that their sums stay below the marks of split payments
	at := sellerDate{seller, invoice.Age()}
	d.mu.Lock()
	defer d.mu.Unlock()
	invoice.Total = 6 + d.dated[at]
	d.dated[at]++
	return invoice
}

// sellers is how many parties send the invoices. All are known, and the invoices of each stay below the
// marks of split payments: 4 000 of one, 80 of each of 100 or more.
var sellers int64

func sellerName(n int64) string { return fmt.Sprintf("Muster Werke %d GmbH", n) }

// knowSellers adds an approved invoice of each seller.
func (b *bench) knowSellers(ctx context.Context) error {
	owner, err := pgx.Connect(ctx, b.postgres.OwnerURL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close(ctx) }()
	for n := range sellers {
		past := einvoice.Past{ID: domain.NewID(), Key: casework.PartyKey(sellerName(n)), Vendor: sellerName(n),
			DocumentType: "invoice", Account: einvoice.GermanAccount(int(n))}
		if err := past.Insert(ctx, owner); err != nil {
			return err
		}
	}
	return nil
}

// people adds who submits, and publishes what a first start publishes.
func (b *bench) people(ctx context.Context) error {
	if err := b.service.PublishBuiltins(ctx); err != nil {
		return err
	}
	if err := b.service.SeedRate(ctx, "EUR", 1_100_000); err != nil {
		return err
	}
	if err := b.knowSellers(ctx); err != nil {
		return err
	}
	id, err := b.service.PutUser(ctx, domain.SystemActor(),
		casework.PutUser{User: domain.User{Email: "bench@example.com", Name: "Bench",
			Roles: []domain.Role{domain.RoleSubmitter, domain.RoleManager}}})
	b.submitter = domain.Actor{UserID: id, Channel: domain.ChannelAPI}
	return err
}
