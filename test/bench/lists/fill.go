package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/test/benchservice"
)

const (
	database = "lists"
	senior   = "senior@example.com"
)

var began = time.Now().UTC()

// fields are those of each case, with values of about the usual length.
var fields = []struct{ name, value string }{
	{domain.FieldVendor, "Nordwind Logistik GmbH"}, {domain.FieldNumber, "RE-2026-004711"},
	{domain.FieldDate, "2026-11-03"}, {domain.FieldCurrency, "EUR"}, {domain.FieldTotal, "1190.00"},
	{domain.FieldNet, "1000.00"}, {domain.FieldTax, "190.00"}, {domain.FieldIBAN, "DE89370400440532013000"},
}

// fill makes the schema, the caller and the cases, by statements as the other benches do.
func (b *bench) fill(ctx context.Context) error {
	if err := benchservice.Create(ctx, b.postgres, database); err != nil {
		return err
	}
	if err := b.addCaller(ctx); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, b.postgres.URL(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `SET session_replication_role = replica`); err != nil {
		return err
	}
	if err := b.copyCases(ctx, conn); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

// addCaller publishes what a first start publishes, and adds the senior reviewer.
func (b *bench) addCaller(ctx context.Context) error {
	db, service, err := benchservice.Open(ctx, b.postgres.AppURL(database), 2, "")
	if err != nil {
		return err
	}
	defer db.Close()
	defer service.Close(ctx)
	if err := service.PublishBuiltins(ctx); err != nil {
		return err
	}
	_, err = service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{Email: senior,
		Name: "Senior", Roles: []domain.Role{domain.RoleL1, domain.RoleL2},
		Queues: []string{domain.QueueL1, domain.QueueL2}}})
	return err
}

func (b *bench) copyCases(ctx context.Context, conn *pgx.Conn) error {
	submitter, ids := domain.NewID(), make([]domain.ID, b.cases)
	for i := range ids {
		ids[i] = domain.NewID()
	}
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"cases"}, []string{"id", "reference", "process_key",
		"process_version", "document_type", "channel", "counterparty", "country", "amount_minor", "currency",
		"amount_known", "base_minor", "marking", "status", "submitter", "correlation_id"},
		pgx.CopyFromSlice(b.cases, func(i int) ([]any, error) {
			return []any{ids[i], fmt.Sprintf("B-2026-%06d", i), "document_approval", 1, "invoice", "api",
				"Nordwind Logistik GmbH", "DE", 119_000, "EUR", true, 119_000,
				`{"tokens": [{"node": "review_l1", "visit": 1}], "visits": {"start": 1, "review_l1": 1}}`,
				"in_review", submitter, "bench"}, nil
		}))
	if err != nil {
		return err
	}
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"fields"}, []string{"case_id", "name", "raw", "normalised", "page",
		"confidence", "source", "grounded", "revision"},
		pgx.CopyFromSlice(b.cases*len(fields), func(i int) ([]any, error) {
			field := fields[i%len(fields)]
			return []any{ids[i/len(fields)], field.name, field.value, field.value, 1, 0.97, "ocr", true, 1}, nil
		}))
	if err != nil {
		return err
	}
	_, err = conn.CopyFrom(ctx, pgx.Identifier{"reviews"}, []string{"id", "case_id", "node", "visit", "seat",
		"queue", "level", "duty", "status", "claim_by", "decide_by", "submitter", "party_id", "base_minor",
		"amount_known", "band", "document_type", "country"},
		pgx.CopyFromSlice(b.cases, func(i int) ([]any, error) {
			return []any{domain.NewID(), ids[i], "review_l1", 1, 1, domain.QueueL1, 1, "approval", "open", began, began,
				submitter, domain.NoID, 119_000, true, 2, "invoice", "DE"}, nil
		}))
	return err
}
