package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/devservices"
)

// templates caches the names of ready templates.
var templates sync.Map

func forgetTemplates() { templates.Clear() }

// template returns the name of a database filled by the schema, which it creates if no process has.
func template(tb testing.TB, schema Schema) string {
	tb.Helper()
	admin := server(tb)
	sum := sha256.Sum256([]byte(schema.Key))
	name := "ct_template_" + hex.EncodeToString(sum[:8])
	if _, ready := templates.Load(name); ready {
		return name
	}
	if err := makeTemplate(admin, name, schema); err != nil {
		tb.Fatalf("pgtest: template: %v", err)
	}
	templates.Store(name, true)
	return name
}

// makeTemplate fills the template under an advisory lock, so that one process does it and the
// others wait. An incomplete one is not marked as a template and is created again.
func makeTemplate(admin, name string, schema Schema) error {
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // frees the lock too
	if _, err = conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return err
	}
	var ready bool
	err = conn.QueryRow(ctx,
		"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)", name).
		Scan(&ready)
	if err != nil || ready {
		return err
	}
	for _, sql := range []string{"DROP DATABASE IF EXISTS %s WITH (FORCE)",
		"CREATE DATABASE %s OWNER " + devservices.OwnerRole} {
		if _, err = conn.Exec(ctx, fmt.Sprintf(sql, name)); err != nil {
			return err
		}
	}
	db, err := database(admin, name)
	if err != nil {
		return err
	}
	err = schema.Migrate(ctx, db.OwnerURL)
	if err == nil && schema.Fill != nil {
		err = schema.Fill(ctx, db)
	}
	if err != nil {
		_, dropErr := conn.Exec(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
		return errors.Join(fmt.Errorf("fill it: %w", err), dropErr)
	}
	// Connections are forbidden, because a connection would prevent cloning the template.
	_, err = conn.Exec(ctx, fmt.Sprintf(
		"ALTER DATABASE %s WITH IS_TEMPLATE true ALLOW_CONNECTIONS false", name))
	return err
}
