package views

import (
	"cmp"
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/facts"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// pastCase is a case as it was, and as the viewer may see it.
type pastCase struct {
	CaseView
	facts      domain.ProcessFacts
	history    facts.History // only if the change needs other facts
	input      rules.Input   // only if a rule set is rehearsed, as are the overrides
	overrides  []domain.FindingOverride
	record     []recordedReview // decided reviews in the order of their decisions; none if redacted
	undecided  []domain.Review
	exclusions store.Exclusions
}

// recordedReview is a decided review.
type recordedReview struct {
	domain.Review
	verdict domain.Verdict
}

// readAll returns the function that rehearses all cases, page by page.
func (r *rehearsal) readAll(ctx context.Context) func(store.Snapshots) error {
	return func(snapshots store.Snapshots) error {
		timed, cancel := context.WithTimeout(ctx, maxRehearsalTime)
		defer cancel()
		var open, closed []domain.Status
		for _, status := range domain.Statuses() {
			if status.Final() {
				closed = append(closed, status)
			} else {
				open = append(open, status)
			}
		}
		err := r.readCases(ctx, timed, snapshots, store.CaseQuery{Statuses: closed}, r.query.Closed)
		if err == nil && r.query.Open {
			err = r.readCases(ctx, timed, snapshots, store.CaseQuery{Statuses: open}, -1)
		}
		return err
	}
}

// readCases rehearses the newest cases of a query, up to a number; a negative number means all. It stops
// early when timed ends.
func (r *rehearsal) readCases(ctx, timed context.Context, snapshots store.Snapshots,
	query store.CaseQuery, limit int) error {
	query.Process = r.query.Process
	if r.rules != nil {
		query.OneOfTypes, query.NoneOfTypes = r.rules.oneOf, r.rules.noneOf
	}
	for limit != 0 {
		if timed.Err() != nil {
			r.found.Complete = false
			return ctx.Err()
		}
		if query.Limit = rehearsalPage; limit > 0 {
			query.Limit = min(limit, rehearsalPage)
		}
		read, began := 0, domain.SystemClock{}.Now()
		err := snapshots.Read(ctx, maxRehearsalStatement, func(reader store.Reader) error {
			cases, err := reader.CaseList(ctx, domain.Constant(true), query)
			if err != nil || len(cases) == 0 {
				return err
			}
			read = len(cases)
			query.After = &store.CaseCursor{ID: cases[read-1].ID}
			return r.rehearsePage(ctx, reader, cases)
		})
		if err != nil || read < query.Limit {
			return err
		}
		limit -= read
		select {
		case <-time.After(r.pause(domain.SystemClock{}.Now().Sub(began))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pause returns how long to rest after a page that took so long.
func (r *rehearsal) pause(took time.Duration) time.Duration {
	rest := max(took, rehearsalPause)
	if r.rested+rest > restTime {
		return rehearsalPause
	}
	r.rested += rest
	return rest
}

// rehearsePage rehearses the cases of which the viewer may see the review work, and counts the others. What
// is rehearsed never depends on the change, so that no change is a question about the other cases.
func (r *rehearsal) rehearsePage(ctx context.Context, reader store.Reader, all []domain.Case) error {
	ids := make([]domain.ID, 0, len(all))
	for _, c := range all {
		if c.ErasedAt.IsZero() {
			ids = append(ids, c.ID)
		}
	}
	r.found.Erased += len(all) - len(ids)
	if len(ids) == 0 {
		return nil
	}
	readable, err := reader.CaseList(ctx, r.filter, store.CaseQuery{IDs: ids, Limit: len(ids)})
	if err != nil {
		return err
	}
	readable = slices.DeleteFunc(readable, func(c domain.Case) bool {
		return AudienceOn(r.viewer.user, c) != domain.AudienceStaff
	})
	if readable, err = r.openToRules(ctx, readable); err != nil {
		return err
	}
	r.found.Hidden += len(ids) - len(readable)
	past, err := r.pastCases(ctx, reader, readable)
	if err != nil {
		return err
	}
	for i := range past {
		if err := r.rehearse(ctx, &past[i]); err != nil {
			return err
		}
	}
	return nil
}

// openToRules leaves out cases of processes with confidential reviews that the viewer may not see, if a rule
// set is rehearsed: a rule of their own could ask for any value of such a case.
func (r *rehearsal) openToRules(ctx context.Context, cases []domain.Case) ([]domain.Case, error) {
	if r.rules == nil {
		return cases, nil
	}
	var open []domain.Case
	for _, c := range cases {
		view, err := r.shown.Case(ctx, c)
		if err != nil {
			return nil, err
		}
		if !view.Redacted {
			open = append(open, c)
		}
	}
	return open, nil
}

// pastCases reads everything about the cases that a simulation needs. Of a case with confidential
// reviews that the viewer may not see, only what the viewer sees is used: no verdict, no reviewer and no
// person who acted on it, because each could tell that the case is in such a review.
func (r *rehearsal) pastCases(ctx context.Context, reader store.Reader, cases []domain.Case) (
	[]pastCase, error) {
	if len(cases) == 0 {
		return nil, nil
	}
	past, seen := make([]pastCase, len(cases)), make([]domain.Case, len(cases))
	ids := make([]domain.ID, len(cases))
	for i, c := range cases {
		view, err := r.shown.Case(ctx, c)
		if err != nil {
			return nil, err
		}
		if view.Redacted {
			view.Part = domain.CasePart{}
			r.found.Simplified++
		}
		past[i].CaseView, seen[i], ids[i] = view, view.Case, c.ID
	}
	all, err := r.views.processFacts(ctx, reader, seen)
	if err != nil {
		return nil, err
	}
	exclusions, err := reader.ExclusionsOfCases(ctx, seen)
	if err != nil {
		return nil, err
	}
	record, pending, hidden, err := recordOf(ctx, reader, ids)
	if err != nil {
		return nil, err
	}
	histories, err := r.histories(ctx, reader, ids)
	if err != nil {
		return nil, err
	}
	documented, err := reader.WithSupporting(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range past {
		p := &past[i]
		p.facts, p.history = all[p.ID], histories[p.ID]
		p.facts.Unseen = slices.Contains(documented, p.ID)
		p.facts.Findings = p.CaseView.Findings(p.facts.Findings)
		p.facts.Risk = p.VisibleRisk(p.facts.Findings)
		p.exclusions.Conflicted = exclusions[p.ID].Conflicted
		if p.Redacted {
			p.history = slices.DeleteFunc(p.history, func(set domain.AssertionSet) bool {
				return set.Source == domain.SourceHuman && set.By != p.Submitter
			})
			continue
		}
		p.exclusions.Interested = exclusions[p.ID].Interested
		p.record, p.undecided = record[p.ID], pending[p.ID]
		if hidden[p.ID] {
			r.found.HiddenVotes++
		}
	}
	return past, r.loadRuleInputs(ctx, reader, past, ids)
}

// recordOf reads the decided and the undecided reviews of cases, and which have hidden votes. These are in
// neither list: a simulation approves their seats, whatever the votes are.
func recordOf(ctx context.Context, reader store.Reader, ids []domain.ID) (
	record map[domain.ID][]recordedReview, pending map[domain.ID][]domain.Review,
	hidden map[domain.ID]bool, err error) {
	reviews, err := reader.ReviewsOf(ctx, ids...)
	if err != nil {
		return nil, nil, nil, err
	}
	decisions, err := reader.Decisions(ctx, ids...)
	if err != nil {
		return nil, nil, nil, err
	}
	verdicts := map[domain.ID]domain.Verdict{}
	for _, decision := range decisions {
		verdicts[decision.ReviewID] = decision.Verdict
	}
	record, pending, hidden = map[domain.ID][]recordedReview{}, map[domain.ID][]domain.Review{},
		map[domain.ID]bool{}
	for _, review := range reviews {
		hidden[review.CaseID] = hidden[review.CaseID] || review.VoteHidden
		if undecided(review) {
			pending[review.CaseID] = append(pending[review.CaseID], review)
		}
		if verdict, ok := verdicts[review.ID]; ok && review.Status == domain.ReviewDecided {
			record[review.CaseID] = append(record[review.CaseID], recordedReview{review, verdict})
		}
	}
	for _, decided := range record {
		slices.SortStableFunc(decided, func(a, b recordedReview) int {
			return cmp.Or(a.DecidedAt.Compare(b.DecidedAt), cmp.Compare(a.Seat, b.Seat))
		})
	}
	return record, pending, hidden, nil
}

// histories reads what was asserted about the cases if the changed process needs facts.
func (r *rehearsal) histories(ctx context.Context, reader store.Reader, ids []domain.ID) (
	map[domain.ID]facts.History, error) {
	histories := map[domain.ID]facts.History{}
	if r.def == nil || len(r.def.Needs) == 0 {
		return histories, nil
	}
	sets, err := reader.Assertions(ctx, ids...)
	for _, set := range sets {
		histories[set.CaseID] = append(histories[set.CaseID], set)
	}
	return histories, err
}

// past returns the decisions that a simulation repeats.
func (p *pastCase) past() workflow.Past {
	past := workflow.Past{}
	for _, review := range p.record {
		past.Decisions = append(past.Decisions, workflow.PastDecision{Node: review.Node,
			Duty: review.Duty, Queue: review.Queue, Verdict: review.verdict})
		if review.verdict == domain.Return {
			past.Resubmitted++
		}
	}
	unanswered := p.Status == domain.Returned || p.Status == domain.Abandoned
	if last := len(p.record) - 1; unanswered && last >= 0 && p.record[last].verdict == domain.Return {
		past.Resubmitted--
	}
	return past
}

// factsFor returns the facts of the case for a definition that may need others than its own, and which
// it lacks that its own definition does not need.
func (p *pastCase) factsFor(old, def *workflow.Definition) (domain.ProcessFacts, []string) {
	found := p.facts
	found.Attributes = domain.AttributeFacts(def.Attributes, p.Attributes)
	if def == old || slices.Equal(def.Needs, old.Needs) {
		return found, nil
	}
	found.Missing, found.Unstated = facts.Missing(p.history, def.Needs, p.Submitter,
		func(code string) bool { return country.IBANLength(code) > 0 })
	lacks := slices.DeleteFunc(slices.Clone(found.Missing), func(fact string) bool {
		return slices.Contains(p.facts.Missing, fact)
	})
	return found, lacks
}

// processFacts reads the facts that guards of a process may use, in two statements for all cases: all
// except the attributes of the submission, which depend on the definition.
func (v *Views) processFacts(ctx context.Context, reader store.Reader, cases []domain.Case) (
	map[domain.ID]domain.ProcessFacts, error) {
	ids := make([]domain.ID, 0, len(cases))
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	read, err := reader.Fields(ctx, ids...)
	if err != nil {
		return nil, err
	}
	fields := map[domain.ID][]domain.Field{}
	for _, field := range read {
		fields[field.CaseID] = append(fields[field.CaseID], field.Field)
	}
	findings, err := reader.Findings(ctx, ids...)
	if err != nil {
		return nil, err
	}
	found := map[domain.ID][]domain.Finding{}
	for _, finding := range findings {
		found[finding.CaseID] = append(found[finding.CaseID], finding.Finding)
	}
	facts := make(map[domain.ID]domain.ProcessFacts, len(cases))
	for _, c := range cases {
		kind, err := v.DocumentTypeOf(ctx, c)
		if err != nil {
			return nil, err
		}
		of := domain.ProcessFacts{Amount: c.Amount, AmountKnown: c.AmountKnown,
			BaseMinor: c.BaseMinor, Currency: c.Amount.Currency, Country: c.Country,
			OtherCountries: c.OtherCountries, AtRisk: c.AtRisk,
			DocumentType: c.DocumentType, Channel: c.Channel, Risk: c.Risk, Missing: c.Missing,
			Unstated: c.Unstated, Findings: found[c.ID], KeptReviews: c.Part.Nodes()}
		of.AddFields(fields[c.ID])
		of.UnsureFields = rules.Unsure(kind, fields[c.ID], c.DeclaredAmount, c.DifferingFields)
		if c.Marking.Visits[workflow.Returned] > 0 || c.Part.IsPart() {
			of.UnsureFields = rules.DecisiveFields(kind)
		}
		facts[c.ID] = of
	}
	return facts, nil
}
