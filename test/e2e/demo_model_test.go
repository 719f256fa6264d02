package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/test/testcluster"
)

var demoModelCase = regexp.MustCompile(`CS-\d{4}-000001 was submitted to the process document_approval_model, which asks it: http\S+/cases/(\S+)`)

// checkDemoModel checks the case that the demo submits: the model filled a value and made a suggestion,
// and both the output and the log say that it is a stub.
func checkDemoModel(t *testing.T, folder, addr string, said *text) {
	t.Helper()
	found := demoModelCase.FindStringSubmatch(said.String())
	if found == nil || !said.has("Language model demo-stub: a stub that answers from the text of the page. It is no real model.") {
		t.Fatalf("the demo says nothing about its language model: %s", said)
	}
	type demoCase struct {
		ModelRuns   []struct{ Model, Outcome string }
		Suggestions []struct{ Field string }
		Fields      []struct{ Name, Source string }
		Status      string
	}
	var c demoCase
	testcluster.Eventually(t, time.Minute, "the case of the model waits for a person", func() bool {
		body, err := json.Marshal(map[string]any{"variables": map[string]any{"id": found[1]}, "query": `query($id: ID!) {
			case(id: $id) { status modelRuns { model outcome } suggestions { field } fields { name source } } }`})
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/graphql",
			strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token(t, folder, "senior1@demo.test"))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		var answer struct {
			Data   struct{ Case *demoCase }
			Errors []struct{ Message string }
		}
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Errors) > 0 {
			t.Fatalf("%v %+v", err, answer.Errors)
		}
		if answer.Data.Case != nil {
			c = *answer.Data.Case
		}
		return c.Status == "IN_REVIEW"
	})
	filled := 0
	for _, field := range c.Fields {
		if field.Source == "LLM" {
			filled++
		}
	}
	if len(c.ModelRuns) != 1 || c.ModelRuns[0].Model != "demo-stub" || c.ModelRuns[0].Outcome != "ANSWERED" ||
		len(c.Suggestions) == 0 || filled == 0 {
		t.Errorf("the case of the model: %+v", c)
	}
	log, err := os.ReadFile(filepath.Join(folder, ".data", "log", "model-stub.log"))
	if err != nil || !strings.Contains(string(log), "this is no language model") {
		t.Errorf("the log of the stub: %v\n%s", err, log)
	}
}
