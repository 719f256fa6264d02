package views

import (
	"context"
	"errors"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/workflow"
)

// TriedCase is a made-up case. It has no reviews, files or parties.
type TriedCase struct {
	Amount       *domain.Money // nil if it is unknown
	Country      string
	DocumentType string
	Channel      domain.Channel
	Risk         int               // 0 to 100
	Fields       map[string]string // normalised values of the document
	Findings     []domain.Finding  // with rule and severity
	Unsure       []string          // key fields whose values are not certain
	Attributes   []domain.StatedAttribute
	// Supporting says that the case has supporting documents, which no person has seen at its start.
	Supporting bool
}

// ProcessTrial is the route of a made-up case.
type ProcessTrial struct {
	workflow.Route
	// Problem is why the case has no complete route, and ProblemNode where it stops.
	Problem, ProblemNode string
}

// TryProcess simulates a made-up case on a definition: every stage succeeds and every review approves.
// It reads the exchange rate of the amount and nothing else.
func (v *Views) TryProcess(ctx context.Context, actor domain.Actor, document string, tried TriedCase,
	now time.Time) (ProcessTrial, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActPublish)
	if err != nil {
		return ProcessTrial{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish); err != nil {
		return ProcessTrial{}, err
	}
	if tried.Risk < 0 || tried.Risk > 100 {
		return ProcessTrial{}, domain.Invalid("risk", "The risk is between 0 and 100.")
	}
	def, err := v.parseProposed(ctx, document)
	if err != nil {
		return ProcessTrial{}, err
	}
	facts, err := v.triedFacts(ctx, def, tried, now)
	if err != nil {
		return ProcessTrial{}, err
	}
	trial := ProcessTrial{}
	trial.Route, err = workflow.Simulate(def, facts, workflow.Past{})
	if failure := (*domain.Error)(nil); errors.As(err, &failure) {
		trial.Problem, trial.ProblemNode = failure.Message, failure.Detail["node"]
		return trial, nil
	}
	return trial, err
}

// triedFacts returns what guards of the process can use of the case. The amount at risk is its absolute
// value at the present rate.
func (v *Views) triedFacts(ctx context.Context, def *workflow.Definition, tried TriedCase,
	now time.Time) (domain.ProcessFacts, error) {
	facts := domain.ProcessFacts{Country: tried.Country, DocumentType: tried.DocumentType,
		Channel: tried.Channel, Risk: tried.Risk, Fields: tried.Fields, Findings: tried.Findings,
		UnsureFields: tried.Unsure, Unseen: tried.Supporting}
	if tried.Supporting && len(def.Documents) == 0 {
		return facts, domain.Invalid("supportingDocuments", "The process has no supporting documents.")
	}
	attributes, err := domain.ParseAttributes(def.Attributes, tried.Attributes)
	if err != nil {
		return facts, err
	}
	facts.Attributes = domain.AttributeFacts(def.Attributes, attributes)
	if tried.Amount != nil {
		rate, err := v.reader.RateAt(ctx, tried.Amount.Currency, now)
		if err != nil {
			return facts, err
		}
		facts.Amount, facts.AmountKnown, facts.Currency = *tried.Amount, true, tried.Amount.Currency
		facts.BaseMinor = max(tried.Amount.ToBase(rate.Micros), -tried.Amount.ToBase(rate.Micros))
	}
	for _, fact := range def.Needs {
		if !tried.states(fact) {
			facts.Missing, facts.Unstated = append(facts.Missing, fact), append(facts.Unstated, fact)
		}
	}
	return facts, nil
}

// states reports whether the case has a fact, or does not need it: an account is needed where accounts
// have an IBAN.
func (c TriedCase) states(fact string) bool {
	switch field := domain.FieldOfFact(fact); field {
	case domain.FieldTotal, domain.FieldCurrency:
		return c.Amount != nil
	case domain.FieldCountry:
		return c.Country != ""
	case domain.FieldIBAN:
		return c.Fields[field] != "" || country.IBANLength(c.Country) == 0
	default:
		return c.Fields[field] != ""
	}
}
