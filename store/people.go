package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// AuthorityVersions is the version of all permissions, and the newest policy version.
type AuthorityVersions struct {
	Version       int64
	PolicyVersion int64
	// ControlPending reports whether cases are still evaluated again after a change of control data.
	// Only LockAuthority reads it.
	ControlPending bool
}

const userColumns = `u.id, u.email, u.name, u.disabled, u.locale, u.version,
	ARRAY(SELECT role FROM user_roles x WHERE x.user_id = u.id ORDER BY role),
	ARRAY(SELECT queue FROM user_queues x WHERE x.user_id = u.id ORDER BY queue),
	(SELECT coalesce(json_agg(json_build_object('Role', l.role, 'Action', l.action, 'DocumentType',
	l.document_type, 'Unlimited', l.unlimited, 'BaseMinor', l.base_minor)), '[]') FROM limits l
	JOIN user_roles x ON x.role = l.role WHERE x.user_id = u.id), ` + activeDelegationsColumn + `,
	coalesce(u.employee_id, ''),
	ARRAY(SELECT o.id FROM users o WHERE o.person = u.person AND o.id <> u.id ORDER BY o.id)`

func scanUser(row pgx.CollectableRow) (domain.User, error) { return scanUserWith(row) }

// scanUserWith scans a user and the columns that follow.
func scanUserWith(row pgx.CollectableRow, more ...any) (domain.User, error) {
	var u domain.User
	var roles []string
	var limits, delegations []byte
	targets := append([]any{&u.ID, &u.Email, &u.Name, &u.Disabled, &u.Locale, &u.Version, &roles,
		&u.Queues, &limits, &delegations, &u.EmployeeID, &u.OtherAccounts}, more...)
	if err := row.Scan(targets...); err != nil {
		return u, err
	}
	if len(u.OtherAccounts) == 0 {
		u.OtherAccounts = nil
	}
	for _, role := range roles {
		u.Roles = append(u.Roles, domain.Role(role))
	}
	var err error
	if u.ReceivedDelegations, err = parseDelegations(delegations); err != nil {
		return u, err
	}
	return u, json.Unmarshal(limits, &u.Limits)
}

// User reads one user with roles, queues and the limits of the roles.
func (r Reader) User(ctx context.Context, id domain.ID) (domain.User, error) {
	return batchedOr(ctx, r.availableBatchers().users, id, func() (domain.User, error) {
		return queryOne(ctx, r.q, "user", `SELECT `+userColumns+` FROM users u WHERE u.id = $1`,
			scanUser, id)
	})
}

// usersByID reads the users with the ids, in no particular order.
func (r Reader) usersByID(ctx context.Context, ids []domain.ID) ([]domain.User, error) {
	return queryAll(ctx, r.q, "users", `SELECT `+userColumns+` FROM users u WHERE u.id = ANY($1)`,
		scanUser, ids)
}

// Users reads the users with the ids by name; nil reads all users except the system.
func (r Reader) Users(ctx context.Context, ids []domain.ID) ([]domain.User, error) {
	if ids == nil {
		return queryAll(ctx, r.q, "users", `SELECT `+userColumns+` FROM users u WHERE u.id <> $1
			ORDER BY u.name`, scanUser, domain.SystemUserID)
	}
	return queryAll(ctx, r.q, "users", `SELECT `+userColumns+` FROM users u WHERE u.id = ANY($1)
		ORDER BY u.name`, scanUser, ids)
}

// UserByEmail reads one user and the password hash.
func (r Reader) UserByEmail(ctx context.Context, email string) (domain.User, string, error) {
	type found struct {
		id   domain.ID
		hash string
	}
	f, err := queryOne(ctx, r.q, "user", `SELECT id, password_hash FROM users
		WHERE email = lower($1)`,
		func(row pgx.CollectableRow) (found, error) {
			var f found
			return f, row.Scan(&f.id, &f.hash)
		}, email)
	if err != nil {
		return domain.User{}, "", err
	}
	user, err := r.User(ctx, f.id)
	return user, f.hash, err
}

// AuthorityVersion reads the version of all permissions.
func (r Reader) AuthorityVersion(ctx context.Context) (AuthorityVersions, error) {
	if r.batchers != nil {
		return batched(ctx, r.batchers.authority, struct{}{})
	}
	var a AuthorityVersions
	err := r.q.QueryRow(ctx, `SELECT version, (SELECT coalesce(max(version), 0) FROM policies)
		FROM authority`).Scan(&a.Version, &a.PolicyVersion)
	return a, translate(err, "authority")
}

// ControlPending reports whether cases are still evaluated again after a change of control data.
func (r Reader) ControlPending(ctx context.Context) (bool, error) {
	return queryOne(ctx, r.q, "control changes", `SELECT EXISTS (SELECT FROM control_changes)`,
		pgx.RowTo[bool])
}

// authorityLock is the advisory lock of all permissions. Decisions take it shared, a change of
// rights takes it exclusively. A row lock FOR SHARE would do the same, but each sharer rewrites the
// row's list of lockers.
const authorityLock = 0x436f756e74657273 // "Counters"

// LockAuthority takes the shared lock of all permissions and then reads the version and the users
// with their rights, which cannot change before the commit.
func (t *Tx) LockAuthority(ctx context.Context,
	persons ...domain.ID) (AuthorityVersions, []domain.User, error) {
	var a AuthorityVersions
	if _, err := t.exec(ctx, "lock authority", `SELECT pg_advisory_xact_lock_shared($1)`,
		int64(authorityLock)); err != nil {
		return a, nil, err
	}
	if len(persons) == 0 {
		err := t.q.QueryRow(ctx, `SELECT version FROM authority`).Scan(&a.Version)
		return a, nil, translate(err, "authority")
	}
	users, err := queryAll(ctx, t.q, "lock users", `SELECT `+userColumns+`, a.version,
		EXISTS (SELECT FROM control_changes)
		FROM authority a, users u
		WHERE u.id = ANY($1) ORDER BY u.id`, func(row pgx.CollectableRow) (domain.User, error) {
		return scanUserWith(row, &a.Version, &a.ControlPending)
	}, persons)
	return a, users, err
}

// IncrementAuthority takes the exclusive lock of all permissions for a change of rights and
// increments the version. It waits for running decisions; later ones wait for the commit.
func (t *Tx) IncrementAuthority(ctx context.Context) (int64, error) {
	t.rightsChanged = true
	var version int64
	if _, err := t.exec(ctx, "increment authority", `SELECT pg_advisory_xact_lock($1)`,
		int64(authorityLock)); err != nil {
		return 0, err
	}
	err := t.q.QueryRow(ctx, `UPDATE authority SET version = version + 1 RETURNING version`).
		Scan(&version)
	return version, translate(err, "increment authority")
}

// PutUser inserts or updates a user and replaces roles and queues; an empty hash keeps the
// password.
func (t *Tx) PutUser(ctx context.Context, u domain.User, passwordHash string) error {
	_, err := t.exec(ctx, "put user",
		`INSERT INTO users (id, email, name, disabled, locale, password_hash, employee_id)
		VALUES ($1, lower($2), $3, $4, $5, $6, nullif($7, ''))
		ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name,
		disabled = excluded.disabled, locale = excluded.locale, version = users.version + 1,
		password_hash = CASE WHEN excluded.password_hash = '' THEN users.password_hash ELSE
		excluded.password_hash END, employee_id = excluded.employee_id`,
		u.ID, u.Email, u.Name, u.Disabled, localeOrDefault(u.Locale), passwordHash, u.EmployeeID)
	if err != nil {
		if uniqueViolation(err, "users_employee_id_key") {
			return domain.Invalid("employeeId", "The employee id %s belongs to another account.", u.EmployeeID)
		}
		if uniqueViolation(err, "users_email_key") {
			return domain.Invalid("email", "%s already has an account.", u.Email)
		}
		return err
	}
	roles := make([]string, 0, len(u.Roles))
	for _, role := range u.Roles {
		roles = append(roles, string(role))
	}
	if _, err := t.exec(ctx, "roles",
		`WITH gone AS (DELETE FROM user_roles WHERE user_id = $1 AND role <> ALL($2::text[]))
		INSERT INTO user_roles SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, u.ID,
		roles); err != nil {
		return err
	}
	_, err = t.exec(ctx, "queues",
		`WITH gone AS (DELETE FROM user_queues WHERE user_id = $1 AND queue <> ALL($2::text[]))
		INSERT INTO user_queues SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, u.ID,
		append([]string{}, u.Queues...))
	return err
}

func localeOrDefault(locale string) string {
	if locale == "" {
		return "en"
	}
	return locale
}

// Limit reads one limit row; NotFound if there is none.
func (r Reader) Limit(ctx context.Context, role domain.Role, action domain.Action,
	documentType string) (domain.Limit, error) {
	return queryOne(ctx, r.q, "limit", `SELECT role, document_type, action, unlimited, base_minor
		FROM limits
		WHERE role = $1 AND action = $2 AND document_type = $3`, pgx.RowToStructByPos[domain.Limit],
		string(role), string(action), documentType)
}

// PutLimit sets or replaces one limit row.
func (t *Tx) PutLimit(ctx context.Context, l domain.Limit) error {
	_, err := t.exec(ctx, "put limit",
		`INSERT INTO limits (role, action, document_type, unlimited, base_minor)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (role, action, document_type) DO UPDATE SET unlimited = excluded.unlimited,
		base_minor = excluded.base_minor`,
		string(l.Role), string(l.Action), l.DocumentType, l.Unlimited, l.BaseMinor)
	return err
}

// PartyByKey reads the party with the normalized name; NotFound if there is none.
func (r Reader) PartyByKey(ctx context.Context, key string) (domain.ID, error) {
	return queryOne(ctx, r.q, "party", `SELECT id FROM parties WHERE key = $1`,
		pgx.RowTo[domain.ID], key)
}

// Rate is a dated conversion to the base currency.
type Rate struct {
	ID     domain.ID
	Micros int64
}

// RateAt returns the newest rate of the currency that is valid at the time; RateMissing if there is
// none.
func (r Reader) RateAt(ctx context.Context, currency string, at time.Time) (Rate, error) {
	return batchedOr(ctx, r.availableBatchers().rates, rateQuery{currency, at},
		func() (Rate, error) { return r.queryRate(ctx, currency, at) })
}

// rateQuery is a request for a rate.
type rateQuery struct {
	currency string
	at       time.Time
}

// ratesBatch reads many rates in one statement.
func (r Reader) ratesBatch(ctx context.Context, queries []rateQuery) ([]Rate, []error, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, queries)
	bulk.Column(set, "currency", "text", func(q *rateQuery) string { return q.currency })
	bulk.Column(set, "at", "timestamptz", func(q *rateQuery) time.Time { return q.at })
	rates, err := queryAll(ctx, r.q, "rates",
		`SELECT coalesce(r.id, '00000000-0000-0000-0000-000000000000'), coalesce(r.micros, 0)
		FROM `+set.NumberedFrom("x")+` LEFT
		JOIN LATERAL (SELECT id, micros FROM rates WHERE currency = x.currency
		AND valid_from <= x.at
			ORDER BY valid_from DESC LIMIT 1) r ON true ORDER BY x.n`, pgx.RowToStructByPos[Rate],
		s.Args()...)
	errs := make([]error, len(queries))
	for i := range rates {
		if rates[i].ID == domain.NoID {
			errs[i] = batch.ErrNotBatched // queryRate returns the error
		}
	}
	return rates, errs, err
}

func (r Reader) queryRate(ctx context.Context, currency string, at time.Time) (Rate, error) {
	rate, err := queryOne(ctx, r.q, "rate", `SELECT id, micros FROM rates WHERE currency = $1
		AND valid_from <= $2
		ORDER BY valid_from DESC LIMIT 1`, pgx.RowToStructByPos[Rate], currency, at)
	if domain.HasCode(err, domain.NotFound) {
		return rate, domain.Errorf(domain.RateMissing, "There is no exchange rate for %s.",
			currency).
			WithRemedy("Ask an administrator to add the rate, then retry the step.")
	}
	return rate, err
}

// OpenReviewCounts counts the open and claimed reviews of each of the assignees, except those in the
// given queues.
func (r Reader) OpenReviewCounts(ctx context.Context, people []domain.ID,
	except ...string) (map[domain.ID]int, error) {
	loads := map[domain.ID]int{}
	rows, err := r.q.Query(ctx, `SELECT assignee, count(*) FROM reviews WHERE assignee = ANY($1)
		AND status IN ('open', 'claimed') AND queue <> ALL(coalesce($2::text[], '{}'))
		GROUP BY assignee`, people, except)
	if err != nil {
		return nil, translate(err, "loads")
	}
	var id domain.ID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { loads[id] = n; return nil })
	return loads, translate(err, "loads")
}
