package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
)

// pageScript runs the module of the page that makes headers, and prints those of one action.
const pageScript = `import { readFileSync } from 'node:fs';
import ts from 'typescript';
const { outputText } = ts.transpileModule(readFileSync('src/lib/trace.ts', 'utf8'),
  { compilerOptions: { module: 'ESNext', target: 'ES2022' } });
const page = await import('data:text/javascript;base64,' + Buffer.from(outputText).toString('base64'));
const user = new EventTarget();
page.traceActions(user);
user.dispatchEvent(new Event('click'));
for (let i = 0; i < Number(process.env.REQUESTS); i++) console.log(page.traceparent());`

// pageAction returns the headers that the page sends with the requests of one click.
func pageAction(t *testing.T, requests int) []string {
	t.Helper()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", pageScript)
	command.Dir = filepath.Join(checkout, "frontend")
	command.Env = append(command.Environ(), "REQUESTS="+strconv.Itoa(requests))
	out, err := command.CombinedOutput()
	headers := strings.Fields(string(out))
	if err != nil || len(headers) != requests {
		t.Fatalf("the page makes no header: %v\n%s", err, out)
	}
	return headers
}

func traceOf(traceparent string) string { return traceparent[3:35] }
func spanOf(traceparent string) string  { return traceparent[36:52] }

// sendTraced sends a query with the header.
func sendTraced(t *testing.T, h *testcluster.Cluster, traceparent string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/graphql",
		strings.NewReader(`{"query":"{ viewer { person { id } } }"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, token := h.Credentials("submitter@test.test")
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Traceparent", traceparent)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
}

// checkAction demands that the requests of an action are below the spans that the page has named, in
// one trace.
func checkAction(t *testing.T, receiver *otlpReceiver, headers []string) {
	t.Helper()
	requests := receiver.named("server", "http POST")
	for _, header := range headers {
		if !slices.ContainsFunc(requests, func(s receivedSpan) bool {
			return s.trace() == traceOf(headers[0]) && s.parent() == spanOf(header)
		}) {
			t.Errorf("no request continues the page's %s; there are %v", header,
				paths(receiver, requests))
		}
	}
}

// A program outside continues the trace of a document with the header of its task, and what follows
// from its result belongs to that trace too.
func TestAnExternalTaskContinuesTheTrace(t *testing.T) {
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
	receiver := newReceiver(t)
	h := testcluster.New(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.url, "OTEL_TRACES_SAMPLER_ARG=1")
	h.AddUser(testcluster.Person{Email: "other@test.test", Name: "other", Roles: "administrator"})
	h.AddUser(testcluster.Person{Email: "translator@test.test", Name: "translator",
		Roles: "external_worker", Queues: "translation"})
	h.Worker()
	publish(t, h, string(definition))
	click := pageAction(t, 1)[0]
	id := submitTraced(t, h, h.PDF(testcluster.Invoice(123, 100)), http.Header{
		"Traceparent": {click}, "X-Correlation-Id": {"order-4711.b"}})
	program := startTranslator(t, h, example, "TRANSLATION_PAUSE_MS=0")
	reference := referenceOf(t, h, id)
	h.CLI("submitter").WithTB(t).Expect(0, []string{"was archived"}, "watch", reference)
	testcluster.Eventually(t, 20*time.Second, "the program has said what it did", func() bool {
		return strings.Contains(program.output(), "correlation id order-4711.b")
	})
	continued := []string{"server: command submit", "worker: stage read",
		"server: hand out translate", "server: http POST", "server: command completeExternal",
		"worker: stage archive"}
	testcluster.Eventually(t, 20*time.Second, "one path leads through the program", func() bool {
		return slices.ContainsFunc(receiver.named("worker", "stage archive"),
			func(s receivedSpan) bool {
				return s.trace() == traceOf(click) && inOrder(receiver.path(s), continued)
			})
	})
}

// inOrder reports whether the names occur on the path one after another.
func inOrder(path, names []string) bool {
	for _, name := range path {
		if len(names) > 0 && name == names[0] {
			names = names[1:]
		}
	}
	return len(names) == 0
}
