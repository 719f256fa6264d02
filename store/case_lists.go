package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// CaseSort is the order of a list of cases.
type CaseSort string

// The orders. Ties are ordered by the time of submission.
const (
	CasesNewest        CaseSort = "newest"
	CasesOldest        CaseSort = "oldest"
	CasesAmountHighest CaseSort = "amount_highest" // the amount at risk in the base currency
	CasesAmountLowest  CaseSort = "amount_lowest"
	CasesRiskHighest   CaseSort = "risk_highest"
	CasesRiskLowest    CaseSort = "risk_lowest"
	CasesDeadline      CaseSort = "deadline" // of their undecided reviews; cases without one are left out
)

// CaseQuery selects cases among those that the policy admits. Zero values do not filter.
type CaseQuery struct {
	Statuses     []domain.Status
	Process      string // key
	Text         string // part of the reference, counterparty or document number
	DocumentType string
	OneOfTypes   []string // only these document types; nil means any
	NoneOfTypes  []string // not these
	Counterparty string   // part of its name
	Submitter    domain.ID
	Channel      domain.Channel
	IDs          []domain.ID // only these cases; nil means any
	From, To     time.Time   // of the submission; To is exclusive
	// Currency, MinMinor and MaxMinor select an amount, or an amount at risk, in that currency.
	Currency           string
	MinMinor, MaxMinor *int64
	MinRisk, MaxRisk   *int
	Queue              string // of an undecided review
	Rule               string // of a finding
	Sort               CaseSort
	After              *CaseCursor
	Limit              int
	// Brief reads only briefColumns; the other members of the cases are zero.
	Brief bool
	// Work is of which cases the viewer sees risk, findings and reviews.
	Work WorkVisibility
}

// WorkVisibility is of which cases a viewer sees the review work: risk, findings and reviews. Queries
// about the work admit only these cases, because a filter that matches says what the case does not show.
type WorkVisibility struct {
	Viewer       domain.ID
	SeesOwn      bool     // also of cases that the viewer submitted
	Confidential []string // processes with confidential reviews
	Cleared      bool     // sees them, except on cases that the viewer submitted
	Queues       []string // those whose reviews the viewer sees in all processes
}

// CaseCursor continues a list of cases: the sort key of its last case.
type CaseCursor struct {
	Key int64
	ID  domain.ID
}

// SortedCase is a case of a list, with its sort key.
type SortedCase struct {
	domain.Case
	Key int64
}

// caseOrder is how an order is read: the sort key, as SQL of type bigint, and the direction.
type caseOrder struct {
	key        string
	descending bool
	work       bool // the key is a part of the review work
}

// dueMicros is the earliest deadline of the reviews d of a case: the next one of each review.
const dueMicros = "d.due"

var caseOrders = map[CaseSort]caseOrder{
	CasesNewest:        {"", true, false},
	CasesOldest:        {"", false, false},
	CasesAmountHighest: {"c.base_minor", true, false},
	CasesAmountLowest:  {"c.base_minor", false, false},
	CasesRiskHighest:   {"c.risk", true, true},
	CasesRiskLowest:    {"c.risk", false, true},
	CasesDeadline:      {dueMicros, false, true},
}

// reviewsDue are the cases with undecided reviews and their next deadlines, in microseconds.
const reviewsDue = `(SELECT r.case_id, min((extract(epoch FROM CASE WHEN r.status = 'claimed'
	THEN r.decide_by ELSE least(r.claim_by, r.decide_by) END) * 1000000)::bigint) AS due
	FROM reviews r WHERE ` + undecidedReview + ` GROUP BY r.case_id) d JOIN `

// CaseList reads the cases that the filter admits, in the order of the query.
func (r Reader) CaseList(ctx context.Context, filter domain.Filter, query CaseQuery) (
	[]domain.Case, error) {
	sorted, err := r.SortedCases(ctx, filter, query)
	cases := make([]domain.Case, 0, len(sorted))
	for i := range sorted {
		cases = append(cases, sorted[i].Case)
	}
	return cases, err
}

// SortedCases is CaseList with the sort keys of the cases.
func (r Reader) SortedCases(ctx context.Context, filter domain.Filter, query CaseQuery) (
	[]SortedCase, error) {
	order, known := caseOrders[query.Sort]
	if !known && query.Sort != "" {
		return nil, fmt.Errorf("store: unknown order of cases %q", query.Sort)
	}
	if !known {
		order = caseOrders[CasesNewest]
	}
	rights := newCaseRenderer(nil)
	if order.key == "" && order.descending {
		rights.first = sync.OnceValue(func() string { return query.firstRows(rights) })
	}
	where, err := rights.render(filter)
	if err != nil {
		return nil, err
	}
	s := &searchText{args: rights.args}
	s.conditions = append(s.conditions, where)
	query.conditions(s, order)
	from, key := "cases c", order.key
	switch key {
	case "":
		key = "0"
	case dueMicros:
		from = reviewsDue + "cases c ON c.id = d.case_id"
	}
	direction, by := "", "c.id"
	if order.descending {
		direction = " DESC"
	}
	if order.key != "" {
		by = order.key + direction + ", c.id"
	}
	columns, scan := caseColumns, scanSortedCase
	if query.Brief {
		columns, scan = briefColumns, scanBriefCase
	}
	return queryUpTo(ctx, r.q, query.Limit, "cases", `SELECT `+columns+`, (`+key+`)::bigint FROM `+from+`
		WHERE `+strings.Join(s.conditions, " AND ")+` ORDER BY `+by+direction+` LIMIT `+
		strconv.Itoa(query.Limit), scan, s.args...)
}

// briefColumns are what a list shows of a case without other reads, and what decides whether a viewer sees
// it. They are read in the order of scanBriefCase.
const briefColumns = `c.id, c.reference, c.process_key, c.process_version, c.document_type,
	c.document_type_version, c.channel, c.counterparty, c.country, c.amount_minor, c.currency, c.amount_known,
	c.declared_minor, c.declared_currency, c.status, c.submitter, c.facts_revision, c.created_at`

func scanBriefCase(row pgx.CollectableRow) (SortedCase, error) {
	var c SortedCase
	err := row.Scan(&c.ID, &c.Reference, &c.ProcessKey, &c.ProcessVersion, &c.DocumentType,
		&c.DocumentTypeVersion, &c.Channel, &c.Counterparty, &c.Country, &c.Amount.Minor, &c.Amount.Currency,
		&c.AmountKnown, &c.DeclaredAmount.Minor, &c.DeclaredAmount.Currency, &c.Status, &c.Submitter,
		&c.FactsRevision, &c.CreatedAt, &c.Key)
	c.CreatedAt = c.CreatedAt.UTC()
	return c, err
}

// firstRows is SQL that is true of the first cases of a list of the newest: four pages, because some are
// left out.
func (q *CaseQuery) firstRows(rights *filterRenderer) string {
	after := ""
	if q.After != nil {
		after = " WHERE f.id < " + rights.arg(q.After.ID)
	}
	return "c.id >= (SELECT f.id FROM cases f" + after + " ORDER BY f.id DESC OFFSET " +
		strconv.Itoa(4*q.Limit) + " LIMIT 1)"
}

func scanSortedCase(row pgx.CollectableRow) (SortedCase, error) {
	var c SortedCase
	var marking []byte
	if err := row.Scan(caseTargets(&c.Case, &marking, &c.Key)...); err != nil {
		return c, err
	}
	return c, finishCase(&c.Case, marking)
}

// conditions adds the conditions of the query.
func (q *CaseQuery) conditions(s *searchText, order caseOrder) {
	statuses := make([]string, 0, len(q.Statuses))
	for _, status := range q.Statuses {
		statuses = append(statuses, string(status))
	}
	s.addIf(len(statuses) > 0, `c.status = ANY(%s::text[])`, statuses)
	s.addIf(q.Process != "", `c.process_key = %s`, q.Process)
	s.addIf(q.DocumentType != "", `c.document_type = %s`, q.DocumentType)
	s.addIf(q.OneOfTypes != nil, `c.document_type = ANY(%s::text[])`, q.OneOfTypes)
	s.addIf(len(q.NoneOfTypes) > 0, `c.document_type <> ALL(%s::text[])`, q.NoneOfTypes)
	s.addIf(q.Channel != "", `c.channel = %s`, q.Channel)
	s.addIf(q.Submitter != domain.NoID, `c.submitter = %s`, q.Submitter)
	s.addIf(q.IDs != nil, `c.id = ANY(%s::uuid[])`, q.IDs)
	s.addIf(!q.From.IsZero(), `c.created_at >= %s`, q.From)
	s.addIf(!q.To.IsZero(), `c.created_at < %s`, q.To)
	s.addIf(q.Text != "", `strpos(lower(c.reference || ' ' || c.counterparty || ' ' ||
		c.document_number), lower(%s)) > 0`, q.Text)
	s.addIf(q.Counterparty != "", `strpos(lower(c.counterparty), lower(%s)) > 0`, q.Counterparty)
	q.amountConditions(s)
	q.workConditions(s, order)
	if q.After == nil {
		return
	}
	than := ">"
	if order.descending {
		than = "<"
	}
	if order.key == "" {
		s.add(`c.id `+than+` %s`, q.After.ID)
	} else {
		s.add(`(`+order.key+`, c.id) `+than+` (%s::bigint, %s)`, q.After.Key, q.After.ID)
	}
}

// amountConditions compare the amount in force and the amount at risk.
func (q *CaseQuery) amountConditions(s *searchText) {
	if q.Currency == "" {
		return
	}
	minimum, maximum := int64(math.MinInt64), int64(math.MaxInt64)
	if q.MinMinor != nil {
		minimum = *q.MinMinor
	}
	if q.MaxMinor != nil {
		maximum = *q.MaxMinor
	}
	s.add(`(c.amount_known AND c.currency = %s AND c.amount_minor BETWEEN %s AND %s
		OR c.risk_currency = %s AND c.risk_minor BETWEEN %s AND %s)`, q.Currency, minimum, maximum,
		q.Currency, minimum, maximum)
}

// workConditions compare what only some viewers see of a case.
func (q *CaseQuery) workConditions(s *searchText, order caseOrder) {
	v := q.Work
	asksQueue, asksMore := q.Queue != "", q.Rule != "" || q.MinRisk != nil || q.MaxRisk != nil || order.work
	s.addIf((asksQueue || asksMore) && !v.SeesOwn, `c.submitter <> %s`, v.Viewer)
	if asksMore || asksQueue && !slices.Contains(v.Queues, q.Queue) {
		s.addIf(!v.Cleared, `c.process_key <> ALL(%s::text[])`, v.Confidential)
		s.addIf(v.Cleared && v.SeesOwn, `(c.process_key <> ALL(%s::text[]) OR c.submitter <> %s)`,
			v.Confidential, v.Viewer)
	}
	s.addIf(q.MinRisk != nil, `c.risk >= %s`, q.MinRisk)
	s.addIf(q.MaxRisk != nil, `c.risk <= %s`, q.MaxRisk)
	s.addIf(asksQueue, `EXISTS (SELECT FROM reviews r WHERE r.case_id = c.id AND r.queue = %s AND `+
		undecidedReview+`)`, q.Queue)
	s.addIf(q.Rule != "", `EXISTS (SELECT FROM findings f WHERE f.case_id = c.id AND f.rule = %s)`, q.Rule)
}
