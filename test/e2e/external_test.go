package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
	"countersign/workflow"
)

// A translation step comes into document_approval by a new version of it and a program in another
// language, and by nothing else. The program is killed in the middle of a task, and another takes
// over.
func TestTranslationByAProgramOutside(t *testing.T) {
	t.Parallel()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	example := filepath.Join(checkout, "examples", "translation-worker")
	definition, err := os.ReadFile(filepath.Join(example, "document_approval.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	checkOnlyStepAdded(t, string(definition))
	checkNoDependencies(t, example)

	h := testcluster.New(t)
	before := programs(t)
	h.AddUser(testcluster.Person{Email: "other@test.test", Name: "other", Roles: "administrator"})
	h.AddUser(testcluster.Person{Email: "translator@test.test", Name: "translator",
		Roles: "external_worker", Queues: "translation"})
	h.Worker()
	publish(t, h, string(definition))

	said := h.CLI("submitter").WithTB(t).Expect(0, nil, "submit",
		h.PDF(testcluster.Invoice(60, 100)))
	reference := said.Reference()
	waits := func() (pending bool) {
		err := h.Database.Owner(t).QueryRow(t.Context(),
			`SELECT EXISTS (SELECT FROM stage_runs WHERE queue = 'external' AND status = 'pending')`).Scan(&pending)
		if err != nil {
			t.Fatal(err)
		}
		return pending
	}
	testcluster.Eventually(t, time.Minute, "the step waits for a program", waits)
	h.CLI("").WithTB(t).Expect(0, []string{"agree"}, "doctor", "--grace", "1ms") // no worker of ours serves it, and none has to
	slow := startTranslator(t, h, example, "TRANSLATION_PAUSE_MS=600000")
	testcluster.Eventually(t, time.Minute, "the program has taken the task",
		func() bool { return strings.Contains(slow.output(), "working on "+reference) })
	slow.kill(t)
	startTranslator(t, h, example, "TRANSLATION_PAUSE_MS=0")
	h.CLI("submitter").WithTB(t).Expect(0, []string{"was archived"}, "watch", reference)
	shown := h.CLI("manager").WithTB(t).Expect(0, []string{"translated_text", "external"}, "case",
		"show", reference)
	if !strings.Contains(shown.Out, "translated_words") {
		t.Errorf("the case lacks what was translated:\n%s", shown.Out)
	}
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify")
	if after := programs(t); after != before {
		t.Error("the programs are others than before the step was added")
	}
}

// checkOnlyStepAdded demands that the definition differs from the built-in one by the step alone.
func checkOnlyStepAdded(t *testing.T, text string) {
	t.Helper()
	sources, err := workflow.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)  - id: translate\n.*?\n(  - id: extract\n)`)
	rest := block.ReplaceAllString(text, "$1")
	rest = strings.Replace(rest, "next: translate", "next: extract", 1)
	plain := func(text string) string {
		return regexp.MustCompile(`(?m)^(version: \d+|#.*)\n`).ReplaceAllString(text, "")
	}
	for _, source := range sources {
		if source.Key == "document_approval" && plain(string(source.YAML)) != plain(rest) {
			t.Errorf("more than the step was changed; without it there is left:\n%s", rest)
		}
	}
}

// checkNoDependencies demands that the example needs nothing but Node: no package, no file of the
// cluster.
func checkNoDependencies(t *testing.T, folder string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.mjs"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no program in %s: %v", folder, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^import .*'([^']+)';$`).FindAllStringSubmatch(
			string(text), -1) {
			if from := found[1]; !strings.HasPrefix(from, "node:") &&
				!regexp.MustCompile(`^\./\w+\.mjs$`).MatchString(from) {
				t.Errorf("%s imports %s", filepath.Base(name), from)
			}
		}
	}
}

// programs is the hash of the built programs.
func programs(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	for _, name := range []string{"server", "worker", "countersign"} {
		text, err := os.ReadFile(filepath.Join(testcluster.Programs(t), name))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = sum.Write(text) // a hash takes everything
	}
	return string(sum.Sum(nil))
}

// publish proposes a definition as one administrator and publishes it as another.
func publish(t *testing.T, h *testcluster.Cluster, text string) {
	t.Helper()
	type payload struct {
		Proposal   *struct{ ID string }
		UserErrors []struct{ Code, Message string }
	}
	run := func(by, field, query string, input map[string]any) payload {
		t.Helper()
		var answer struct {
			Data   map[string]payload
			Errors []struct{ Message string }
		}
		raw := askAPI(t, h, by, query, map[string]any{"input": input})
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatal(err)
		}
		got := answer.Data[field]
		if len(answer.Errors) > 0 || len(got.UserErrors) > 0 || got.Proposal == nil {
			t.Fatalf("%s: %+v", field, answer)
		}
		return got
	}
	const rest = `(input: $input) { proposal { id } userErrors { ... on Refusal { code message } } } }`
	made := run("admin@test.test", "proposeProcessDefinition",
		`mutation($input: ProposeDefinitionInput!) { proposeProcessDefinition`+rest,
		map[string]any{"document": text, "note": "translate"})
	run("other@test.test", "publishProcessDefinition",
		`mutation($input: PublishProposalInput!) { publishProcessDefinition`+rest,
		map[string]any{"proposalId": made.Proposal.ID, "confirm": true})
}

// askAPI sends an operation as the person and returns the response.
func askAPI(t *testing.T, h *testcluster.Cluster, by, query string, variables map[string]any) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/graphql",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_, token := h.Credentials(by)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// externalProgram is a program that is none of ours.
type externalProgram struct {
	cmd *exec.Cmd
	log string
}

// startTranslator starts the example's program as the translator.
func startTranslator(t *testing.T, h *testcluster.Cluster, folder,
	setting string) *externalProgram {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	_, token := h.Credentials("translator@test.test")
	o := &externalProgram{cmd: exec.Command(program, "worker.mjs"), log: filepath.Join(t.TempDir(), "node.log")} //nolint:noctx // ended below
	file, err := os.Create(o.log)
	if err != nil {
		t.Fatal(err)
	}
	o.cmd.Dir, o.cmd.Stdout, o.cmd.Stderr = folder, file, file
	o.cmd.Env = []string{"COUNTERSIGN_URL=" + h.URL, "COUNTERSIGN_TOKEN=" + token, setting}
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.cmd.Process.Kill()
		_ = o.cmd.Wait()
		_ = file.Close()
		if t.Failed() {
			t.Logf("the program said:\n%s", o.output())
		}
	})
	return o
}

func (o *externalProgram) output() string {
	text, _ := os.ReadFile(o.log) // what cannot be read has not been said
	return string(text)
}

func (o *externalProgram) kill(t *testing.T) {
	t.Helper()
	if err := o.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
