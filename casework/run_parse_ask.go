package casework

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/reading/parsing"
)

// maxAsking bounds the calls of one stage with all their retries; the client bounds each call.
const maxAsking = 10 * time.Minute

// ask sets the answer of the model, or why there is none. It fails only if the process requires the
// model, or if the worker is stopping.
func (work *parseWork) ask(ctx context.Context, svc *Service, kind *domain.DocumentType) error {
	p := work.session
	model := svc.ports.Model
	switch {
	case model == nil:
		return work.proceed(modelOff, domain.Errorf(domain.StateMismatch,
			"This installation has no language model.").
			WithRemedy("Ask an operator to set one up, then retry."))
	case !svc.settings.Models.Allows(p.record.DocumentType):
		return work.proceed(modelNotAllowed, domain.Errorf(domain.StateMismatch,
			"Documents of the type %q may not be sent to a language model.", p.record.DocumentType).
			WithRemedy("Ask an operator to allow the type, then retry."))
	}
	if err := work.addImages(ctx, svc, kind); err != nil {
		return err
	}
	if len(work.sent) == 0 && !slices.ContainsFunc(p.pages, func(page domain.Page) bool {
		return len(page.Words) > 0 || page.Text != ""
	}) {
		work.outcome = modelNoText
		return nil
	}
	known, err := svc.neverSent(ctx, p, kind)
	if err != nil {
		return err
	}
	if work.request, err = parsing.Build(kind, p.pages, known, work.sent...); err != nil {
		return err
	}
	earlier, found, err := svc.db.Reader().ModelAnswer(ctx, p.record.ID, model.Name(),
		work.request.Hash[:])
	if err != nil {
		return err
	}
	if found {
		work.outcome, work.answer = modelUsed, []byte(earlier.Answer)
		work.run = domain.ModelRun{Model: earlier.Model, PromptHash: earlier.PromptHash,
			Currency: earlier.Currency}
		return nil
	}
	return work.call(ctx, svc, model)
}

// neverSent returns everything that was asserted for fields that must not leave.
func (svc *Service) neverSent(
	ctx context.Context, p *stageSession, kind *domain.DocumentType,
) (map[string][]string, error) {
	if len(kind.NeverSent) == 0 {
		return nil, nil
	}
	history, err := historyOf(ctx, svc.db.Reader(), p.record, p.fields)
	if err != nil {
		return nil, err
	}
	known := map[string][]string{}
	add := func(field, value string) {
		if value != "" && !slices.Contains(known[field], value) {
			known[field] = append(known[field], value)
		}
	}
	for _, name := range kind.NeverSent {
		for _, entry := range history.Of(name) {
			add(name, entry.Raw)
			add(name, entry.Value)
		}
	}
	for _, field := range p.fields {
		if slices.Contains(kind.NeverSent, field.Name) {
			add(field.Name, field.Raw)
			add(field.Name, field.Normalised)
		}
	}
	return known, nil
}

// call reserves the budget, asks the model, and keeps what it was asked and what it cost.
func (work *parseWork) call(ctx context.Context, svc *Service, model LanguageModel) error {
	p, settings := work.session, svc.settings.Models
	request := ModelRequest{System: work.request.System, User: work.request.User,
		SchemaName: work.request.SchemaName, Schema: work.request.Schema, MaxTokens: settings.MaxTokens,
		Images: work.images}
	prompt := request.System + "\n\n" + request.User
	input := estimatedTokens(len(prompt)+len(request.Schema)) + settings.Images.tokensOf(request.Images)
	reserved, err := svc.reserveModelBudget(ctx, p.record.ID, input, int64(settings.MaxTokens))
	var used *budgetUsedUp
	switch {
	case errors.As(err, &used) && work.node.WaitsForBudget && !used.frees.IsZero():
		used.waits = true
		return used
	case errors.As(err, &used):
		return work.proceed(modelNoBudget, used)
	case err != nil:
		return err
	}
	took := stopwatch()
	asking, cancel := context.WithTimeout(ctx, maxAsking)
	answer, failure := model.Ask(asking, request)
	cancel()
	failure = work.keep(model.Name(), request, answer, failure, settings.Currency)
	work.run.Took, work.run.Prompt = took(), prompt
	work.run.InputTokens, work.run.OutputTokens = usedTokens(answer, reserved)
	work.run.CostMicros = settings.Cost(work.run.InputTokens, work.run.OutputTokens)
	if err := svc.settleModelBudget(ctx, reserved, work.run); err != nil {
		return err
	}
	switch {
	case failure != nil && ctx.Err() != nil:
		return context.Cause(ctx) // the worker is stopping, or has lost the lease
	case failure != nil:
		return work.proceed(domain.ModelFailed, asUnavailable(failure))
	}
	work.outcome, work.answer = domain.ModelAnswered, []byte(work.run.Answer)
	return nil
}

// keep fills the run with what the model was asked and answered. It returns the failure, also that of an
// answer without content.
func (work *parseWork) keep(
	model string, request ModelRequest, answer ModelAnswer, failure error, currency string,
) error {
	p := work.session
	work.run = domain.ModelRun{ID: domain.NewID(), CaseID: p.record.ID, RunID: p.run.ID, Node: p.run.Node,
		DocumentRevision: p.document.Revision, Model: model, PromptVersion: parsing.Version,
		PromptHash: work.request.Hash[:], Calls: answer.Calls,
		Parameters: domain.ModelParameters{MaxTokens: request.MaxTokens, Pages: len(work.request.Pages),
			Images: len(request.Images), Removed: work.request.Removed},
		Outcome: domain.ModelAnswered, Answer: storable(answer.JSON), Currency: currency,
		Input: domain.ModelText, Images: work.imageRecord}
	if len(request.Images) > 0 {
		work.run.Input = domain.ModelTextAndImages
	}
	if failure == nil && work.run.Answer == "" {
		failure = domain.Errorf(domain.EngineFailed, "The language model returned nothing that can be read.").
			WithRemedy("Retry a little later.")
	}
	if failure != nil {
		message, _ := failureText(failure)
		work.run.Outcome, work.run.Answer = domain.ModelFailed, ""
		work.run.ErrorCode, work.run.ErrorText = domain.CodeOf(failure), message
	}
	return failure
}

// asUnavailable returns the failure of a model with a code, so that it is explained like one of an engine.
func asUnavailable(failure error) error {
	if domain.CodeOf(failure) != domain.Internal {
		return failure
	}
	return domain.Errorf(domain.EngineFailed, "The language model did not answer.").
		WithRemedy("Retry a little later.").WithCause(failure)
}

// estimatedTokens returns the most tokens that a text is expected to have. Latin text has one for three
// to four bytes, Chinese text one to two for a character of three bytes.
func estimatedTokens(size int) int64 { return int64(size/2 + 16) }

// usedTokens returns the tokens that an answer took. A call that may have been answered without a report
// counts as reserved, because the endpoint may charge it.
func usedTokens(answer ModelAnswer, reserved modelReservation) (input, output int64) {
	for _, call := range answer.Calls {
		input, output = input+call.InputTokens, output+call.OutputTokens
		if call.InputTokens == 0 && call.OutputTokens == 0 && (call.Status == 200 ||
			call.Outcome == "timeout" || call.Outcome == "cut") {
			input, output = input+reserved.input, output+reserved.output
		}
	}
	return max(input, answer.InputTokens), max(output, answer.OutputTokens)
}

// storable returns an answer as text that Postgres can keep, "" if it is no JSON.
func storable(answer json.RawMessage) string {
	if !json.Valid(answer) {
		return ""
	}
	return strings.ToValidUTF8(string(answer), "\ufffd")
}
