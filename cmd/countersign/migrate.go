package main

import (
	"context"

	"countersign/domain"
	"countersign/migrations"
)

// monthsAhead is how many months of partitions are created; the sweeper adds later ones.
const monthsAhead = 24

// migrateCommand updates the schema.
type migrateCommand struct{}

// Run applies missing migrations as the owner and publishes the built-in processes and policy.
func (migrateCommand) Run(ctx context.Context, c *console) error {
	applied, err := c.migrate(ctx, c.settings.Database.MigrationURL())
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"applied": applied, "schema": migrations.Newest()})
	}
	c.printLine("schema %d (%d migrations applied), built-in processes and policy published",
		migrations.Newest(), applied)
	return nil
}

func (c *console) migrate(ctx context.Context, ownerURL string) (int, error) {
	if ownerURL == "" {
		return 0, domain.Errorf(domain.InvalidInput,
			"No database is configured.").WithRemedy(
			"Set MIGRATE_DATABASE_URL to the address for the owner.")
	}
	applied, err := migrations.Up(ctx, ownerURL, monthsAhead)
	if err != nil {
		return applied, domain.Errorf(domain.Unavailable,
			"The schema could not be updated.").WithCause(err)
	}
	owner, err := c.openOperatorOn(ctx, ownerURL, c.settings)
	if err != nil {
		return applied, err
	}
	defer owner.close()
	if err := owner.service.PublishBuiltins(ctx); err != nil {
		return applied, err
	}
	return applied, owner.service.RekeyParties(ctx)
}
