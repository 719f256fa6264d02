package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

const noticeColumns = `n.id, n.recipient, n.kind, n.stream, n.seq, coalesce(n.case_id, $1),
	coalesce(n.review_id, $1), coalesce(n.person, $1), coalesce(n.due, '0001-01-01'), n.at,
	coalesce(n.connector_id, $1), coalesce(n.note_id, $1), coalesce(n.proposal_id, $1), n.status = 'scheduled', coalesce(n.read_at, '0001-01-01'), coalesce(n.mail_at, '0001-01-01')`

func scanNotice(row pgx.CollectableRow) (domain.Notice, error) {
	var n domain.Notice
	err := row.Scan(&n.ID, &n.Recipient, &n.Kind, &n.Stream, &n.Seq, &n.CaseID, &n.ReviewID,
		&n.Person, &n.Due, &n.At, &n.Connector, &n.NoteID, &n.Proposal,
		&n.Scheduled, &n.ReadAt, &n.MailAt)
	for _, at := range []*time.Time{&n.Due, &n.At, &n.ReadAt, &n.MailAt} {
		*at = at.UTC()
	}
	return n, err
}

// NoticeCursor reads the position up to which every event has its notices.
func (r Reader) NoticeCursor(ctx context.Context) (domain.FeedPosition, error) {
	return queryOne(ctx, r.q, "notice cursor", `SELECT era, txid::text::bigint, event
		FROM notice_cursor`, pgx.RowToStructByPos[domain.FeedPosition])
}

// AdvanceNotices moves the cursor; LeaseLost if another program moved it meanwhile.
func (t *Tx) AdvanceNotices(ctx context.Context, from, to domain.FeedPosition) error {
	n, err := t.exec(ctx, "notice cursor", `UPDATE notice_cursor SET era = $1,
		txid = $2::bigint::text::xid8, event = $3 WHERE era = $4 AND txid = $5::bigint::text::xid8
		AND event = $6`, to.Era, to.TxID, to.ID, from.Era, from.TxID, from.ID)
	if err == nil && n == 0 {
		err = domain.Errorf(domain.LeaseLost, "Another program made these notices.")
	}
	return err
}

// AddNotices writes notices. A notice of the same event, recipient and kind is written once.
func (t *Tx) AddNotices(ctx context.Context, notices []domain.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	s := &bulk.Statement{}
	set := bulk.NewRows(s, notices)
	bulk.Column(set, "id", "uuid", func(n *domain.Notice) domain.ID { return n.ID })
	bulk.Column(set, "recipient", "uuid", func(n *domain.Notice) domain.ID { return n.Recipient })
	bulk.Column(set, "kind", "text", func(n *domain.Notice) string { return string(n.Kind) })
	bulk.Column(set, "stream", "uuid", func(n *domain.Notice) domain.ID { return n.Stream })
	bulk.Column(set, "seq", "bigint", func(n *domain.Notice) int64 { return n.Seq })
	bulk.Column(set, "case_id", "uuid", func(n *domain.Notice) domain.ID { return n.CaseID })
	bulk.Column(set, "review_id", "uuid", func(n *domain.Notice) domain.ID { return n.ReviewID })
	bulk.Column(set, "person", "uuid", func(n *domain.Notice) domain.ID { return n.Person })
	bulk.Column(set, "connector_id", "uuid", func(n *domain.Notice) domain.ID { return n.Connector })
	bulk.Column(set, "note_id", "uuid", func(n *domain.Notice) domain.ID { return n.NoteID })
	bulk.Column(set, "proposal_id", "uuid", func(n *domain.Notice) domain.ID { return n.Proposal })
	bulk.Column(set, "due", "timestamptz", func(n *domain.Notice) *time.Time { return nullable(n.Due) })
	bulk.Column(set, "at", "timestamptz", func(n *domain.Notice) time.Time { return n.At })
	bulk.Column(set, "read_at", "timestamptz",
		func(n *domain.Notice) *time.Time { return nullable(n.ReadAt) })
	bulk.Column(set, "scheduled", "boolean", func(n *domain.Notice) bool { return n.Scheduled })
	bulk.Column(set, "mail_at", "timestamptz",
		func(n *domain.Notice) *time.Time { return nullable(n.MailAt) })
	none := s.Arg(domain.NoID)
	_, err := t.exec(ctx, "notices", `INSERT INTO notices (id, recipient, kind, stream, seq, case_id,
		review_id, person, connector_id, note_id, proposal_id, due, at, read_at, status, mail, mail_at)
		SELECT x.id, x.recipient, x.kind, x.stream, x.seq, nullif(x.case_id, `+none+`),
			nullif(x.review_id, `+none+`), nullif(x.person, `+none+`),
			nullif(x.connector_id, `+none+`), nullif(x.note_id, `+none+`),
			nullif(x.proposal_id, `+none+`), x.due, x.at, x.read_at,
			CASE WHEN x.scheduled THEN 'scheduled' ELSE 'shown' END,
			CASE WHEN x.mail_at IS NULL THEN 'none' ELSE 'waiting' END, x.mail_at
		FROM `+set.From("x")+` ON CONFLICT (stream, seq, recipient, kind) DO NOTHING`, s.Args()...)
	return err
}

// SettledWork is finished work: a review, or everything of a kind about a case or a connector.
type SettledWork struct {
	Case, Review, Connector domain.ID // one of them
	Kinds                   []domain.NoticeKind
}

// Settles reports whether the notice is about the work.
func (w SettledWork) Settles(n domain.Notice) bool {
	_, id, about := w.subject(n)
	return id == about && slices.Contains(w.Kinds, n.Kind)
}

// subject returns the column of what the work is about, its id, and that of the notice.
func (w SettledWork) subject(n domain.Notice) (column string, id, about domain.ID) {
	switch {
	case w.Case != domain.NoID:
		return "case_id", w.Case, n.CaseID
	case w.Connector != domain.NoID:
		return "connector_id", w.Connector, n.Connector
	}
	return "review_id", w.Review, n.ReviewID
}

// SettleNotices marks the stored notices about settled work as read and drops their e-mails. It returns
// how many there were.
func (t *Tx) SettleNotices(ctx context.Context, works []SettledWork) (total int64, err error) {
	type group struct{ column, kinds string }
	ids := map[group][]domain.ID{}
	for _, work := range works {
		column, id, _ := work.subject(domain.Notice{})
		of := group{column, strings.Join(namesOfKinds(work.Kinds), ",")}
		ids[of] = append(ids[of], id)
	}
	for of, about := range ids {
		n, err := t.exec(ctx, "settle notices", `UPDATE notices SET read_at = clock(),
			status = CASE WHEN status = 'scheduled' THEN 'void' ELSE status END,
			mail = CASE WHEN mail = 'waiting' THEN 'dropped' ELSE mail END
			WHERE `+of.column+` = ANY($1) AND read_at IS NULL AND kind = ANY($2)`, about,
			strings.Split(of.kinds, ","))
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

// SettleEndedProposals settles the stored notices that a proposal waits for an administrator, if it does not
// any more. It returns how many there were.
func (t *Tx) SettleEndedProposals(ctx context.Context) (int64, error) {
	return t.exec(ctx, "settle notices of proposals", `UPDATE notices n SET read_at = clock(),
		mail = CASE WHEN n.mail = 'waiting' THEN 'dropped' ELSE n.mail END
		FROM proposals p WHERE p.id = n.proposal_id AND p.status <> 'proposed'
			AND n.kind = '`+string(domain.NoticeProposal)+`' AND n.read_at IS NULL`)
}

func namesOfKinds(kinds []domain.NoticeKind) []string {
	names := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		names = append(names, string(kind))
	}
	return names
}

// ScheduledNotices locks the notices whose time has come and that are not checked yet.
func (t *Tx) ScheduledNotices(ctx context.Context, limit int) ([]domain.Notice, error) {
	return queryAll(ctx, t.q, "scheduled notices", `SELECT `+noticeColumns+` FROM notices n
		WHERE n.status = 'scheduled' AND n.at <= clock() ORDER BY n.at LIMIT $2
		FOR UPDATE SKIP LOCKED`, scanNotice, domain.NoID, limit)
}

// ShowNotice shows a scheduled notice, with the time at which its e-mail is due.
func (t *Tx) ShowNotice(ctx context.Context, n domain.Notice) error {
	_, err := t.exec(ctx, "show notice", `UPDATE notices SET status = 'shown', due = $2,
		mail = CASE WHEN $3::timestamptz IS NULL THEN 'none' ELSE 'waiting' END, mail_at = $3
		WHERE id = $1`, n.ID, nullable(n.Due), nullable(n.MailAt))
	return err
}

// MoveNotice lets a scheduled notice be checked at another time.
func (t *Tx) MoveNotice(ctx context.Context, id domain.ID, at time.Time) error {
	_, err := t.exec(ctx, "move notice", `UPDATE notices SET at = $2 WHERE id = $1`, id, at)
	return err
}

// VoidNotice ends a scheduled notice that is not true any more.
func (t *Tx) VoidNotice(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "void notice", `UPDATE notices SET status = 'void', read_at = clock(),
		mail = 'dropped' WHERE id = $1`, id)
	return err
}

// Notices reads notices that are shown.
func (r Reader) Notices(ctx context.Context, query domain.NoticeQuery) ([]domain.Notice, error) {
	unread := ""
	if query.OnlyUnread {
		unread = " AND n.read_at IS NULL"
	}
	return queryAll(ctx, r.q, "notices", `SELECT `+noticeColumns+` FROM notices n
		WHERE n.recipient = $2 AND n.status = 'shown'`+unread+`
			AND ($3::timestamptz IS NULL OR (n.at, n.id) < ($3, $4))
		ORDER BY n.at DESC, n.id DESC LIMIT $5`, scanNotice, domain.NoID, query.Recipient,
		nullable(query.Before.At), query.Before.ID, query.Limit)
}

// ReadNotices marks notices of a person as read; nil means all that were shown until the time. The
// e-mails that wait for a digest are dropped, except those that are always sent.
func (t *Tx) ReadNotices(ctx context.Context, person domain.ID, ids []domain.ID, until time.Time,
) (int64, error) {
	fixed := []string{}
	for _, kind := range domain.NoticeKinds() {
		if kind.Fixed() {
			fixed = append(fixed, string(kind))
		}
	}
	return t.exec(ctx, "read notices", `UPDATE notices SET read_at = clock(),
		mail = CASE WHEN mail = 'waiting' AND kind <> ALL($4) THEN 'dropped' ELSE mail END
		WHERE recipient = $1 AND status = 'shown' AND read_at IS NULL
			AND CASE WHEN $2::uuid[] IS NULL THEN at <= $3 ELSE id = ANY($2) END`, person, ids, until,
		fixed)
}

// NoticePreferences reads what people chose. A person without choices is in the answer too.
func (r Reader) NoticePreferences(ctx context.Context, people []domain.ID) (
	map[domain.ID]domain.NoticePreferences, error) {
	found, err := queryAll(ctx, r.q, "notice preferences", `SELECT u.id, coalesce(p.calendar, ''),
		coalesce(p.refused, ''), coalesce(p.refusal, ''), coalesce(p.refused_at, '0001-01-01'),
		ARRAY(SELECT kind FROM notice_settings s WHERE s.user_id = u.id ORDER BY kind),
		ARRAY(SELECT mail FROM notice_settings s WHERE s.user_id = u.id ORDER BY kind)
		FROM users u LEFT JOIN notice_people p ON p.user_id = u.id WHERE u.id = ANY($1)`,
		func(row pgx.CollectableRow) (domain.NoticePreferences, error) {
			p := domain.NoticePreferences{Mail: map[domain.NoticeKind]domain.NoticeMail{}}
			var kinds, mails []string
			err := row.Scan(&p.Person, &p.Calendar, &p.Refused, &p.Refusal, &p.RefusedAt, &kinds, &mails)
			for i, kind := range kinds {
				p.Mail[domain.NoticeKind(kind)] = domain.NoticeMail(mails[i])
			}
			p.RefusedAt = p.RefusedAt.UTC()
			return p, err
		}, people)
	preferences := make(map[domain.ID]domain.NoticePreferences, len(found))
	for _, p := range found {
		preferences[p.Person] = p
	}
	return preferences, err
}

// SetNoticeMail stores a person's choice for kinds. E-mails of a kind that is off are dropped.
func (t *Tx) SetNoticeMail(ctx context.Context, person domain.ID, kinds []domain.NoticeKind,
	mail domain.NoticeMail) error {
	names := namesOfKinds(kinds)
	_, err := t.exec(ctx, "notice setting", `INSERT INTO notice_settings (user_id, kind, mail)
		SELECT $1, k, $3 FROM unnest($2::text[]) AS k
		ON CONFLICT (user_id, kind) DO UPDATE SET mail = excluded.mail`, person, names, string(mail))
	if err != nil || mail != domain.MailOff {
		return err
	}
	_, err = t.exec(ctx, "notice setting", `UPDATE notices SET mail = 'dropped'
		WHERE recipient = $1 AND kind = ANY($2) AND mail = 'waiting' AND read_at IS NULL`, person, names)
	return err
}

// SetNoticeCalendar stores the calendar in whose working time a person gets e-mails; "" = always.
func (t *Tx) SetNoticeCalendar(ctx context.Context, person domain.ID, calendar string) error {
	_, err := t.exec(ctx, "notice calendar", `INSERT INTO notice_people (user_id, calendar)
		VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE SET calendar = excluded.calendar`, person,
		calendar)
	return err
}

// SetMailRefusal stores that the mail server refused an address of a person; "" = none is refused.
func (t *Tx) SetMailRefusal(ctx context.Context, person domain.ID, address, answer string) error {
	_, err := t.exec(ctx, "mail refusal", `INSERT INTO notice_people (user_id, refused, refusal, refused_at)
		VALUES ($1, $2, $3, clock()) ON CONFLICT (user_id) DO UPDATE SET refused = excluded.refused,
		refusal = excluded.refusal, refused_at = excluded.refused_at`, person, address, answer)
	return err
}

// mailPause is the least time between two e-mails to a person. Notices that are due meanwhile are sent
// together, so that many failures do not fill a mailbox.
const mailPause = "5 min"

// DueMails reads the notices whose e-mails are due, of at most the given number of people.
func (r Reader) DueMails(ctx context.Context, people int) ([]domain.Notice, error) {
	return queryAll(ctx, r.q, "due e-mails", `SELECT `+noticeColumns+` FROM notices n
		WHERE n.mail = 'waiting' AND n.status = 'shown' AND n.mail_at <= clock() AND n.recipient IN (
			SELECT d.recipient FROM notices d WHERE d.mail = 'waiting' AND d.status = 'shown'
			AND d.mail_at <= clock() AND NOT EXISTS (SELECT FROM notice_people p
				WHERE p.user_id = d.recipient AND p.mailed_at > clock() - interval '`+mailPause+`')
			GROUP BY d.recipient ORDER BY min(d.mail_at) LIMIT $2)
		ORDER BY n.recipient, n.at, n.id LIMIT 2000`, scanNotice, domain.NoID, people)
}

// RecordMail stores what became of the e-mail about the notices. A failed one is due again after a
// time that doubles with each attempt, from 30 seconds to an hour, until the notice is three days old.
func (t *Tx) RecordMail(ctx context.Context, ids []domain.ID, outcome domain.MailOutcome, reason string,
) error {
	_, err := t.exec(ctx, "e-mail outcome", `UPDATE notices SET attempts = attempts + 1, mail_error = $3,
		mail = CASE WHEN $2 <> 'failed' THEN $2 WHEN at > clock() - interval '3 days' THEN 'waiting'
			ELSE 'dropped' END,
		mail_at = CASE WHEN $2 = 'failed'
			THEN clock() + least(interval '1 h', interval '30 s' * power(2, least(attempts, 10))) ELSE mail_at END
		WHERE id = ANY($1) AND mail = 'waiting'`, ids, string(outcome), reason)
	return err
}

// SetMailed stores that an e-mail was sent to a person now.
func (t *Tx) SetMailed(ctx context.Context, person domain.ID) error {
	_, err := t.exec(ctx, "e-mail time", `INSERT INTO notice_people (user_id, mailed_at) VALUES ($1, clock())
		ON CONFLICT (user_id) DO UPDATE SET mailed_at = excluded.mailed_at`, person)
	return err
}

// DeleteOldNotices deletes the notices that were shown longer ago.
func (t *Tx) DeleteOldNotices(ctx context.Context, age time.Duration) error {
	_, err := t.exec(ctx, "old notices", `DELETE FROM notices
		WHERE at < clock() - make_interval(secs => $1)`, age.Seconds())
	return err
}

// PeopleOfRole reads the enabled people of a role who work on a queue; "" = of all queues.
func (r Reader) PeopleOfRole(ctx context.Context, role domain.Role, queue string) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "people of a role", `SELECT u.id FROM users u JOIN user_roles o
		ON o.user_id = u.id AND o.role = $1 WHERE NOT u.disabled AND ($2 = '' OR EXISTS (
			SELECT FROM user_queues q WHERE q.user_id = u.id AND q.queue = $2)) ORDER BY u.id`,
		pgx.RowTo[domain.ID], string(role), queue)
}

// RefusedAddresses counts the people to whose present address no e-mail is sent, because it was
// refused.
func (r Reader) RefusedAddresses(ctx context.Context) (int, error) {
	return queryOne(ctx, r.q, "refused addresses", `SELECT count(*)::int FROM notice_people p
		JOIN users u ON u.id = p.user_id AND NOT u.disabled WHERE p.refused = u.email`, pgx.RowTo[int])
}
