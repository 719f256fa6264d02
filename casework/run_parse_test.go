package casework_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
)

// modelEnv is a test environment with a language model behind a real server of its protocol.
type modelEnv struct {
	*testEnv
	vendor *modelvendor.Vendor
	sam    domain.Actor
	// opening is called by services made later, before they open a file.
	opening func(key string)
}

const modelProcess = "document_approval_model"

// newModelEnv allows invoices to be sent to the vendor. change changes the settings, if set.
func newModelEnv(
	t *testing.T, options modelvendor.Options, change func(*casework.Settings),
) *modelEnv {
	t.Helper()
	vendor, err := modelvendor.Start(options)
	must(t, err)
	t.Cleanup(vendor.Close)
	env := &modelEnv{testEnv: newTestEnv(t), vendor: vendor}
	env.sam = env.person("sam", domain.RoleSubmitter)
	settings := casework.Settings{Models: casework.ModelSettings{DocumentTypes: []string{"invoice"},
		InputPrice: 2_000_000, OutputPrice: 8_000_000}}
	if change != nil {
		change(&settings)
	}
	env.svc = env.newModelService(settings)
	return env
}

func (env *modelEnv) newModelService(settings casework.Settings) *casework.Service {
	env.t.Helper()
	model, err := stage.New(languagemodel.Settings{Endpoint: env.vendor.URL, Model: "stub",
		Timeout: 2 * time.Second, Retries: 1, BreakerAfter: 1000,
		Wait: func(context.Context, time.Duration) error { return nil }})
	must(env.t, err)
	svc, err := casework.New(env.db, casework.Ports{Reader: env.reader, Blobs: watchedBlobs{env.blobs, env.opening},
		Notifier: env.notifier, Connector: env.connector, Model: model, Images: halver{}}, settings,
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(env.t, err)
	env.t.Cleanup(func() { svc.Close(context.WithoutCancel(env.ctx)) })
	return svc
}

// parsed submits a document with the lines and executes all due runs.
func (env *modelEnv) parsed(lines ...string) domain.ID {
	env.t.Helper()
	return env.parsedBy(modelProcess, lines...)
}

func (env *modelEnv) parsedBy(process string, lines ...string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, lines
	env.reader.mu.Unlock()
	id := env.submitTo(env.sam, process, "invoice", domain.NewID().String())
	env.drainQueue()
	return id
}

// modelPart returns what the event of the stage says about the model.
func (env *modelEnv) modelPart(id domain.ID) generated.StageCompletedV1SummaryModel {
	env.t.Helper()
	var part generated.StageCompletedV1SummaryModel
	rows := env.queryTexts(`SELECT coalesce(body::jsonb #>> '{summary,model}', '') FROM events
		WHERE case_id = $1 AND type = 'stage.completed' AND body::jsonb ->> 'behaviour' = 'parse' ORDER BY seq`, id)
	if len(rows) == 0 {
		env.t.Fatalf("the stage did not complete: %v", env.eventTypes(id))
	}
	must(env.t, json.Unmarshal([]byte(rows[len(rows)-1]), &part))
	return part
}

func (env *modelEnv) modelRuns(id domain.ID) []domain.ModelRun {
	env.t.Helper()
	runs, err := env.db.Reader().ModelRuns(env.ctx, id, 100)
	must(env.t, err)
	return runs
}

// stated returns what the model asserted about a field, nil if nothing.
func (env *modelEnv) stated(id domain.ID, field string) *domain.Assertion {
	env.t.Helper()
	sets, err := env.db.Reader().Assertions(env.ctx, id)
	must(env.t, err)
	for _, set := range slices.Backward(sets) {
		for i := range set.Assertions {
			if set.Source == domain.SourceLLM && set.Assertions[i].Field == field {
				return &set.Assertions[i]
			}
		}
	}
	return nil
}

// oddInvoice prints an invoice code and a country of delivery by labels that the extractor does not know.
func oddInvoice(number string) []string {
	return []string{"Muster Werke GmbH", "INVOICE", "Invoice number: " + number, "Invoice date: 2026-11-20",
		"Buyer: Nordkauf AG", "Delivery country: France", "Invoice code: XK-90", "Total EUR 120.00"}
}

// A value that the page shows fills a missing field as a doubtful one, which only a person makes sure.
// What the model was asked and what it cost is kept with the case.
func TestModelFillsWhatThePageShows(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{}, nil)
	id := env.parsed(oddInvoice("M-1")...)
	filled := env.queryTexts(`SELECT name FROM fields WHERE case_id = $1 AND source = 'llm'`, id)
	if len(filled) == 0 {
		t.Fatalf("no field was filled; the model stated %s", env.modelRuns(id)[0].Answer)
	}
	for _, name := range filled {
		field := env.field(id, name)
		if !field.Grounded || field.Page != 1 || field.Box == nil || field.Confidence >= domain.LowConfidence {
			t.Errorf("%s is %+v", name, field)
		}
	}
	c := env.caseByID(id)
	if c.Status != domain.InReview || c.BaseMinor != 13200 {
		t.Errorf("the case is %s with %d at risk", c.Status, c.BaseMinor)
	}
	runs := env.modelRuns(id)
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	run := runs[0]
	if run.Outcome != domain.ModelAnswered || run.Model != "stub" || len(run.PromptHash) != 32 ||
		run.InputTokens == 0 || run.OutputTokens == 0 || run.CostMicros !=
		(run.InputTokens*2_000_000+run.OutputTokens*8_000_000)/1_000_000 || len(run.Calls) != 1 ||
		!strings.Contains(run.Prompt, "Nordkauf AG") || !strings.Contains(run.Answer, "Nordkauf") {
		t.Errorf("the run is %+v", run)
	}
	part := env.modelPart(id)
	if part.Outcome != "answered" || *part.InputTokens != run.InputTokens || *part.Filled != int64(len(filled)) ||
		part.PromptSHA256 == "" || part.AnswerSHA256 == "" {
		t.Errorf("the event says %+v", part)
	}
	if bodies := env.queryTexts(`SELECT body FROM events WHERE case_id = $1 AND body LIKE '%Nordkauf%'`, id); len(
		bodies) > 0 {
		t.Errorf("an event contains a value: %s", bodies[0])
	}
	env.verifyCaseLog(id)
}

// The same document by the process without a model gives the same risk basis, and what is in force
// without the model stays in force with it.
func TestModelChangesNoOtherValue(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{Always: modelvendor.OtherDocument}, nil)
	plain := env.parsedBy("document_approval", oddInvoice("M-2")...)
	with := env.parsed(oddInvoice("M-3")...)
	before, after := env.caseByID(plain), env.caseByID(with)
	if before.BaseMinor != after.BaseMinor || before.Amount != after.Amount || before.Status != after.Status ||
		!slices.Equal(before.OtherCountries, after.OtherCountries) || before.PartyID != after.PartyID ||
		len(after.DifferingFields) != len(before.DifferingFields) {
		t.Errorf("without: %+v\nwith: %+v", before, after)
	}
	fields := func(id domain.ID) []string {
		return env.queryTexts(`SELECT name || '=' || normalised || ' ' || source FROM fields WHERE case_id = $1
			AND name <> 'number' ORDER BY name`, id)
	}
	if got, want := fields(with), fields(plain); !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	for _, field := range []string{domain.FieldTotal, domain.FieldIBAN} {
		if a := env.stated(with, field); a == nil || !a.Suggestion || a.Grounded {
			t.Errorf("%s of the other document: %+v", field, a)
		}
	}
}

// Nothing leaves unless the process names the stage and the installation allows the document type.
func TestNothingLeavesUnlessAllowed(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{}, func(s *casework.Settings) {
		s.Models.DocumentTypes = []string{"receipt"}
	})
	id := env.parsed(oddInvoice("M-4")...)
	if part := env.modelPart(id); part.Outcome != "not_allowed" || part.Code != string(domain.StateMismatch) {
		t.Errorf("the event says %+v", part)
	}
	env.requireState(id, domain.InReview, "review_l1")
	env.svc = env.newService(env.blobs, casework.Settings{})
	off := env.parsed(oddInvoice("M-5")...)
	if part := env.modelPart(off); part.Outcome != "off" {
		t.Errorf("the event says %+v", part)
	}
	env.svc = env.newModelService(casework.Settings{Models: casework.ModelSettings{
		DocumentTypes: []string{"invoice"}}})
	env.parsedBy("document_approval", oddInvoice("M-6")...)
	if sent := env.vendor.Requests(); len(sent) > 0 {
		t.Errorf("%d requests left: %s", len(sent), sent[0].Body)
	}
}

// The failures of a model in every class: the case continues with what was read, unless the process
// requires the model; then it is an incident, and a retry by hand works.
func TestModelFailureIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, behaviour := range []modelvendor.Behaviour{modelvendor.NeverAnswers, modelvendor.Huge,
		modelvendor.WrongType, modelvendor.InvalidJSON, modelvendor.SchemaMiss, modelvendor.Cuts,
		modelvendor.RateLimited, modelvendor.Error500, modelvendor.Error503, modelvendor.Refuses,
		modelvendor.Unauthorized, modelvendor.Redirects, modelvendor.StopsAtLength} {
		t.Run(string(behaviour), func(t *testing.T) {
			t.Parallel()
			env := newModelEnv(t, modelvendor.Options{Always: behaviour}, nil)
			id := env.parsed(oddInvoice("F-1")...)
			env.requireState(id, domain.InReview, "review_l1")
			part, runs := env.modelPart(id), env.modelRuns(id)
			if part.Outcome != "failed" || part.Code == "" || len(runs) != 1 || runs[0].Outcome != "failed" ||
				runs[0].Answer != "" || runs[0].ErrorText == "" || len(runs[0].Calls) == 0 {
				t.Errorf("the event says %+v, the run is %+v", part, runs)
			}
			t.Logf("%s: code %s, %d calls, %d tokens", behaviour, part.Code, len(runs[0].Calls),
				runs[0].InputTokens+runs[0].OutputTokens)
		})
	}
}

// requiredProcess is the example with a model that the process requires.
func requiredProcess(t *testing.T, replaced ...string) string {
	t.Helper()
	text, err := os.ReadFile("../workflow/definitions/" + modelProcess + ".yaml")
	must(t, err)
	return strings.NewReplacer(append([]string{"key: " + modelProcess, "key: model_required",
		"required: false", "required: true"}, replaced...)...).Replace(string(text))
}

func TestRequiredModelIsAnIncident(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{Always: modelvendor.Error500}, nil)
	env.publish(requiredProcess(t))
	id := env.parsedBy("model_required", oddInvoice("F-2")...)
	env.requireState(id, domain.Incident, "parse")
	if runs := env.modelRuns(id); len(runs) != 3 { // attempts of the stage
		t.Errorf("%d runs", len(runs))
	}
	env.vendor.Always(modelvendor.Honest)
	_, err := env.svc.RetryIncident(env.ctx, env.person("max", domain.RoleManager),
		casework.CaseTarget{CaseID: id})
	must(t, err)
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	if part := env.modelPart(id); part.Outcome != "answered" {
		t.Errorf("the event says %+v", part)
	}
}

// A process can lead a case without its model to a person.
func TestRequiredModelTakesTheErrorEdge(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{Always: modelvendor.Refuses}, nil)
	env.publish(requiredProcess(t, "    waits_for_budget: false\n",
		"    waits_for_budget: false\n    errors: [{to: review_l1}]\n"))
	id := env.parsedBy("model_required", oddInvoice("F-3")...)
	env.requireState(id, domain.InReview, "review_l1")
}

// An answer is used once it is paid: a stage that is computed again makes no second call.
func TestAnswerIsUsedAgain(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{}, nil)
	var once sync.Once
	env.vendor.Close()
	vendor, err := modelvendor.Start(modelvendor.Options{OnRequest: func(modelvendor.Seen) {
		once.Do(func() { // while the model computes, the facts of the case change
			env.ownerExec(`UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1
				WHERE process_key = 'document_approval_model'`)
		})
	}})
	must(t, err)
	t.Cleanup(vendor.Close)
	env.vendor = vendor
	env.svc = env.newModelService(casework.Settings{Models: casework.ModelSettings{
		DocumentTypes: []string{"invoice"}}})
	id := env.parsed(oddInvoice("U-1")...)
	env.requireState(id, domain.InReview, "review_l1")
	if part := env.modelPart(id); part.Outcome != "used" || len(vendor.Requests()) != 1 ||
		len(env.modelRuns(id)) != 1 {
		t.Errorf("the event says %+v after %d requests", part, len(vendor.Requests()))
	}
}

// What a document type never sends does not leave, neither as a question nor in the text.
func TestModelNeverGetsPrivateFields(t *testing.T) {
	t.Parallel()
	env := newModelEnv(t, modelvendor.Options{}, nil)
	ada, abe := env.admins()
	text := strings.Replace(env.documentType("invoice"), "fields:", "never_sent: [iban, buyer]\nfields:", 1)
	must(t, env.publishType(ada, abe, text))
	env.parsed(append(oddInvoice("N-1"), "IBAN DE89 3704 0044 0532 0130 00")...)
	requests := env.vendor.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	sent := string(requests[0].Body)
	for _, private := range []string{"Nordkauf", "DE89", "0532", `- buyer (`, `- iban (`} {
		if strings.Contains(sent, private) {
			t.Errorf("%q left", private)
		}
	}
	if !strings.Contains(sent, "N-1") {
		t.Errorf("the document was not sent: %s", sent)
	}
}
