package main

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/facts"
)

// outcome is what became of the case of a document.
type outcome struct {
	status      domain.Status
	mostAtRisk  int64 // amount at risk in the base currency, its maximum
	queues      []string
	findings    []string // about duplicates, as they were before people answered them
	rules       []string // warnings and blocking findings, the same
	says        []string // what these state
	corrections []correction
	acted       []domain.ID
	alone       bool // archived without a person
	wrong       []string
	refusals    []string
	stuck       string
}

// correction is a value that a person set.
type correction struct {
	field string
	needs facts.NeedsSecondPerson
}

func (o *outcome) see(record domain.Case) {
	o.status = record.Status
	o.mostAtRisk = max(o.mostAtRisk, record.BaseMinor)
}

// opened notes the queues of the reviews.
func (o *outcome) opened(reviews []domain.Review) {
	for _, review := range reviews {
		if !slices.Contains(o.queues, review.Queue) {
			o.queues = append(o.queues, review.Queue)
		}
	}
}

// judge notes what the rules made of a document before people saw it.
func (o *outcome) judge(ctx context.Context, w *world, d *document) error {
	record, err := w.db.Reader().Case(ctx, d.caseID)
	if err != nil {
		return err
	}
	o.see(record)
	findings, err := w.db.Reader().Findings(ctx, d.caseID)
	if err != nil {
		return err
	}
	for _, finding := range findings {
		switch finding.Rule {
		case "duplicate_number", "duplicate_bytes", "duplicate_similar_number", "duplicate_content",
			"duplicate_image":
			o.findings = append(o.findings, finding.Rule)
		}
		if finding.Severity != domain.SeverityInfo {
			o.rules = append(o.rules, finding.Rule)
			o.says = append(o.says, finding.Message)
		}
	}
	reviews, err := w.db.Reader().ReviewsOf(ctx, d.caseID)
	if err != nil || len(reviews) > 0 || record.Status != domain.Archived {
		o.opened(reviews)
		return err
	}
	o.alone = true
	values, err := w.values(ctx, d.caseID)
	if err != nil {
		return err
	}
	if d.ordered { // the order is paid, whatever its evidence states
		values[domain.FieldTotal], values[domain.FieldCurrency] = record.Amount.Decimal(),
			record.Amount.Currency
	}
	values[domain.FieldVendor] = record.Counterparty
	for _, field := range d.wrong(values) {
		if field != domain.FieldNumber && field != domain.FieldDate {
			o.wrong = append(o.wrong, field)
		}
	}
	if d.duplicateOf != nil && d.duplicateOf.outcome.status != domain.Rejected {
		o.wrong = append(o.wrong, "duplicate")
	}
	return nil
}

// countCorrections notes the values that a person has just set, and for which of them a second person
// is needed.
func (o *outcome) countCorrections(
	ctx context.Context, w *world, id domain.ID, by domain.Actor,
) error {
	sets, err := w.db.Reader().Assertions(ctx, id)
	if err != nil {
		return err
	}
	last := slices.IndexFunc(sets, func(set domain.AssertionSet) bool {
		return set.Source == domain.SourceHuman && set.Revision == newestRevision(sets)
	})
	if last < 0 || sets[last].By != by.UserID {
		return nil
	}
	for _, a := range sets[last].Assertions {
		// A total and its currency are one correction.
		if a.Field == domain.FieldCurrency && slices.ContainsFunc(sets[last].Assertions,
			func(b domain.Assertion) bool { return b.Field == domain.FieldTotal }) {
			continue
		}
		// Who confirms what another person set is that second person.
		if slices.ContainsFunc(o.corrections,
			func(c correction) bool { return c.field == a.Field && c.needs != "" }) {
			continue
		}
		o.corrections = append(o.corrections,
			correction{field: a.Field, needs: facts.NeedsSecondPerson(a.Pending)})
	}
	return nil
}

func newestRevision(sets []domain.AssertionSet) int64 {
	var newest int64
	for _, set := range sets {
		newest = max(newest, set.Revision)
	}
	return newest
}

// limits of the levels in minor units of the base currency, as they are built in.
const (
	limitL1, limitSenior, limitTransfer = 50_000_000, 200_000_000, 100_000_000
)

// level is who has to decide: 1 a reviewer, 2 a senior, 3 a manager.
func level(d *document, baseMinor int64) int {
	switch {
	case d.ordered && baseMinor > limitTransfer, baseMinor > limitSenior:
		return 3
	case baseMinor > limitL1:
		return 2
	}
	return 1
}

// base is the true amount in the base currency.
func (d *document) base() int64 {
	amount := d.amount
	amount.Minor = max(amount.Minor, -amount.Minor)
	return amount.ToBase(rates[amount.Currency])
}

// risky reports whether the truth demands the review of anti-money laundering.
func (d *document) risky() bool { return d.payee.country == "IR" || d.payee.country == "MM" }

// aboveLevel reports whether the case was sent to other people than the truth demands.
func (d *document) aboveLevel() bool {
	return level(d, d.outcome.mostAtRisk) > level(d, d.base()) ||
		slices.Contains(d.outcome.queues, domain.QueueL2) && level(d, d.base()) < 3 || d.toAML()
}

// toAML reports whether a case without risk of its country went to anti-money laundering.
func (d *document) toAML() bool {
	return slices.Contains(d.outcome.queues, domain.QueueAML) && !d.risky()
}
