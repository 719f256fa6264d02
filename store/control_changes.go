package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// ControlChangeKind says which cases a change of control data affects.
type ControlChangeKind string

// The kinds, by what Key is.
const (
	CountryChanged  ControlChangeKind = "country"
	CurrencyChanged ControlChangeKind = "currency"
	PartyChanged    ControlChangeKind = "party"     // any party of a group
	DrawMarkChanged ControlChangeKind = "draw_mark" // process
)

// ControlChange is a change of control data after which the cases that it affects are evaluated
// again.
type ControlChange struct {
	ID     domain.ID
	Kind   ControlChangeKind
	Key    string
	Cursor domain.ID // the last case that was evaluated
}

// PutControlChange records a change, to be processed after the commit.
func (t *Tx) PutControlChange(ctx context.Context, change ControlChange) error {
	_, err := t.exec(ctx, "control change",
		`INSERT INTO control_changes (id, kind, key) VALUES ($1, $2, $3)`, change.ID,
		string(change.Kind), change.Key)
	return err
}

// DueControlChange returns the oldest change whose cases are due to be evaluated; NotFound if there
// is none.
func (r Reader) DueControlChange(ctx context.Context) (ControlChange, error) {
	return queryOne(ctx, r.q, "control change", `SELECT id, kind, key, cursor FROM control_changes
		WHERE due <= clock() ORDER BY due, id LIMIT 1`, pgx.RowToStructByPos[ControlChange])
}

// PendingControlKinds returns the kinds of the changes for which not all cases were evaluated again.
func (r Reader) PendingControlKinds(ctx context.Context) ([]ControlChangeKind, error) {
	return queryAll(ctx, r.q, "control kinds", `SELECT DISTINCT kind FROM control_changes ORDER BY kind`,
		pgx.RowTo[ControlChangeKind])
}

// AffectedCases returns the unfinished cases after the cursor that the change affects, at most
// limit, by id. A case without open work is left out, because its rules are evaluated when it
// continues.
func (r Reader) AffectedCases(
	ctx context.Context, change ControlChange, limit int,
) ([]domain.ID, error) {
	matches := map[ControlChangeKind]string{
		CountryChanged: `c.country = $3 OR $3 = ANY (c.other_countries)`,
		CurrencyChanged: `c.currency = $3 OR c.risk_currency = $3
			OR c.differing_fields && '{total,currency}'`,
		DrawMarkChanged: `c.process_key = $3`,
		PartyChanged: `EXISTS (SELECT FROM parties p JOIN parties g ON g.group_id = p.group_id
			WHERE p.id = $3::uuid AND (c.party_id = g.id OR g.id = ANY (c.other_party_ids)))`,
	}[change.Kind]
	return queryAll(ctx, r.q, "affected cases", `WITH working AS (
			SELECT case_id FROM reviews WHERE status IN ('open', 'claimed') AND case_id > $1
			UNION SELECT case_id FROM stage_runs WHERE status = 'pending' AND case_id > $1
			UNION SELECT case_id FROM stage_runs WHERE status = 'leased' AND case_id > $1
			UNION SELECT case_id FROM stage_runs WHERE status = 'incident' AND case_id > $1)
		SELECT c.id FROM working w JOIN cases c ON c.id = w.case_id
		WHERE c.status NOT IN ('archived', 'rejected', 'abandoned') AND (`+matches+`)
		ORDER BY c.id LIMIT $2`, pgx.RowTo[domain.ID], change.Cursor, limit, change.Key)
}

// AdvanceControlChange records that all affected cases up to one were evaluated.
func (t *Tx) AdvanceControlChange(ctx context.Context, id, cursor domain.ID) error {
	_, err := t.exec(ctx, "control change",
		`UPDATE control_changes SET cursor = greatest(cursor, $2) WHERE id = $1`, id, cursor)
	return err
}

// EndControlPass ends the first pass, whose repetition is due two minutes later, or deletes a change
// after its second pass.
func (t *Tx) EndControlPass(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "control change", `WITH ended AS (
			DELETE FROM control_changes WHERE id = $1 AND pass = 2)
		UPDATE control_changes SET pass = 2, due = clock() + interval '2 minutes',
			cursor = '00000000-0000-0000-0000-000000000000' WHERE id = $1 AND pass = 1`, id)
	return err
}

// LockUnstartedRuns locks the pending runs of a case that no worker has leased yet, so that none
// does before the commit, and returns them.
func (t *Tx) LockUnstartedRuns(
	ctx context.Context, caseID domain.ID,
) ([]domain.StageRun, error) {
	return queryAll(ctx, t.q, "lock runs", `SELECT `+runColumns+` FROM `+
		t.tableFor("stage_runs", caseID)+` r WHERE case_id = $1 AND status = 'pending'
		AND attempt = 1 AND expiries = 0 AND failures = 0 ORDER BY id FOR UPDATE`, scanRun, caseID)
}
