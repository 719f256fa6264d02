package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

const reviewRowColumns = `r.id, r.case_id, r.node, r.visit, r.seat, r.queue, r.level, r.duty,
	r.assignee, r.status, r.claim_by, r.decide_by,
	coalesce(r.at_risk_from, r.decide_by - (r.decide_by - r.created_at) / 5),
	coalesce(r.paused_at, '0001-01-01Z'), r.pause_reason, r.breaches, r.left_by, r.left_how,
	r.claimed_at, coalesce(nullif(r.claim_until, '-infinity'), '0001-01-01Z'), r.priority,
	CASE WHEN r.draft_by = r.assignee THEN r.draft END, r.version, r.submitter, r.party_id,
	r.base_minor, r.amount_known, r.band, r.document_type, r.country, r.created_at, r.decided_at,
	r.other_countries, r.other_party_ids, r.draws, r.vote_hidden`

func scanReview(row pgx.CollectableRow) (domain.Review, error) {
	var r domain.Review
	var claimedAt, decidedAt *time.Time
	err := row.Scan(&r.ID, &r.CaseID, &r.Node, &r.Visit, &r.Seat, &r.Queue, &r.Level, &r.Duty,
		&r.Assignee, &r.Status, &r.ClaimBy, &r.DecideBy, &r.AtRiskFrom, &r.PausedAt, &r.PauseReason,
		&r.Breaches, &r.PreviousAssignee, &r.UnassignCause, &claimedAt, &r.ClaimUntil, &r.Priority,
		&r.Draft, &r.Version, &r.Submitter, &r.PartyID, &r.BaseMinor, &r.AmountKnown, &r.Band,
		&r.DocumentType, &r.Country, &r.CreatedAt, &decidedAt, &r.OtherCountries,
		&r.OtherPartyIDs, &r.Draws, &r.VoteHidden)
	if claimedAt != nil {
		r.ClaimedAt = claimedAt.UTC()
	}
	if decidedAt != nil {
		r.DecidedAt = decidedAt.UTC()
	}
	r.OtherCountries, r.OtherPartyIDs = nilIfEmpty(r.OtherCountries), nilIfEmpty(r.OtherPartyIDs)
	for _, at := range []*time.Time{&r.ClaimUntil, &r.ClaimBy, &r.DecideBy, &r.AtRiskFrom,
		&r.PausedAt, &r.CreatedAt} {
		*at = at.UTC()
	}
	return r, err
}

// Review reads one review; NotFound if there is none.
func (r Reader) Review(ctx context.Context, id domain.ID) (domain.Review, error) {
	return queryOne(ctx, r.q, "review", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.id = $1`, scanReview, id)
}

// ReviewsOf reads all reviews of the cases in the order they were opened.
func (r Reader) ReviewsOf(ctx context.Context, cases ...domain.ID) ([]domain.Review, error) {
	if len(cases) == 1 {
		return batchedOr(ctx, r.availableBatchers().reviews, cases[0],
			func() ([]domain.Review, error) { return r.reviewsOf(ctx, cases...) })
	}
	return r.reviewsOf(ctx, cases...)
}

func (r Reader) reviewsOf(ctx context.Context, cases ...domain.ID) ([]domain.Review, error) {
	return queryAll(ctx, r.q, "reviews", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.case_id = ANY($1)
		ORDER BY r.case_id, r.created_at, r.seat`, scanReview, cases)
}

// LockReviews reads the case's reviews FOR UPDATE, by id; the case must be locked before.
func (t *Tx) LockReviews(ctx context.Context, caseID domain.ID) ([]domain.Review, error) {
	return queryAll(ctx, t.q, "lock reviews", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.case_id = $1
		ORDER BY r.id FOR UPDATE`, scanReview, caseID)
}

// MatchingReviews returns which of the reviews the filter admits.
func (r Reader) MatchingReviews(ctx context.Context, filter domain.Filter,
	ids []domain.ID) ([]domain.Review, error) {
	where, args, err := renderReviews(filter, []any{ids})
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "reviews", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.id = ANY($1) AND `+where+` ORDER BY r.id`,
		scanReview, args...)
}

// ReviewQueues reads the queues of reviews, by id.
func (r Reader) ReviewQueues(ctx context.Context, ids []domain.ID) (map[domain.ID]string, error) {
	type row struct {
		ID    domain.ID
		Queue string
	}
	rows, err := queryAll(ctx, r.q, "review queues", `SELECT id, queue FROM reviews WHERE id = ANY($1)`,
		pgx.RowToStructByPos[row], ids)
	queues := make(map[domain.ID]string, len(rows))
	for _, one := range rows {
		queues[one.ID] = one.Queue
	}
	return queues, err
}

// ReviewMatches reports whether the filter admits this review now; tests compare lists with it.
func (r Reader) ReviewMatches(ctx context.Context, filter domain.Filter,
	reviewID domain.ID) (bool, error) {
	where, args, err := renderReviews(filter, []any{reviewID})
	if err != nil {
		return false, err
	}
	var yes bool
	err = r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM reviews r WHERE r.id = $1 AND `+where+`)`,
		args...).Scan(&yes)
	return yes, translate(err, "admits")
}

// HasDecided reports whether the person has decided the review.
func (r Reader) HasDecided(ctx context.Context, person, reviewID domain.ID) (bool, error) {
	var yes bool
	err := r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM reviews r
		JOIN decisions d ON d.case_id = r.case_id AND d.review_id = r.id AND d.actor = $2
		WHERE r.id = $1)`, reviewID, person).Scan(&yes)
	return yes, translate(err, "has decided")
}

// Heartbeat extends the person's active claim; false if there is none. It does not change the
// version.
func (t *Tx) Heartbeat(ctx context.Context, reviewID, person domain.ID,
	ttl time.Duration) (time.Time, bool, error) {
	untils, err := queryAll(ctx, t.q, "heartbeat",
		`UPDATE reviews SET claim_until = clock() + make_interval(secs => $3)
		WHERE id = $1 AND assignee = $2 AND status = 'claimed' AND claim_until > clock()
		RETURNING claim_until`,
		pgx.RowTo[time.Time], reviewID, person, ttl.Seconds())
	if err != nil || len(untils) == 0 {
		return time.Time{}, false, err
	}
	return untils[0].UTC(), true, nil
}

// SaveDraft stores the reviewer's draft with the review and extends the claim. Only this reviewer
// can read it.
func (t *Tx) SaveDraft(ctx context.Context, reviewID, person domain.ID, draft []byte,
	ttl time.Duration) (bool, error) {
	n, err := t.exec(ctx, "draft", `UPDATE reviews SET draft = $3, draft_by = $2,
		claim_until = clock() + make_interval(secs => $4)
		WHERE id = $1 AND assignee = $2 AND status = 'claimed' AND claim_until > clock()`, reviewID,
		person, draft, ttl.Seconds())
	return n == 1, err
}

// ExpiredClaims returns reviews whose claim expired, at most limit.
func (r Reader) ExpiredClaims(ctx context.Context, limit int) ([]domain.Review, error) {
	return queryAll(ctx, r.q, "expired claims", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.status = 'claimed' AND r.claim_until <= (SELECT clock()) ORDER BY r.claim_until
		LIMIT $1`, scanReview, limit)
}

// Exclusions are the people who may not decide on a case, as the policy needs them.
type Exclusions struct {
	Interested []domain.ID
	Conflicted []domain.ID
	Votes      []domain.Vote
}

// VotesIn returns the votes given by the decision of one review.
func (e Exclusions) VotesIn(review domain.ID) []domain.Vote {
	var given []domain.Vote
	for _, vote := range e.Votes {
		if vote.ReviewID == review {
			given = append(given, vote)
		}
	}
	return given
}

// Exclusions reads who is excluded from the case: by an interest, by a conflict with a party of the
// group, or by a vote.
func (r Reader) Exclusions(ctx context.Context, caseID domain.ID,
	parties []domain.ID) (Exclusions, error) {
	query := exclusionsQuery{caseID, parties}
	return batchedOr(ctx, r.availableBatchers().exclusions, query, func() (Exclusions, error) {
		return batch.Single(r.exclusionsBatch(ctx, []exclusionsQuery{query}))
	})
}

// exclusionsQuery is a request for a case's exclusions.
type exclusionsQuery struct {
	caseID  domain.ID
	parties []domain.ID
}

func (r Reader) exclusionsBatch(ctx context.Context,
	queries []exclusionsQuery) ([]Exclusions, []error, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, queries)
	bulk.Column(set, "id", "uuid", func(q *exclusionsQuery) domain.ID { return q.caseID })
	bulk.ArrayColumn(set, "parties", "uuid",
		func(q *exclusionsQuery) string { return idArray(q.parties) })
	found, err := queryAll(ctx, r.q, "exclusions", `SELECT x.id,
		ARRAY(SELECT DISTINCT person FROM case_interests WHERE case_id = x.id),
		ARRAY(SELECT DISTINCT k.person FROM conflicts k JOIN parties kp ON kp.id = k.party_id
		JOIN parties op ON op.group_id = kp.group_id
			WHERE k.ended_at IS NULL AND op.id = ANY(x.parties::uuid[])),
		ARRAY(SELECT duty FROM votes WHERE case_id = x.id ORDER BY duty, person),
		ARRAY(SELECT person FROM votes WHERE case_id = x.id ORDER BY duty, person),
		ARRAY(SELECT review_id FROM votes WHERE case_id = x.id ORDER BY duty, person),
		ARRAY(SELECT covered::text FROM votes WHERE case_id = x.id ORDER BY duty, person)
		FROM `+set.NumberedFrom("x")+` ORDER BY x.n`, scanExclusions, s.Args()...)
	return found, make([]error, len(queries)), err
}

func scanExclusions(row pgx.CollectableRow) (Exclusions, error) {
	var exclusions Exclusions
	var caseID domain.ID
	var duties, covered []string
	var people, reviews []domain.ID
	err := row.Scan(&caseID, &exclusions.Interested, &exclusions.Conflicted, &duties, &people,
		&reviews, &covered)
	for i := range duties {
		exclusions.Votes = append(exclusions.Votes, domain.Vote{CaseID: caseID, Duty: duties[i],
			Person: people[i], ReviewID: reviews[i], Covered: covered[i]})
	}
	return exclusions, err
}

// ExclusionsOfCases reads the exclusions of several cases in one statement. Of each case only ID
// and Parties are used.
func (r Reader) ExclusionsOfCases(ctx context.Context,
	cases []domain.Case) (map[domain.ID]Exclusions, error) {
	ids, parties := make([]domain.ID, 0, len(cases)), make([]string, 0, len(cases))
	for _, c := range cases {
		ids, parties = append(ids, c.ID), append(parties, idArray(c.Parties()))
	}
	all := make(map[domain.ID]Exclusions, len(cases))
	rows, err := r.q.Query(ctx, `SELECT w.case_id,
		ARRAY(SELECT DISTINCT person FROM case_interests WHERE case_id = w.case_id),
		ARRAY(SELECT DISTINCT k.person FROM conflicts k JOIN parties kp ON kp.id = k.party_id
		JOIN parties op ON op.group_id = kp.group_id
			WHERE k.ended_at IS NULL AND op.id = ANY(w.parties::uuid[])),
		ARRAY(SELECT duty FROM votes WHERE case_id = w.case_id ORDER BY duty, person),
		ARRAY(SELECT person FROM votes WHERE case_id = w.case_id ORDER BY duty, person),
		ARRAY(SELECT review_id FROM votes WHERE case_id = w.case_id ORDER BY duty, person)
		FROM unnest($1::uuid[], $2::text[]) AS w (case_id, parties)`, ids, parties)
	if err != nil {
		return nil, translate(err, "exclusions")
	}
	var id domain.ID
	var duties []string
	var interested, conflicted, people, reviews []domain.ID
	_, err = pgx.ForEachRow(rows, []any{&id, &interested, &conflicted, &duties, &people, &reviews},
		func() error {
			exclusions := Exclusions{Interested: interested, Conflicted: conflicted}
			for i := range duties {
				exclusions.Votes = append(exclusions.Votes, domain.Vote{CaseID: id, Duty: duties[i],
					Person: people[i], ReviewID: reviews[i]})
			}
			all[id] = exclusions
			// the next row needs new slices
			interested, conflicted, duties, people, reviews = nil, nil, nil, nil, nil
			return nil
		})
	return all, translate(err, "exclusions")
}
