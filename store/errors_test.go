package store

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/domain"
)

// Errors of Postgres become a code and a sentence; unexpected ones stay unchanged.
func TestSQLStatesBecomeErrors(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		code     domain.Code
		sentence string
	}{
		"53100": {domain.Unavailable, "The disk of the database is full."},
		"53300": {domain.Unavailable, "The database cannot be reached at the moment."},
		"57P01": {domain.Unavailable, "The database cannot be reached at the moment."},
		"08006": {domain.Unavailable, "The database cannot be reached at the moment."},
		"55P03": {domain.Busy, "Someone else is changing this at the moment."},
		"22021": {domain.InvalidInput, "The text contains a character that cannot be stored."},
		"CS005": {domain.LeaseLost, "The work was taken over by another worker."},
		"42601": {domain.Internal, ""},
	} {
		pgErr := &pgconn.PgError{Code: state}
		err := translate(pgErr, "test")
		var ours *domain.Error
		if !errors.As(err, &ours) {
			ours = &domain.Error{}
		}
		if domain.CodeOf(err) != want.code || ours.Message != want.sentence ||
			!errors.Is(err, pgErr) {
			t.Errorf("%s: %v", state, err)
		}
		if want.code == domain.Unavailable && ours.Remedy == "" {
			t.Errorf("%s has no way out", state)
		}
	}
}
