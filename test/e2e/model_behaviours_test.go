package e2e

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/modelvendor"
	"countersign/test/testcluster"
)

// The behaviours of the stub of a language model that documents are sent through; make model-bench asks
// for all of them and for more documents.
var (
	modelBehaviours = flag.String("model-behaviours", "honest,error_500,echoes_key",
		"behaviours of the stub, by comma; all = every one")
	modelSample = flag.Int("model-sample", 1,
		"documents sent for each behaviour, spread over those of -documents; 0 = all")
	modelResults = flag.String("model-results", "", "file to which what came of each document is appended")
	modelTableOf = flag.String("model-table", "", "file of results whose table TestModelTable prints")
	modelInput   = flag.String("model-input", "text", "what is sent: text, or images too")
	modelCommit  = flag.String("model-commit", "", "commit that the results name")
)

const (
	modelKey       = "stub-key-5f0c2a9e71"
	modelAtATime   = 3
	modelProcess   = "document_approval_model"
	withoutModel   = "off" // a worker without a model, to compare with
	modelArchived  = "archived"
	modelPriceIn   = "2500000" // millionths for a million tokens
	modelPriceOut  = "10000000"
	modelTimeLimit = "3s"
)

// modelResult is what came of one document.
type modelResult struct {
	Commit, Behaviour, Set, File, Type string
	Images                             bool   // of the pages were sent too
	Case                               string // how it ended, as in outcomes
	CaseMs                             int64
	Stage, Code                        string // of the stage, from its event
	Filled, Suggestions                int
	Calls                              []string // outcomes
	InputTokens, OutputTokens          int64
	CostMicros                         int64
	Currency                           string
	ModelMs                            int64
}

// Whatever a model does, each document ends as without one, or at a person: it is never archived or
// stopped because of the model, the log verifies, and the key is in no answer and no log.
func TestModelBehaviours(t *testing.T) {
	t.Parallel()
	documents := sampleOf(t, documentsOfModels(t))
	before := map[string]string{}
	for _, behaviour := range behavioursToRun(t) {
		t.Run(behaviour, func(t *testing.T) {
			for _, result := range runBehaviour(t, behaviour, documents) {
				if behaviour == withoutModel {
					before[result.File] = result.Case
				} else {
					checkResult(t, result, before[result.File])
				}
				keepResult(t, result)
			}
		})
	}
	if *modelResults != "" {
		t.Logf("all results of %s\n%s", *modelResults, modelTable(readResults(t, *modelResults)))
	}
}

// behavioursToRun returns the behaviours that were asked for, after the run without a model.
func behavioursToRun(t *testing.T) []string {
	t.Helper()
	list := []string{withoutModel}
	for _, behaviour := range modelvendor.Behaviours() {
		if *modelBehaviours == "all" || slices.Contains(strings.Split(*modelBehaviours, ","), string(behaviour)) {
			list = append(list, string(behaviour))
		}
	}
	if len(list) == 1 {
		t.Fatalf("no behaviour is called %q", *modelBehaviours)
	}
	return list
}

// documentsOfModels returns the documents of the folder that was asked for, or one of our own.
func documentsOfModels(t *testing.T) []string {
	t.Helper()
	if *documents != "" {
		return documentsToSend(t, nil)
	}
	path := filepath.Join(t.TempDir(), "made.pdf")
	if err := os.WriteFile(path, testcluster.Invoice(301, 100).PDF(), 0o644); err != nil { //nolint:gosec // no secret
		t.Fatal(err)
	}
	return []string{path}
}

// sampleOf returns as many documents as are sent for each behaviour, spread over all of them.
func sampleOf(t *testing.T, all []string) []string {
	t.Helper()
	if *modelSample <= 0 || *modelSample >= len(all) {
		return all
	}
	var some []string
	for i := range *modelSample {
		some = append(some, all[i*len(all)/(*modelSample)])
	}
	return some
}

// runBehaviour sends the documents through an installation of its own, whose model behaves so.
func runBehaviour(t *testing.T, behaviour string, paths []string) []modelResult {
	t.Helper()
	h := testcluster.New(t)
	for currency, rate := range map[string]string{"CNY": "0.139", "INR": "0.0119", "MYR": "0.213", "CHF": "1.13"} {
		h.CLI("").Expect(0, nil, "rate", "seed", currency, rate)
	}
	var settings []string
	if behaviour != withoutModel {
		vendor, err := modelvendor.Start(modelvendor.Options{Always: modelvendor.Behaviour(behaviour),
			Key: modelKey, RetryAfter: "1"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(vendor.Close)
		defer func() {
			if followed := vendor.Elsewhere(); followed > 0 {
				t.Errorf("%d redirects were followed", followed)
			}
		}()
		settings = []string{"COUNTERSIGN_MODEL_ENDPOINT=" + vendor.URL, "COUNTERSIGN_MODEL_NAME=stub",
			"COUNTERSIGN_MODEL_KEY=" + modelKey, "COUNTERSIGN_MODEL_DOCUMENT_TYPES=invoice,receipt",
			"COUNTERSIGN_MODEL_TIMEOUT=" + modelTimeLimit, "COUNTERSIGN_MODEL_INPUT_PRICE=" + modelPriceIn,
			"COUNTERSIGN_MODEL_OUTPUT_PRICE=" + modelPriceOut, "COUNTERSIGN_MODEL_INPUT=" + inputOf(behaviour)}
	}
	worker := h.Worker(settings...)
	results := make([]modelResult, len(paths))
	for from := 0; from < len(paths); from += modelAtATime {
		var running []<-chan testcluster.Output
		batch := paths[from:min(from+modelAtATime, len(paths))]
		for _, path := range batch {
			running = append(running, h.CLI("submitter").Start("submit", "--watch", "--process", modelProcess,
				"--type", *documentsType, path))
		}
		for i, answer := range running {
			results[from+i] = resultOf(t, h, behaviour, batch[i], <-answer)
		}
	}
	if log := worker.Log(); strings.Contains(log, "panic") || strings.Contains(log, modelKey) {
		t.Errorf("the log of the worker has a panic or the key:\n%s", log)
	}
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
	return results
}

// inputOf returns what is sent to a stub of the behaviour. Those that concern images get them always.
func inputOf(behaviour string) string {
	about := []modelvendor.Behaviour{modelvendor.TextUsage, modelvendor.RefusesImages}
	if slices.Contains(about, modelvendor.Behaviour(behaviour)) {
		return "images"
	}
	return *modelInput
}

// modelCase is what the API says about the model of a case.
type modelCase struct {
	ID        string
	ModelRuns []struct {
		Calls                                         []struct{ Outcome string }
		InputTokens, OutputTokens, CostMicros, TookMs json.Number
		Currency                                      string
	}
	LastEvents []struct {
		Type string
		Body json.RawMessage
	}
}

// stageBody is the part of the event of a stage that is about a model.
type stageBody struct {
	Behaviour string
	Summary   struct {
		Model struct {
			Outcome, Code       string
			Filled, Suggestions int
		}
	}
}

const modelCaseQuery = `query($text: String!) { cases(first: 1, filter: {text: $text}) { nodes { id
  modelRuns { model error prompt answer currency inputTokens outputTokens costMicros tookMs calls { outcome } }
  lastEvents(last: 100) { type body } } } }`

// resultOf returns what came of a document, as the API says.
func resultOf(t *testing.T, h *testcluster.Cluster, behaviour, path string, said testcluster.Output) modelResult {
	t.Helper()
	result := modelResult{Commit: *modelCommit, Behaviour: behaviour, Set: filepath.Base(filepath.Dir(path)),
		File: filepath.Base(path), Type: *documentsType,
		Images: behaviour != withoutModel && inputOf(behaviour) == "images", Case: outcomes[said.Code],
		CaseMs: said.Took.Milliseconds()}
	if said.Reference() == "" {
		return result // refused before there was a case
	}
	raw := askAPI(t, h, "manager@test.test", modelCaseQuery, map[string]any{"text": said.Reference()})
	if strings.Contains(string(raw), modelKey) {
		t.Errorf("the API returns the key: %s", raw)
	}
	var answer struct {
		Data struct{ Cases struct{ Nodes []modelCase } }
	}
	if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Data.Cases.Nodes) != 1 {
		t.Fatalf("%s: %v\n%s", said.Reference(), err, raw)
	}
	found := answer.Data.Cases.Nodes[0]
	for _, event := range found.LastEvents {
		var body stageBody
		if event.Type != "stage.completed" || json.Unmarshal(event.Body, &body) != nil {
			continue
		}
		if model := body.Summary.Model; body.Behaviour == "parse" {
			result.Stage, result.Code = model.Outcome, model.Code
			result.Filled, result.Suggestions = model.Filled, model.Suggestions
		}
	}
	number := func(n json.Number) int64 { value, _ := n.Int64(); return value }
	for _, run := range found.ModelRuns {
		for _, call := range run.Calls {
			result.Calls = append(result.Calls, call.Outcome)
		}
		result.InputTokens += number(run.InputTokens)
		result.OutputTokens += number(run.OutputTokens)
		result.CostMicros += number(run.CostMicros)
		result.ModelMs += number(run.TookMs)
		result.Currency = run.Currency
	}
	return result
}

// checkResult compares a document with the same one without a model.
func checkResult(t *testing.T, got modelResult, before string) {
	t.Helper()
	switch {
	case before == "":
		t.Errorf("%s was not sent without a model", got.File)
	case got.Case != before && (got.Case == modelArchived || got.Case == "incident" || got.Case == "refused"):
		t.Errorf("%s: %s, without a model %s", got.File, got.Case, before)
	case got.Stage == "" && got.Case != "refused" && got.Case != "incident":
		t.Errorf("%s: the stage did not run: %+v", got.File, got)
	case got.Stage == "answered" && (len(got.Calls) == 0 || got.InputTokens == 0 || got.CostMicros == 0):
		t.Errorf("%s: an answer without calls, tokens or cost: %+v", got.File, got)
	case got.Stage == "failed" && got.Code == "":
		t.Errorf("%s: a failure without a code: %+v", got.File, got)
	}
	t.Logf("%s: %s, %s %s, calls %v, %d in, %d out, %d ms", got.File, got.Case, got.Stage, got.Code, got.Calls,
		got.InputTokens, got.OutputTokens, got.ModelMs)
}

// keepResult appends the result to the file that was asked for.
func keepResult(t *testing.T, result modelResult) {
	t.Helper()
	if *modelResults == "" {
		return
	}
	line, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(*modelResults, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
