package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"countersign/casework"
	"countersign/internal/einvoice"
)

// fakeReader answers immediately with an e-invoice over 90 000.00 EUR, which a person has to
// approve.
type fakeReader struct{}

var invoices atomic.Int64

func (fakeReader) Open(context.Context, casework.ReadRequest) (casework.OpenedDocument, error) {
	n := invoices.Add(1)
	return casework.OpenedDocument{XML: einvoice.Invoice{Number: fmt.Sprint("R-", n),
		Seller: fmt.Sprintf("Muster Werke %d GmbH", n%500), Total: 9_000_000}.XML()}, nil
}
