package store

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"countersign/domain"
)

// What Postgres says of itself becomes a code and a sentence; what no one foresaw stays as it is.
func TestStatesBecomeSentences(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		code     domain.Code
		sentence string
	}{
		"53100": {domain.Unavailable, "The disk of the database is full."},
		"53300": {domain.Unavailable, "The database cannot be reached at the moment."},
		"57P01": {domain.Unavailable, "The database cannot be reached at the moment."},
		"08006": {domain.Unavailable, "The database cannot be reached at the moment."},
		"55P03": {domain.Busy, "Somebody else is changing this right now."},
		"22021": {domain.InvalidInput, "The text holds a character that cannot be stored."},
		"CS005": {domain.LeaseLost, "The work was taken over by another worker."},
		"42601": {domain.Internal, ""},
	} {
		told := &pgconn.PgError{Code: state}
		err := translate(told, "test")
		var ours *domain.Error
		if !errors.As(err, &ours) {
			ours = &domain.Error{}
		}
		if domain.CodeOf(err) != want.code || ours.Message != want.sentence || !errors.Is(err, told) {
			t.Errorf("%s: %v", state, err)
		}
		if want.code == domain.Unavailable && ours.Remedy == "" {
			t.Errorf("%s has no way out", state)
		}
	}
}
