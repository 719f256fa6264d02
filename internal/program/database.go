package program

import (
	"context"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/migrations"
	"countersign/store"
)

// OpenDatabase opens the database, which must have the schema of this version. The cleanup closes it.
func OpenDatabase(ctx context.Context, settings config.Database, cleanup *Cleanup) (*store.DB, error) {
	if settings.URL == "" {
		return nil, domain.Invalid("DATABASE_URL",
			"No database is configured.").WithRemedy("Set DATABASE_URL.")
	}
	db, err := store.Open(ctx, settings.URL, settings.Connections)
	if err != nil {
		return nil, err
	}
	cleanup.Add(db.Close)
	return db, db.Reader().RequireSchema(ctx, migrations.Versions())
}
