package devservices

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The two roles of every database of ours: the owner migrates, the application cannot alter the
// past.
const (
	OwnerRole = "countersign_owner"
	AppRole   = "countersign_app"
)

// adminURL is the superuser's URL without a database.
func adminURL(port int, password string) *url.URL {
	return &url.URL{
		Scheme: "postgres", User: url.UserPassword(adminRole, password),
		Host:     fmt.Sprintf("127.0.0.1:%d", port),
		RawQuery: "sslmode=disable",
	}
}

// withRole points the superuser's URL at a database, and at a role if one is named.
func withRole(admin *url.URL, role, database string) string {
	u := *admin
	u.Path = "/" + database
	if role != "" {
		u.User = url.UserPassword(role, rolePassword(admin, role))
	}
	return u.String()
}

// rolePassword derives a role's password from the superuser's, so that every process that was given
// the one URL knows the others, and nothing more is stored.
func rolePassword(admin *url.URL, role string) string {
	password, _ := admin.User.Password()
	mac := hmac.New(sha256.New, []byte(password))
	mac.Write([]byte(role))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// RoleURLs derives the owner's and the application's URL of a database from a superuser's URL of
// the same server, on which StartPostgres has run.
func RoleURLs(adminURL, database string) (owner, app string, err error) {
	admin, err := url.Parse(adminURL)
	if err != nil {
		return "", "", fmt.Errorf("superuser URL: %w", err)
	}
	return withRole(admin, OwnerRole, database), withRole(admin, AppRole, database), nil
}

// ensureRoles makes the two roles with their derived passwords. Several processes may do so
// concurrently.
func ensureRoles(ctx context.Context, admin *url.URL) error {
	database := admin.Path
	if database == "" || database == "/" {
		database = "/postgres"
	}
	err := withConn(ctx, withRole(admin, "", database[1:]), func(conn *pgx.Conn) error {
		for _, role := range []string{OwnerRole, AppRole} {
			if ping(ctx, withRole(admin, role, database[1:])) == nil {
				continue
			}
			if err := makeRole(ctx, conn, role, rolePassword(admin, role)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("roles of Countersign: %w", err)
	}
	return nil
}

// makeRole creates the role or, if it exists with another password, sets the derived one. The
// advisory lock keeps two processes from altering one row at a time, which Postgres answers with
// "tuple concurrently updated".
func makeRole(ctx context.Context, conn *pgx.Conn, role, password string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx,
			"SELECT pg_advisory_xact_lock(hashtext('countersign roles'))"); err != nil {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)",
			role).Scan(&exists); err != nil {
			return err
		}
		verb := "CREATE"
		if exists {
			verb = "ALTER"
		}
		_, err := tx.Exec(ctx, fmt.Sprintf("%s ROLE %s LOGIN PASSWORD '%s'", verb, role, password)) // hexadecimal digits only
		return err
	})
}

// withConn opens one connection for the length of do.
func withConn(ctx context.Context, dsn string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			return fmt.Errorf("connect to Postgres: %s", refused.Message)
		}
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	return errors.Join(do(conn), conn.Close(ctx))
}

// ping connects and asks for one row.
func ping(ctx context.Context, dsn string) error {
	return withConn(ctx, dsn, func(conn *pgx.Conn) error { return conn.Ping(ctx) })
}
