package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// PersonSettings reads what a person chose about the layout of the pages.
func (r Reader) PersonSettings(ctx context.Context, person domain.ID) (map[domain.PersonSetting]int, error) {
	type row struct {
		Name  domain.PersonSetting
		Value int
	}
	rows, err := queryAll(ctx, r.q, "settings of a person", `SELECT name, value FROM person_settings
		WHERE person = $1`, pgx.RowToStructByPos[row], person)
	settings := map[domain.PersonSetting]int{}
	for _, read := range rows {
		settings[read.Name] = read.Value
	}
	return settings, err
}

// SetPersonSetting stores a choice of a person. The last one counts.
func (t *Tx) SetPersonSetting(ctx context.Context, person domain.ID, name domain.PersonSetting, value int) error {
	_, err := t.exec(ctx, "setting of a person", `INSERT INTO person_settings (person, name, value)
		VALUES ($1, $2, $3) ON CONFLICT (person, name) DO UPDATE SET value = excluded.value`,
		person, string(name), value)
	return err
}
