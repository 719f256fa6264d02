package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/reading/parsing"
	"countersign/workflow"
)

// Why a model was not asked, as outcomes of the stage beside those of a run.
const (
	modelUsed       = "used"        // an earlier answer to the same prompt was used
	modelOff        = "off"         // the installation has no model
	modelNotAllowed = "not_allowed" // documents of the type may not leave
	modelNoText     = "no_text"     // no page has words
	modelNoBudget   = "budget"      // the budget is used up
)

// parseWork is the state of the stage that asks a language model.
type parseWork struct {
	session *stageSession
	node    *workflow.Node
	request parsing.Request
	// images are those that are sent, with their part of the request and their record.
	images      []ModelImage
	sent        []parsing.Image
	imageRecord domain.ModelImages
	outcome     string
	failure     error           // with which the case continues
	run         domain.ModelRun // zero if the model was not asked
	answer      []byte

	read        []domain.AssertionSet // none if the answer states nothing
	fields      []domain.Field
	replaced    []domain.FieldSource
	filled      int
	suggestions int
	facts       keyFacts
	use         *domain.OrderUse
}

// newParseProcessor returns the processor that asks a language model for the fields. Its answer only
// adds: values that the page shows, as doubtful ones, and suggestions that count for nothing. Unless
// the process requires the model, the case continues without an answer.
func newParseProcessor(svc *Service) stageProcessor[*parseWork] {
	return stageProcessor[*parseWork]{dependsOnFacts: true,
		newWork: func(p *stageSession, node *workflow.Node) *parseWork {
			return &parseWork{session: p, node: node}
		},
		prepare: func(ctx context.Context, work *parseWork) error {
			if err := svc.loadPages(ctx, work.session); err != nil {
				return err
			}
			return svc.loadFieldsAndFindings(ctx, work.session)
		},
		execute: func(ctx context.Context, work *parseWork) error {
			kind, err := svc.documentType(ctx, svc.db.Reader(), work.session.record)
			if err != nil {
				return err
			}
			if err := work.ask(ctx, svc, kind); err != nil || work.answer == nil {
				return err
			}
			return work.apply(ctx, svc, kind)
		},
		save:    (*parseWork).save,
		summary: (*parseWork).summary,
	}
}

// proceed records why there is no answer. It returns the failure if the process requires the model.
func (work *parseWork) proceed(outcome string, failure error) error {
	work.outcome, work.failure = outcome, failure
	if work.node.Required {
		return failure
	}
	return nil
}

// apply finds the stated values on the pages, and computes the facts of the case with them. A stated
// currency without a rate stays a suggestion, with the amounts, because otherwise a text in a document
// could stop the case.
func (work *parseWork) apply(ctx context.Context, svc *Service, kind *domain.DocumentType) error {
	p := work.session
	stated, err := work.request.Parse(work.answer)
	if err != nil {
		return work.proceed(domain.ModelFailed, err)
	}
	currency := fieldValue(p.fields, domain.FieldCurrency)
	if currency == "" {
		currency = p.record.DeclaredAmount.Currency
	}
	assertions := parsing.Ground(kind, p.pages, stated, currency)
	if len(assertions) == 0 {
		return nil
	}
	err = work.derive(ctx, svc, kind, assertions)
	if domain.HasCode(err, domain.RateMissing) {
		for i := range assertions {
			field, _ := kind.Field(assertions[i].Field)
			if field.Type == domain.FieldTypeMoney || field.Type == domain.FieldTypeCurrency {
				assertions[i].Grounded, assertions[i].Suggestion = false, true
			}
		}
		err = work.derive(ctx, svc, kind, assertions)
	}
	return err
}

// derive seals the assertions and computes the fields and the facts that follow from them.
func (work *parseWork) derive(
	ctx context.Context, svc *Service, kind *domain.DocumentType, assertions []domain.Assertion,
) error {
	p := work.session
	set := domain.AssertionSet{CaseID: p.record.ID, Revision: p.record.FactsRevision + 1,
		Source: domain.SourceLLM, DocumentRevision: p.document.Revision, Assertions: assertions}
	if err := sealSet(&set, svc.salts); err != nil {
		return err
	}
	history, err := historyOf(ctx, svc.db.Reader(), p.record, p.fields)
	if err != nil {
		return err
	}
	work.read = []domain.AssertionSet{set}
	work.fill(history, assertions)
	work.facts, work.use, err = svc.deriveReading(ctx, p, kind, work.fields, *p.document, set)
	return err
}

// fill adds the grounded values of fields for which no other source has a value.
func (work *parseWork) fill(history facts.History, assertions []domain.Assertion) {
	p := work.session
	work.fields, work.replaced, work.filled, work.suggestions = nil, nil, 0, 0
	for _, field := range p.fields {
		if field.Source != domain.SourceLLM {
			work.fields = append(work.fields, field)
			continue
		}
		work.replaced = []domain.FieldSource{domain.SourceLLM}
	}
	for _, a := range assertions {
		if a.Suggestion {
			work.suggestions++
		}
	}
	others := history.WithoutModels()
	filled := parsing.Fill(assertions, func(field string) bool {
		known, ok := others.InForce(field)
		return ok && known.Value != "" ||
			slices.ContainsFunc(work.fields, func(f domain.Field) bool { return f.Name == field })
	})
	work.filled = len(filled)
	work.fields = append(work.fields, filled...)
}

func (work *parseWork) save(t *transition) {
	if len(work.read) == 0 {
		return
	}
	c := &t.change.Case
	c.FactsRevision++
	work.facts.applyTo(c)
	for i := range work.fields {
		if work.fields[i].Source == domain.SourceLLM {
			work.fields[i].Revision = c.FactsRevision
		}
	}
	t.change.Fields, t.change.DeleteFieldSources = work.fields, work.replaced
	work.session.fields = work.fields
	t.change.OrderUse = work.use
	t.assertSealed(work.read...)
}

func (work *parseWork) summary() *generated.StageCompletedV1Summary {
	number := func(n int64) *int64 { return &n }
	model := &generated.StageCompletedV1SummaryModel{Outcome: work.outcome, Name: work.run.Model}
	if work.failure != nil {
		model.Code = string(domain.CodeOf(work.failure))
	}
	var used *budgetUsedUp
	if errors.As(work.failure, &used) {
		model.FreesAt = used.frees
	}
	if len(work.run.PromptHash) > 0 {
		model.PromptSHA256 = hex.EncodeToString(work.run.PromptHash)
		model.Calls, model.InputTokens = number(int64(len(work.run.Calls))), number(work.run.InputTokens)
		model.OutputTokens, model.CostMicros = number(work.run.OutputTokens), number(work.run.CostMicros)
		model.Currency = work.run.Currency
	}
	if work.answer != nil {
		sum := sha256.Sum256(work.answer)
		model.AnswerSHA256 = hex.EncodeToString(sum[:])
		model.Suggestions, model.Filled = number(int64(work.suggestions)), number(int64(work.filled))
	}
	return &generated.StageCompletedV1Summary{Model: model, Assertions: assertionHashes(work.read)}
}
