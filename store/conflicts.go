package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// JoinGroup moves a party and its whole group into the group of another party, under a confirmed
// proposal.
func (t *Tx) JoinGroup(ctx context.Context, party, other, proposal domain.ID) error {
	_, err := t.exec(ctx, "join group",
		`UPDATE parties SET group_id = (SELECT group_id FROM parties WHERE id = $2),
		join_proposal_id = $3
		WHERE group_id = (SELECT group_id FROM parties WHERE id = $1)`, party, other, proposal)
	return err
}

// LeaveGroup removes one party from its group under a confirmed proposal; the others stay together.
// It returns false if the party was alone.
func (t *Tx) LeaveGroup(ctx context.Context, party, proposal domain.ID) (bool, error) {
	n, err := t.exec(ctx, "leave group", `UPDATE parties p SET group_id = $2, leave_proposal_id = $3
		WHERE p.id = $1
		AND EXISTS (SELECT FROM parties o WHERE o.group_id = p.group_id AND o.id <> p.id)`, party,
		domain.NewID(), proposal)
	return n == 1, err
}

// Party is a counterparty.
type Party struct {
	ID   domain.ID
	Name string
}

// PartyGroupVersion returns how often the group of a party has changed.
func (r Reader) PartyGroupVersion(ctx context.Context, party domain.ID) (int, error) {
	return queryOne(ctx, r.q, "group version", `SELECT group_version FROM parties WHERE id = $1`,
		pgx.RowTo[int], party)
}

// PartyGroup reads the parties of a party's group, including itself, by name.
func (r Reader) PartyGroup(ctx context.Context, party domain.ID) ([]Party, error) {
	return queryAll(ctx, r.q, "group", `SELECT o.id, o.name FROM parties p
		JOIN parties o ON o.group_id = p.group_id WHERE p.id = $1
		ORDER BY o.name, o.id`, pgx.RowToStructByPos[Party], party)
}

// PartiesByKey reads the existing parties of the normalized names, by name.
func (r Reader) PartiesByKey(ctx context.Context, keys []string) (map[string]domain.ID, error) {
	type row struct {
		Key string
		ID  domain.ID
	}
	rows, err := queryAll(ctx, r.q, "parties", `SELECT key, id FROM parties WHERE key = ANY($1)`,
		pgx.RowToStructByPos[row], keys)
	known := make(map[string]domain.ID, len(rows))
	for _, found := range rows {
		known[found.Key] = found.ID
	}
	return known, err
}

// DeclareConflict excludes the person from every case of the party's group; false if the conflict
// is already declared.
func (t *Tx) DeclareConflict(ctx context.Context, c domain.Conflict) (bool, error) {
	source := c.Source
	if source == "" {
		source = domain.FromDeclaration
	}
	n, err := t.exec(ctx, "declare conflict",
		`INSERT INTO conflicts (id, person, party_id, reason, declared_by, source)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (person, party_id) WHERE ended_at IS NULL DO NOTHING`, c.ID, c.Person,
		c.PartyID, c.Reason, c.DeclaredBy, string(source))
	return n == 1, err
}

// EndConflict ends a declared conflict under a confirmed proposal and records by whom and why; false
// if it had already ended.
func (t *Tx) EndConflict(
	ctx context.Context, id, by domain.ID, reason string, proposal domain.ID,
) (bool, error) {
	n, err := t.exec(ctx, "end conflict", `UPDATE conflicts SET ended_at = clock(), ended_by = $2,
		end_reason = $3, end_proposal_id = $4
		WHERE id = $1 AND ended_at IS NULL`, id, by, reason, proposal)
	return n == 1, err
}

const conflictColumns = `k.id, k.person, k.party_id, k.reason, k.declared_by, k.created_at, p.name,
	k.source,
	ARRAY(SELECT o.name FROM parties o WHERE o.group_id = p.group_id ORDER BY o.name, o.id)`

// Conflicts reads the active conflicts of a person; NoID reads those of all people.
func (r Reader) Conflicts(ctx context.Context, person domain.ID) ([]domain.Conflict, error) {
	return queryAll(ctx, r.q, "conflicts", `SELECT `+conflictColumns+` FROM conflicts k
		JOIN parties p ON p.id = k.party_id
		WHERE k.ended_at IS NULL AND ($1::uuid = '00000000-0000-0000-0000-000000000000'
		OR k.person = $1) ORDER BY k.created_at, k.id`,
		pgx.RowToStructByPos[domain.Conflict], person)
}

// Conflict reads one active conflict.
func (r Reader) Conflict(ctx context.Context, id domain.ID) (domain.Conflict, error) {
	return queryOne(ctx, r.q, "conflict", `SELECT `+conflictColumns+` FROM conflicts k
		JOIN parties p ON p.id = k.party_id
		WHERE k.id = $1 AND k.ended_at IS NULL`, pgx.RowToStructByPos[domain.Conflict], id)
}

// ConflictQuery selects active conflicts.
type ConflictQuery struct {
	Person domain.ID // NoID = all people
	Text   string    // part of the party's name; "" = all
	After  domain.ID // keyset: conflicts with a greater id
	Limit  int
}

// ConflictList reads a page of the active conflicts, in the order in which they were declared.
func (r Reader) ConflictList(ctx context.Context, q ConflictQuery) ([]domain.Conflict, error) {
	return queryAll(ctx, r.q, "conflicts", `SELECT `+conflictColumns+` FROM conflicts k
		JOIN parties p ON p.id = k.party_id
		WHERE k.ended_at IS NULL AND k.id > $1
		AND ($2::uuid = '00000000-0000-0000-0000-000000000000' OR k.person = $2)
		AND ($3 = '' OR strpos(lower(p.name), lower($3)) > 0) ORDER BY k.id LIMIT $4`,
		pgx.RowToStructByPos[domain.Conflict], q.After, q.Person, q.Text, q.Limit)
}

// PeopleInConflict reads who has an active conflict with any party of the party's group.
func (r Reader) PeopleInConflict(ctx context.Context, party domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "barred", `SELECT DISTINCT k.person FROM parties p
		JOIN parties o ON o.group_id = p.group_id
		JOIN conflicts k ON k.party_id = o.id AND k.ended_at IS NULL WHERE p.id = $1`,
		pgx.RowTo[domain.ID], party)
}

// UndecidedReviewsOf reads the undecided reviews assigned to the people or their delegates, by
// case, at most limit.
func (r Reader) UndecidedReviewsOf(ctx context.Context, people []domain.ID,
	limit int) ([]domain.Review, error) {
	return queryAll(ctx, r.q, "undecided reviews", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE (r.assignee = ANY($1)
		OR r.assignee = ANY(ARRAY(SELECT d.taker FROM delegations d WHERE d.giver = ANY($1) AND
		d.ended_at IS NULL AND d.valid_until > clock())))
		AND r.status IN ('open', 'claimed') ORDER BY r.case_id, r.id LIMIT $2`, scanReview, people,
		limit)
}

// UserIDsWithRole reads the users with the role.
func (r Reader) UserIDsWithRole(ctx context.Context, role domain.Role) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "holders", `SELECT user_id FROM user_roles WHERE role = $1`,
		pgx.RowTo[domain.ID], string(role))
}

// OwnAccounts reads the bank accounts registered as the person's own.
func (r Reader) OwnAccounts(ctx context.Context, person domain.ID) ([]string, error) {
	return queryAll(ctx, r.q, "own accounts", `SELECT account FROM own_accounts WHERE person = $1
		ORDER BY account`, pgx.RowTo[string], person)
}

// AddOwnAccount registers a bank account as the person's own and excludes the person from every
// undecided case that pays to it; false if it was already registered.
func (t *Tx) AddOwnAccount(ctx context.Context, person domain.ID, account string) (bool, error) {
	n, err := t.exec(ctx, "own account", `INSERT INTO own_accounts (person, account) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, person, account)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = t.exec(ctx, "own account cases", `INSERT INTO case_interests (case_id, person, reason)
		SELECT c.id, $1, 'own_account' FROM fields f JOIN cases c ON c.id = f.case_id
		WHERE f.name = 'iban' AND f.normalised = $2 AND f.normalised <> ''
		AND c.status NOT IN ('archived', 'rejected', 'abandoned')
		ON CONFLICT DO NOTHING`, person, account)
	return true, err
}

// DeleteOwnAccount removes a registered account; false if it was not registered. Exclusions that it
// caused remain.
func (t *Tx) DeleteOwnAccount(ctx context.Context, person domain.ID, account string) (bool, error) {
	n, err := t.exec(ctx, "drop own account", `DELETE FROM own_accounts WHERE person = $1
		AND account = $2`, person, account)
	return n == 1, err
}

// excludePayeeOwners excludes the owners of accounts that a change makes payees.
func (s *statement) excludePayeeOwners(changes []*Change) {
	payees := caseValues(changes, func(c *Change) []string {
		var accounts []string
		for i := range c.Fields {
			if c.Fields[i].Name == domain.FieldIBAN && c.Fields[i].Normalised != "" {
				accounts = append(accounts, c.Fields[i].Normalised)
			}
		}
		return accounts
	})
	if len(payees) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, payees)
	bulk.Column(set, "case_id", "uuid", func(p *caseValue[string]) domain.ID { return p.caseID })
	bulk.Column(set, "account", "text", func(p *caseValue[string]) string { return p.value })
	s.AddCTE("io", `INSERT INTO case_interests (case_id, person, reason) SELECT c.id, a.person,
		'own_account'
		FROM c JOIN %s ON x.case_id = c.id JOIN own_accounts a ON a.account = x.account
		ON CONFLICT DO NOTHING`, set.From("x"))
}
