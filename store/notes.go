package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const noteRowColumns = `n.id, n.case_id, n.seq, n.author, n.audience, n.text, n.mentions, n.at, n.salt,
	n.hash, coalesce(n.withdrawn_at, '0001-01-01Z'), coalesce(n.withdrawn_seq, 0)`

func scanNote(row pgx.CollectableRow) (domain.Note, error) {
	var n domain.Note
	err := row.Scan(&n.ID, &n.CaseID, &n.Seq, &n.Author, &n.Audience, &n.Text, &n.Mentions, &n.At,
		&n.Salt, &n.Hash, &n.WithdrawnAt, &n.WithdrawnSeq)
	n.At, n.WithdrawnAt = n.At.UTC(), n.WithdrawnAt.UTC()
	return n, err
}

// InsertNote adds a note with its attachments.
func (t *Tx) InsertNote(ctx context.Context, n *domain.Note) error {
	_, err := t.exec(ctx, "note", `INSERT INTO case_notes (id, case_id, seq, author, audience, text,
		mentions, at, salt, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, n.ID, n.CaseID,
		n.Seq, n.Author, string(n.Audience), n.Text, append([]domain.ID{}, n.Mentions...), n.At, n.Salt,
		n.Hash)
	for i := range n.Attachments {
		if err != nil {
			return err
		}
		f := &n.Attachments[i]
		_, err = t.exec(ctx, "note attachment", `INSERT INTO note_attachments (note_id, number, case_id,
			name, size, sha256, blob_key) VALUES ($1, $2, $3, $4, $5, $6, $7)`, n.ID,
			f.Number, n.CaseID, f.Name, f.Size, f.SHA256, f.BlobKey)
	}
	return err
}

// WithdrawNote records that the author withdrew a note, by an event of its case.
func (t *Tx) WithdrawNote(ctx context.Context, id domain.ID, at time.Time, seq int64) error {
	_, err := t.exec(ctx, "withdraw note", `UPDATE case_notes SET withdrawn_at = $2, withdrawn_seq = $3
		WHERE id = $1`, id, at, seq)
	return err
}

// Note reads one note with its attachments; NotFound if there is none.
func (r Reader) Note(ctx context.Context, id domain.ID) (domain.Note, error) {
	note, err := queryOne(ctx, r.q, "note", `SELECT `+noteRowColumns+` FROM case_notes n WHERE n.id = $1`,
		scanNote, id)
	if err != nil {
		return note, err
	}
	notes := []domain.Note{note}
	err = r.addAttachments(ctx, notes)
	return notes[0], err
}

// NotesByID reads notes without their attachments.
func (r Reader) NotesByID(ctx context.Context, ids []domain.ID) ([]domain.Note, error) {
	return queryAll(ctx, r.q, "notes by id", `SELECT `+noteRowColumns+` FROM case_notes n
		WHERE n.id = ANY($1)`, scanNote, ids)
}

// Notes reads all notes of cases with their attachments, in the order of their events.
func (r Reader) Notes(ctx context.Context, cases ...domain.ID) ([]domain.Note, error) {
	notes, err := queryAll(ctx, r.q, "notes", `SELECT `+noteRowColumns+` FROM case_notes n
		WHERE n.case_id = ANY($1) ORDER BY n.case_id, n.seq`, scanNote, cases)
	if err != nil {
		return nil, err
	}
	return notes, r.addAttachments(ctx, notes)
}

// NoteQuery selects the newest notes of a case before another one.
type NoteQuery struct {
	CaseID    domain.ID
	Audiences []domain.NoteAudience
	Before    domain.ID // a note of the case; NoID is the end
	Limit     int
}

// NotesBefore reads notes of a case, newest first.
func (r Reader) NotesBefore(ctx context.Context, query NoteQuery) ([]domain.Note, error) {
	audiences := make([]string, 0, len(query.Audiences))
	for _, audience := range query.Audiences {
		audiences = append(audiences, string(audience))
	}
	notes, err := queryAll(ctx, r.q, "notes before", `SELECT `+noteRowColumns+` FROM case_notes n
		WHERE n.case_id = $1 AND n.audience = ANY($2) AND ($3::uuid = $4::uuid OR n.seq < (
			SELECT b.seq FROM case_notes b WHERE b.id = $3 AND b.case_id = $1))
		ORDER BY n.seq DESC LIMIT $5`, scanNote, query.CaseID, audiences, query.Before, domain.NoID,
		query.Limit)
	if err != nil {
		return nil, err
	}
	return notes, r.addAttachments(ctx, notes)
}

// addAttachments adds the files of notes.
func (r Reader) addAttachments(ctx context.Context, notes []domain.Note) error {
	if len(notes) == 0 {
		return nil
	}
	at := make(map[domain.ID]*domain.Note, len(notes))
	ids := make([]domain.ID, 0, len(notes))
	for i := range notes {
		at[notes[i].ID], ids = &notes[i], append(ids, notes[i].ID)
	}
	rows, err := r.q.Query(ctx, `SELECT note_id, number, name, size, sha256, blob_key
		FROM note_attachments WHERE note_id = ANY($1) ORDER BY note_id, number`, ids)
	if err != nil {
		return translate(err, "note attachments")
	}
	defer rows.Close()
	for rows.Next() {
		var id domain.ID
		var f domain.NoteAttachment
		if err := rows.Scan(&id, &f.Number, &f.Name, &f.Size, &f.SHA256, &f.BlobKey); err != nil {
			return translate(err, "note attachments")
		}
		at[id].Attachments = append(at[id].Attachments, f)
	}
	return translate(rows.Err(), "note attachments")
}

// NoteCounts are how many notes a case has, and what an author wrote in the last minutes.
type NoteCounts struct {
	OfCase, Written, Mentions int
}

// LockNoteCounts counts notes. Commands of one author wait for each other until the end of the
// transaction, so that none of them exceeds a bound.
func (t *Tx) LockNoteCounts(ctx context.Context, caseID, author domain.ID, period time.Duration) (NoteCounts,
	error) {
	if _, err := t.exec(ctx, "lock note counts",
		`SELECT pg_advisory_xact_lock(hashtextextended('notes ' || $1::text, 90))`, author.String()); err != nil {
		return NoteCounts{}, err
	}
	return queryOne(ctx, t.q, "note counts", `SELECT
		(SELECT count(*)::int FROM case_notes WHERE case_id = $1), count(*)::int,
		coalesce(sum(cardinality(mentions)), 0)::int
		FROM case_notes WHERE author = $2 AND at > clock() - make_interval(secs => $3)`,
		pgx.RowToStructByPos[NoteCounts], caseID, author, period.Seconds())
}

// Watch lets a person watch a case. It reports false if they watch as many as they may.
func (t *Tx) Watch(ctx context.Context, caseID, person domain.ID, limit int) (bool, error) {
	if _, err := t.exec(ctx, "watch", `INSERT INTO case_watchers (case_id, person) SELECT $1, $2
		WHERE (SELECT count(*) FROM case_watchers WHERE person = $2) < $3 ON CONFLICT DO NOTHING`, caseID,
		person, limit); err != nil {
		return false, err
	}
	return t.Watches(ctx, caseID, person)
}

// Unwatch ends a watch.
func (t *Tx) Unwatch(ctx context.Context, caseID, person domain.ID) error {
	_, err := t.exec(ctx, "unwatch", `DELETE FROM case_watchers WHERE case_id = $1 AND person = $2`, caseID,
		person)
	return err
}

// Watches reports whether a person watches a case.
func (r Reader) Watches(ctx context.Context, caseID, person domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "watches", `SELECT EXISTS (SELECT FROM case_watchers WHERE case_id = $1
		AND person = $2)`, pgx.RowTo[bool], caseID, person)
}

// Watcher is a person who watches a case.
type Watcher struct {
	CaseID, Person domain.ID
}

// Watchers reads who watches the cases.
func (r Reader) Watchers(ctx context.Context, cases []domain.ID) ([]Watcher, error) {
	return queryAll(ctx, r.q, "watchers", `SELECT case_id, person FROM case_watchers
		WHERE case_id = ANY($1) ORDER BY case_id, person`, pgx.RowToStructByPos[Watcher], cases)
}

// WatchersAfter reads the next watches of all cases.
func (r Reader) WatchersAfter(ctx context.Context, after Watcher, limit int) ([]Watcher, error) {
	return queryAll(ctx, r.q, "watchers", `SELECT case_id, person FROM case_watchers
		WHERE (case_id, person) > ($1, $2) ORDER BY case_id, person LIMIT $3`,
		pgx.RowToStructByPos[Watcher], after.CaseID, after.Person, limit)
}
