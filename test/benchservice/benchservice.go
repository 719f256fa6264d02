// Package benchservice opens the service layer for benches that measure it without workers.
//
// What may enter: databases of a bench. What never happens here: a measurement, rows.
package benchservice

import (
	"context"
	"log/slog"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/migrations"
	"countersign/store"
)

// Silent is a notifier that no one hears: nothing runs but what the bench calls.
type Silent struct{}

// Enqueue enqueues nothing.
func (Silent) Enqueue(context.Context, []domain.PendingRun) {}

// PublishHints publishes nothing.
func (Silent) PublishHints(context.Context, []domain.Hint) {}

// Create creates a database with the schema.
func Create(ctx context.Context, postgres *devservices.Postgres, database string) error {
	if err := postgres.CreateDatabase(ctx, database); err != nil {
		return err
	}
	_, err := migrations.Up(ctx, postgres.OwnerURL(database), 2)
	return err
}

// Open opens the service layer on a database, with so many connections. Files are in the folder, which
// exists; "" opens it without files. The caller closes both.
func Open(ctx context.Context, databaseURL string, connections int, folder string) (
	*store.DB, *casework.Service, error) {
	db, err := store.Open(ctx, databaseURL, connections)
	if err != nil {
		return nil, nil, err
	}
	ports := casework.Ports{Notifier: Silent{}}
	if folder != "" {
		if ports.Blobs, err = blob.OpenFolder(folder); err != nil {
			db.Close()
			return nil, nil, err
		}
	}
	opened, err := casework.New(db, ports, casework.Settings{ClaimLimit: 1_000_000}, slog.New(slog.DiscardHandler))
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, opened, nil
}
