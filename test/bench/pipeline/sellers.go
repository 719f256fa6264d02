package main

import (
	"context"
	"fmt"
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
}

func (d *fakeReader) Open(_ context.Context,
	request casework.ReadRequest) (casework.OpenedDocument, error) {
	d.waits.end(request.CorrelationID)
	n := d.n.Add(1)
	seller := n % sellers
	return casework.OpenedDocument{XML: einvoice.Invoice{
		// numbers and totals that make no invoice a possible duplicate of another
		Number: fmt.Sprintf("R-%08X", uint32(n)*2_654_435_761), Seller: sellerName(seller), //nolint:gosec // wraps
		Total:   1_000 + n/sellers,
		Account: einvoice.GermanAccount(int(seller))}.XML()}, nil
}

// sellers is how many parties send the invoices. All are known, and the invoices of each stay below the
// marks of split payments.
const sellers = 500

func sellerName(n int64) string { return fmt.Sprintf("Muster Werke %d GmbH", n) }

// knowSellers adds an approved invoice of each seller.
func (b *bench) knowSellers(ctx context.Context) error {
	owner, err := pgx.Connect(ctx, b.postgres.OwnerURL("bench"))
	if err != nil {
		return err
	}
	defer func() { _ = owner.Close(ctx) }()
	for n := range int64(sellers) {
		if _, err := owner.Exec(ctx, einvoice.ApprovedBefore, domain.NewID(),
			casework.PartyKey(sellerName(n)), sellerName(n), "invoice",
			einvoice.GermanAccount(int(n))); err != nil {
			return err
		}
	}
	return nil
}
