package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
)

// spansScript runs the module of the page in a session: an action with two requests, after which the
// page is left.
const spansScript = `import { readFileSync } from 'node:fs';
import ts from 'typescript';
const { outputText } = ts.transpileModule(readFileSync('src/lib/trace.ts', 'utf8'),
  { compilerOptions: { module: 'ESNext', target: 'ES2022' } });
const page = await import('data:text/javascript;base64,' + Buffer.from(outputText).toString('base64'));
const send = globalThis.fetch;
let cookie = '';
const sent = [];
globalThis.fetch = (path, options) => {
  const headers = new Headers(options.headers);
  headers.set('cookie', cookie);
  const response = send(process.env.SERVER + path, { ...options, headers });
  sent.push(response);
  return response;
};
const json = { 'Content-Type': 'application/json' };
const signedIn = await fetch('/auth/sign-in', { method: 'POST', headers: json,
  body: JSON.stringify({ email: process.env.EMAIL, password: process.env.PASSWORD }) });
cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ');
const user = new EventTarget();
page.traceActions(user);
user.dispatchEvent(new Event('click'));
for (let i = 0; i < 2; i++) {
  const response = await page.tracedFetch()('/graphql', { method: 'POST', headers: json,
    body: '{"query":"{ viewer { person { id } } }"}' });
  if (!response.ok) throw new Error(await response.text());
}
user.dispatchEvent(new Event('pagehide'));
const last = await sent.at(-1);
console.log(last.url.replace(process.env.SERVER, ''), last.status);`

// runPage runs the script and returns what it prints.
func runPage(t *testing.T, h *testcluster.Cluster) string {
	t.Helper()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	password, _ := h.Credentials("submitter@test.test")
	command := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", spansScript)
	command.Dir = filepath.Join(checkout, "frontend")
	command.Env = append(command.Environ(), "SERVER="+h.URL, "EMAIL=submitter@test.test",
		"PASSWORD="+password)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// The spans of a page are the beginning of the trace: the action, its requests, and below each the
// server's span of it.
func TestThePageSendsItsSpans(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	h := testcluster.New(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.url, "OTEL_TRACES_SAMPLER_ARG=1")
	if out := runPage(t, h); out != "/spans 204\n" {
		t.Fatalf("the page sent %s", out)
	}
	want := []string{"server: page action", "server: page request", "server: http POST"}
	testcluster.Eventually(t, 20*time.Second, "the spans have arrived", func() bool {
		return len(receiver.named("server", "page action")) > 0
	})
	below := 0
	for _, request := range receiver.named("server", "http POST") {
		if slices.Equal(receiver.path(request), want) {
			below++
		}
	}
	actions, requests := receiver.named("server", "page action"),
		receiver.named("server", "page request")
	if below != 2 || len(actions) != 1 || len(requests) != 2 {
		t.Fatalf("%d requests are below %d actions and %d requests of the page", below, len(actions),
			len(requests))
	}
	for _, request := range requests {
		action := actions[0]
		if request.StartTimeUnixNano < action.StartTimeUnixNano ||
			request.EndTimeUnixNano > action.EndTimeUnixNano+uint64(time.Millisecond) ||
			request.EndTimeUnixNano <= request.StartTimeUnixNano {
			t.Errorf("the request lasts from %d to %d, the action from %d to %d",
				request.StartTimeUnixNano, request.EndTimeUnixNano, action.StartTimeUnixNano,
				action.EndTimeUnixNano)
		}
	}
}

// A trace that the server does not record gets no spans of the page either.
func TestThePageSendsNoSpansOfOtherTraces(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	if out := runPage(t, h); out != "/graphql 200\n" {
		t.Fatalf("the page sent %s", out)
	}
}
