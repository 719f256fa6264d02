package views

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// CaseSort is the order of a list of cases; "" is CasesNewest.
type CaseSort string

// The orders, as store documents them.
const (
	CasesNewest        = CaseSort(store.CasesNewest)
	CasesOldest        = CaseSort(store.CasesOldest)
	CasesAmountHighest = CaseSort(store.CasesAmountHighest)
	CasesAmountLowest  = CaseSort(store.CasesAmountLowest)
	CasesRiskHighest   = CaseSort(store.CasesRiskHighest)
	CasesRiskLowest    = CaseSort(store.CasesRiskLowest)
	CasesDeadline      = CaseSort(store.CasesDeadline)
)

// CaseQuery narrows a list of cases further than the policy does. Zero values do not filter.
type CaseQuery struct {
	Statuses     []domain.Status
	Process      string // key
	Text         string // part of the reference, counterparty or document number
	DocumentType string
	Counterparty string // part of its name
	Submitter    domain.ID
	Channel      domain.Channel
	IDs          []domain.ID // only these cases; nil means any
	From, To     time.Time   // of the submission; To is exclusive
	// Currency, MinMinor and MaxMinor select an amount, or an amount at risk, in that currency.
	Currency           string
	MinMinor, MaxMinor *int64
	// The following are about the review work. They admit only cases whose work the viewer sees
	// completely, and are refused to viewers who see none.
	MinRisk, MaxRisk *int
	Queue            string // of an undecided review
	Rule             string // of a finding
	Sort             CaseSort
	After            *CaseCursor
	Limit            int
	// Brief says that only what a list shows of a case without other reads is wanted; the rest of each case
	// is zero.
	Brief bool
}

// CaseCursor is the sort key of the last case of a page.
type CaseCursor struct {
	Key int64
	ID  domain.ID
}

// asksWork reports whether the query is about the review work: risk, findings, reviews or deadlines.
func (q *CaseQuery) asksWork() bool {
	byWork := []CaseSort{CasesRiskHighest, CasesRiskLowest, CasesDeadline}
	return q.MinRisk != nil || q.MaxRisk != nil || q.Queue != "" || q.Rule != "" ||
		slices.Contains(byWork, q.Sort)
}

func (q *CaseQuery) forStore(work store.WorkVisibility, limit int) store.CaseQuery {
	return store.CaseQuery{Statuses: q.Statuses, Process: q.Process, Text: q.Text,
		DocumentType: q.DocumentType, Counterparty: q.Counterparty, Submitter: q.Submitter,
		Channel: q.Channel, IDs: q.IDs, From: q.From, To: q.To, Currency: q.Currency, MinMinor: q.MinMinor,
		MaxMinor: q.MaxMinor, MinRisk: q.MinRisk, MaxRisk: q.MaxRisk, Queue: q.Queue, Rule: q.Rule,
		Sort: store.CaseSort(q.Sort), After: (*store.CaseCursor)(q.After), Limit: limit,
		Brief: q.Brief, Work: work}
}

// Cursor returns the cursor of the cases after this page, nil for an empty one.
func (p *CasePage) Cursor() *CaseCursor {
	if len(p.Cursors) == 0 {
		return nil
	}
	return &p.Cursors[len(p.Cursors)-1]
}

// CasePage is one page of cases.
type CasePage struct {
	Cases   []CaseView
	HasMore bool
	Cursors []CaseCursor // of the cases
}

// MaxPage limits every page.
const MaxPage = 100

func pageSize(first int) int { return min(max(first, 1), MaxPage) }

// Cases reads a page of the cases that the actor may read, in the order of the query.
func (v *Views) Cases(ctx context.Context, actor domain.Actor, query CaseQuery) (CasePage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return CasePage{}, err
	}
	filter, err := viewer.readFilter()
	if err != nil {
		return CasePage{}, err
	}
	shown := v.caseViewer(viewer)
	var work store.WorkVisibility
	if query.asksWork() {
		if work, err = shown.workVisibility(ctx); err != nil {
			return CasePage{}, err
		}
	}
	if err := v.checkSubmitter(ctx, actor, query.Submitter); err != nil {
		return CasePage{}, err
	}
	if err := v.checkDocumentType(ctx, query.DocumentType); err != nil {
		return CasePage{}, err
	}
	size := pageSize(query.Limit)
	cases, err := v.reader.SortedCases(ctx, filter, query.forStore(work, size+1))
	if err != nil {
		return CasePage{}, err
	}
	page := CasePage{HasMore: len(cases) > size, Cases: make([]CaseView, 0, len(cases)),
		Cursors: make([]CaseCursor, 0, len(cases))}
	for i := range cases[:min(len(cases), size)] {
		seen, err := shown.Case(ctx, cases[i].Case)
		if err != nil {
			return CasePage{}, err
		}
		page.Cases = append(page.Cases, seen)
		page.Cursors = append(page.Cursors, CaseCursor{Key: cases[i].Key, ID: cases[i].ID})
	}
	return page, nil
}

// workVisibility returns of which cases the viewer sees the review work, by the same rules as Case,
// Findings and Reviews. A case that shows only a part of it is not found by questions about it: an
// answer would say what is hidden.
func (viewer *CaseViewer) workVisibility(ctx context.Context) (work store.WorkVisibility, err error) {
	if audienceOf(viewer.user) != domain.AudienceStaff {
		return work, domain.Errorf(domain.NotPermitted,
			"You do not see risk, findings and reviews of cases.").
			WithRemedy("Remove these filters and this order.")
	}
	work = store.WorkVisibility{Viewer: viewer.user.ID, Cleared: viewer.clearance,
		SeesOwn: viewer.user.HasRole(domain.RoleAuditor) || viewer.user.HasRole(domain.RoleManager)}
	for _, queue := range viewer.queues {
		if !domain.ConfidentialQueue(queue) {
			work.Queues = append(work.Queues, queue)
		}
	}
	work.Confidential, err = viewer.views.confidentialProcesses(ctx, false)
	return work, err
}

// checkSubmitter refuses a submitter whose name the actor does not see, because the list would say
// what they submitted.
func (v *Views) checkSubmitter(ctx context.Context, actor domain.Actor, submitter domain.ID) error {
	if submitter == domain.NoID {
		return nil
	}
	seen, err := v.MaySeePerson(ctx, actor, submitter)
	if err == nil && !seen {
		err = domain.NewNotFound()
	}
	return err
}

// checkDocumentType refuses a document type that is not published, because an empty list would say that
// there is no case of it.
func (v *Views) checkDocumentType(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	version, err := v.reader.NewestDocumentType(ctx, key)
	if err == nil && version == 0 {
		err = domain.NoDocumentType("filter.documentType", key)
	}
	return err
}

// CaseByReference reads one case by its reference, in any letter case. It returns NotFound if the case
// is in no list of the actor. References can be counted through, unlike ids. A case of a party in
// conflict is therefore not found either, because it would tell that the party has a case.
func (v *Views) CaseByReference(ctx context.Context, actor domain.Actor, reference string) (
	CaseView, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return CaseView{}, err
	}
	id := domain.NewID()
	named, err := v.reader.CaseByReference(ctx, strings.ToUpper(strings.TrimSpace(reference)))
	if err == nil {
		id = named.ID
	} else if !domain.HasCode(err, domain.NotFound) {
		return CaseView{}, err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if domain.HasCode(err, domain.ConflictOfInterest) {
		err = domain.NewNotFound()
	}
	if err != nil {
		return CaseView{}, err
	}
	return v.caseViewer(viewer).Case(ctx, c)
}
