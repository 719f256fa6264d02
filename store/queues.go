package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Queues reads the rules of the queues that have one, by name.
func (r Reader) Queues(ctx context.Context) ([]domain.QueueRule, error) {
	return queryAll(ctx, r.q, "queues", `SELECT name, strategy, cap, coalesce(calendar, ''),
		hand_after, hand_to, version FROM queues ORDER BY name`,
		pgx.RowToStructByPos[domain.QueueRule])
}

// PutQueue sets a queue's rule and returns it with its next version.
func (t *Tx) PutQueue(ctx context.Context, q domain.QueueRule) (domain.QueueRule, error) {
	err := t.q.QueryRow(ctx, `INSERT INTO queues (name, strategy, cap, calendar, hand_after,
		hand_to) VALUES ($1, $2, $3, nullif($4, ''), $5, $6)
		ON CONFLICT (name) DO UPDATE SET strategy = excluded.strategy, cap = excluded.cap,
		calendar = excluded.calendar, hand_after = excluded.hand_after, hand_to = excluded.hand_to,
		version = queues.version + 1 RETURNING version`,
		q.Name, string(q.Strategy), q.Cap, q.Calendar, q.MoveAfterMissedClaims, q.MoveToQueue).Scan(&q.Version)
	return q, translate(err, "put queue")
}

// Calendars reads the working calendars, by name.
func (r Reader) Calendars(ctx context.Context) ([]*domain.Calendar, error) {
	return queryAll(ctx, r.q, "calendars", `SELECT name, zone, hours, holidays, version
		FROM calendars ORDER BY name`, scanCalendar)
}

func scanCalendar(row pgx.CollectableRow) (*domain.Calendar, error) {
	var name, zone string
	var text []byte
	var hours [7][]domain.TimeRange
	var holidays []string
	var version int64
	if err := row.Scan(&name, &zone, &text, &holidays, &version); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &hours); err != nil {
		return nil, err
	}
	calendar, err := domain.NewCalendar(name, zone, hours, holidays)
	if err != nil {
		return nil, err
	}
	calendar.Version = version
	return calendar, nil
}

// PutCalendar creates or changes a working calendar and returns its version.
func (t *Tx) PutCalendar(ctx context.Context, c *domain.Calendar) (int64, error) {
	hours, err := jsonText(c.Hours)
	if err != nil {
		return 0, err
	}
	holidays := c.Holidays
	if holidays == nil {
		holidays = []string{}
	}
	var version int64
	err = t.q.QueryRow(ctx, `INSERT INTO calendars (name, zone, hours, holidays)
		VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE
		SET zone = excluded.zone, hours = excluded.hours, holidays = excluded.holidays,
		version = calendars.version + 1 RETURNING version`,
		c.Name, c.Zone, hours, holidays).Scan(&version)
	return version, translate(err, "put calendar")
}

// Skills reads the skills of the people; nil: all people.
func (r Reader) Skills(ctx context.Context, people []domain.ID) (map[domain.ID][]string, error) {
	skills := map[domain.ID][]string{}
	rows, err := r.q.Query(ctx, `SELECT user_id, skill FROM user_skills
		WHERE $1::uuid[] IS NULL OR user_id = ANY($1) ORDER BY user_id, skill`, people)
	if err != nil {
		return nil, translate(err, "skills")
	}
	var id domain.ID
	var skill string
	_, err = pgx.ForEachRow(rows, []any{&id, &skill},
		func() error { skills[id] = append(skills[id], skill); return nil })
	return skills, translate(err, "skills")
}

// PutSkills replaces the skills of a person.
func (t *Tx) PutSkills(ctx context.Context, person domain.ID, skills []string) error {
	_, err := t.exec(ctx, "skills",
		`WITH gone AS (DELETE FROM user_skills WHERE user_id = $1 AND skill <> ALL($2::text[]))
		INSERT INTO user_skills SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, person,
		skills)
	return err
}

// LockLastTurn locks a queue's turn until the commit and returns the person who had it last; NoID
// if none had.
func (t *Tx) LockLastTurn(ctx context.Context, queue string) (domain.ID, error) {
	people, err := queryAll(ctx, t.q, "turn", `SELECT person FROM queue_turns
		WHERE queue = $1 FOR UPDATE`, pgx.RowTo[domain.ID], queue)
	if err != nil || len(people) == 0 {
		return domain.NoID, err
	}
	return people[0], nil
}

// RecordTurn records whose turn it was.
func (t *Tx) RecordTurn(ctx context.Context, queue string, person domain.ID) error {
	_, err := t.exec(ctx, "take turn", `INSERT INTO queue_turns (queue, person) VALUES ($1, $2)
		ON CONFLICT (queue) DO UPDATE SET person = excluded.person`, queue, person)
	return err
}
