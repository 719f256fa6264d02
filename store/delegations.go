package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// delegationColumns are scanned by scanDelegation; the columns giver and taker are the delegator and
// the delegate.
const delegationColumns = `d.id, d.giver, d.taker, d.valid_from, d.valid_until, d.queues,
	d.document_types, d.base_minor, d.reason, d.created_by, d.created_at`

func scanDelegation(row pgx.CollectableRow) (domain.Delegation, error) {
	var d domain.Delegation
	err := row.Scan(&d.ID, &d.Delegator, &d.Delegate, &d.From, &d.Until, &d.Scope.Queues,
		&d.Scope.DocumentTypes, &d.Scope.BaseMinor, &d.Reason, &d.CreatedBy, &d.CreatedAt)
	d.From, d.Until, d.CreatedAt = d.From.UTC(), d.Until.UTC(), d.CreatedAt.UTC()
	return d, err
}

// activeDelegationsColumn is the delegations that a user may act under now, as JSON. It is read
// with the user, so that a delegation begins and ends by the clock of the statement.
const activeDelegationsColumn = `(SELECT
	coalesce(json_agg(json_build_object('ID', d.id, 'Delegator', d.giver, 'Until', d.valid_until,
	'Scope', json_build_object('Queues', d.queues, 'DocumentTypes', d.document_types, 'BaseMinor',
	d.base_minor)) ORDER BY d.id), '[]')
	FROM delegations d WHERE d.taker = u.id AND d.ended_at IS NULL AND d.valid_from <= clock()
	AND clock() < d.valid_until)`

func parseDelegations(text []byte) ([]domain.Delegation, error) {
	if len(text) <= len("[]") {
		return nil, nil
	}
	var delegations []domain.Delegation
	return delegations, json.Unmarshal(text, &delegations)
}

// Delegators reads the users on whose behalf the user may act now, each limited to the delegated
// scope.
func (r Reader) Delegators(ctx context.Context, user domain.User) ([]domain.User, error) {
	if len(user.ReceivedDelegations) == 0 {
		return nil, nil
	}
	ids := make([]domain.ID, 0, len(user.ReceivedDelegations))
	for _, d := range user.ReceivedDelegations {
		ids = append(ids, d.Delegator)
	}
	users, err := r.usersByID(ctx, ids)
	var delegators []domain.User
	for _, d := range user.ReceivedDelegations {
		for _, delegator := range users {
			if delegator.ID == d.Delegator {
				delegators = append(delegators, delegator.AsDelegator(d.Scope))
			}
		}
	}
	return delegators, err
}

// Delegations reads the delegations that have not ended, by or to the user (NoID: all users), by id
// after the given one, at most limit.
func (r Reader) Delegations(ctx context.Context, person, after domain.ID,
	limit int) ([]domain.Delegation, error) {
	return queryAll(ctx, r.q, "delegations", `SELECT `+delegationColumns+` FROM delegations d
		WHERE d.ended_at IS NULL AND d.valid_until > clock()
		AND ($1::uuid = '00000000-0000-0000-0000-000000000000' OR $1 IN (d.giver, d.taker))
		AND d.id > $2 ORDER BY d.id LIMIT $3`,
		scanDelegation, person, after, limit)
}

// DelegationsSince reads the delegations that were active at some time after since, also ended ones, each until
// it ended.
func (r Reader) DelegationsSince(ctx context.Context, since time.Time) ([]domain.Delegation, error) {
	return queryAll(ctx, r.q, "delegations", `SELECT d.id, d.giver, d.taker, d.valid_from,
		least(d.valid_until, coalesce(d.ended_at, d.valid_until)), d.queues, d.document_types, d.base_minor,
		d.reason, d.created_by, d.created_at FROM delegations d
		WHERE least(d.valid_until, coalesce(d.ended_at, d.valid_until)) > $1 ORDER BY d.valid_from, d.id`,
		scanDelegation, since)
}

// Delegation reads a delegation that has not ended; NotFound otherwise.
func (r Reader) Delegation(ctx context.Context, id domain.ID) (domain.Delegation, error) {
	return queryOne(ctx, r.q, "delegation", `SELECT `+delegationColumns+` FROM delegations d
		WHERE d.id = $1 AND d.ended_at IS NULL
		AND d.valid_until > clock()`, scanDelegation, id)
}

// RecordedDelegation reads a delegation, also an ended one, whose end is then not after the present time.
func (r Reader) RecordedDelegation(ctx context.Context, id domain.ID) (domain.Delegation, error) {
	return queryOne(ctx, r.q, "delegation", `SELECT d.id, d.giver, d.taker, d.valid_from,
		least(d.valid_until, coalesce(d.ended_at, d.valid_until)), d.queues, d.document_types, d.base_minor,
		d.reason, d.created_by, d.created_at FROM delegations d WHERE d.id = $1`, scanDelegation, id)
}

// PutDelegation adds a delegation.
func (t *Tx) PutDelegation(ctx context.Context, d domain.Delegation) error {
	_, err := t.exec(ctx, "delegate",
		`INSERT INTO delegations (id, giver, taker, valid_from, valid_until, queues, document_types,
		base_minor, reason, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, d.ID,
		d.Delegator, d.Delegate, d.From, d.Until, append([]string{}, d.Scope.Queues...),
		append([]string{}, d.Scope.DocumentTypes...), d.Scope.BaseMinor, d.Reason, d.CreatedBy)
	return err
}

// EndDelegation ends a delegation early; false if it had already ended.
func (t *Tx) EndDelegation(ctx context.Context, id domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end delegation", `UPDATE delegations SET ended_at = clock() WHERE id = $1
		AND ended_at IS NULL`, id)
	return n == 1, err
}

// CountDelegationTransitions counts delegations that began or expired and are not marked so yet.
func (r Reader) CountDelegationTransitions(ctx context.Context) (int, error) {
	return queryOne(ctx, r.q, "turned",
		`SELECT (SELECT count(*) FROM delegations WHERE ended_at IS NULL AND NOT begun
		AND valid_from <= clock())
		+ (SELECT count(*) FROM delegations WHERE ended_at IS NULL AND NOT over
		AND valid_until <= clock())`, pgx.RowTo[int])
}

// MarkDelegationTransitions marks those and returns their delegates.
func (t *Tx) MarkDelegationTransitions(ctx context.Context) ([]domain.ID, error) {
	return queryAll(ctx, t.q, "turn", `UPDATE delegations SET begun = true,
		over = valid_until <= clock() WHERE ended_at IS NULL
		AND (NOT begun AND valid_from <= clock() OR NOT over AND valid_until <= clock())
		RETURNING taker`, pgx.RowTo[domain.ID])
}

func scanAbsence(row pgx.CollectableRow) (domain.Absence, error) {
	a, err := pgx.RowToStructByPos[domain.Absence](row)
	a.From, a.Until, a.CreatedAt = a.From.UTC(), a.Until.UTC(), a.CreatedAt.UTC()
	return a, err
}

// Absences reads the current and future absences of the users (nil: all users), by their start.
func (r Reader) Absences(ctx context.Context, people []domain.ID) ([]domain.Absence, error) {
	return queryAll(ctx, r.q, "absences", `SELECT id, person, substitute, valid_from, valid_until,
		reason, created_by, created_at FROM absences
		WHERE ended_at IS NULL AND valid_until > clock()
		AND ($1::uuid[] IS NULL OR person = ANY($1)) ORDER BY valid_from, id`, scanAbsence, people)
}

// AbsencesSince reads the absences that ended after a time, with the time at which they really ended.
func (r Reader) AbsencesSince(ctx context.Context, since time.Time) ([]domain.Absence, error) {
	return queryAll(ctx, r.q, "absences", `SELECT id, person, substitute, valid_from,
		least(valid_until, coalesce(ended_at, valid_until)), reason, created_by, created_at FROM absences
		WHERE least(valid_until, coalesce(ended_at, valid_until)) > $1
		ORDER BY valid_from, id`, scanAbsence, since)
}

// PutAbsence adds an absence.
func (t *Tx) PutAbsence(ctx context.Context, a domain.Absence) error {
	_, err := t.exec(ctx, "absence",
		`INSERT INTO absences (id, person, substitute, valid_from, valid_until, reason, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, a.ID, a.Person, a.Substitute, a.From, a.Until,
		a.Reason, a.CreatedBy)
	return err
}

// RecordedAbsence reads an absence, also an ended one, whose end is then not after the present time.
func (r Reader) RecordedAbsence(ctx context.Context, id domain.ID) (domain.Absence, error) {
	return queryOne(ctx, r.q, "absence", `SELECT id, person, substitute, valid_from,
		least(valid_until, coalesce(ended_at, valid_until)), reason, created_by, created_at FROM absences
		WHERE id = $1`, scanAbsence, id)
}

// SetSubstitute gives an absence its substitute.
func (t *Tx) SetSubstitute(ctx context.Context, absence, substitute domain.ID) error {
	_, err := t.exec(ctx, "substitute", `UPDATE absences SET substitute = $2 WHERE id = $1`, absence,
		substitute)
	return err
}

// EndAbsence ends an absence early; false if it had already ended.
func (t *Tx) EndAbsence(ctx context.Context, id domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end absence", `UPDATE absences SET ended_at = clock() WHERE id = $1
		AND ended_at IS NULL`, id)
	return n == 1, err
}
