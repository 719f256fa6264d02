package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/test/testcluster"
)

const (
	callersTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersParent = "00-" + callersTrace + "-00f067aa0ba902b7-00"
)

// submitTraced submits a file as a program that has a trace and a correlation id of its own.
func submitTraced(t *testing.T, h *testcluster.Cluster, path string, header http.Header) domain.ID {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range [][2]string{
		{"operations", `{"query":"mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) { case { id } userErrors { ... on Refusal { message } } } }","variables":{"input":{"file":null}}}`},
		{"map", `{"file":["variables.input.file"]}`}} {
		_ = form.WriteField(part[0], part[1])
	}
	file, err := form.CreateFormFile("file", "invoice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(content)
	_ = form.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/graphql", &body)
	if err != nil {
		t.Fatal(err)
	}
	_, token := h.Credentials("submitter@test.test")
	request.Header = header.Clone()
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("GraphQL-Preflight", "1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	var answer struct {
		Data struct {
			SubmitDocument struct{ Case *struct{ ID string } }
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Data.SubmitDocument.Case == nil {
		t.Fatalf("not submitted: %d %s", response.StatusCode, text)
	}
	id, err := scalar.IDOf(scalar.KindCase, "id", answer.Data.SubmitDocument.Case.ID)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// One document is one trace from the request to the frame, over both programs and a child process;
// the decision of a person is a trace of its own that is linked to it.
func TestOneDocumentIsFollowed(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	h := testcluster.New(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.url, "OTEL_TRACES_SAMPLER_ARG=1")
	click := pageAction(t, 2)
	id := submitTraced(t, h, h.PDF(testcluster.Invoice(120, 20_000)), http.Header{
		"Traceparent": {click[0]}, "X-Correlation-Id": {"order-4711.a"}})
	sendTraced(t, h, click[1])
	_, auditor := h.Credentials("auditor@test.test")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	frames, err := overSocket(ctx, h.URL, auditor, scalar.GlobalID(scalar.KindCase, id), "")
	if err != nil {
		t.Fatal(err)
	}
	followed := make(chan error, 1)
	go func() {
		for {
			if event, err := frames.next(); err != nil || event.complete() {
				followed <- err
				return
			}
		}
	}()
	worker := h.Worker()
	reference := referenceOf(t, h, id)
	senior := h.CLI("senior")
	testcluster.Eventually(t, time.Minute, "it is in review",
		func() bool { return senior.Run("review", "claim", reference).Code == 0 })
	senior.Expect(0, nil, "review", "decide", reference, "approve")
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
	testcluster.Eventually(t, 20*time.Second, "the spans have arrived", func() bool {
		return len(receiver.named("server", "frame")) >= 8 &&
			len(receiver.named("worker", "stage archive")) > 0 &&
			len(receiver.named("server", "command decide")) > 0
	})
	drawTraces(t, receiver)
	checkTree(t, receiver, traceOf(click[0]))
	checkAction(t, receiver, click)
	checkDecisionLinked(t, receiver, traceOf(click[0]))
	checkLines(t, h.Server, worker, id)
}

// checkTree demands the paths of the first trace, which is the page's.
func checkTree(t *testing.T, receiver *otlpReceiver, begun string) {
	t.Helper()
	request := []string{"server: http POST", "server: graphql mutation submitDocument",
		"server: command submit"}
	for _, want := range []struct {
		program, name string
		path          []string
	}{
		{"server", "command submit", request},
		{"worker", "stage read", append(slices.Clone(request), "worker: task ocr",
			"worker: stage read")},
		{"worker", "child ", append(slices.Clone(request), "worker: task ocr",
			"worker: stage read", "worker: child ")},
		{"worker", "postgres lease", append(slices.Clone(request), "worker: task ocr",
			"worker: postgres lease")},
	} {
		spans := receiver.named(want.program, want.name)
		at := slices.IndexFunc(spans, func(s receivedSpan) bool {
			path := receiver.path(s)
			return s.trace() == begun && len(path) == len(want.path) &&
				strings.HasPrefix(strings.Join(path, "/"), strings.Join(want.path, "/"))
		})
		if at < 0 {
			t.Errorf("no span %s of the %s below %v; there are %v", want.name, want.program,
				want.path, paths(receiver, spans))
		}
	}
	if !slices.ContainsFunc(receiver.named("server", "frame"), func(s receivedSpan) bool {
		path := receiver.path(s)
		return s.trace() == begun && strings.HasPrefix(path[0], "server: http POST") &&
			slices.ContainsFunc(path, func(n string) bool { return strings.HasPrefix(n, "worker: stage") })
	}) {
		t.Errorf("no frame below a stage of the worker: %v",
			paths(receiver, receiver.named("server", "frame")))
	}
	if !slices.ContainsFunc(receiver.all(), func(s receivedSpan) bool {
		return s.trace() == begun && s.program == "server" &&
			strings.HasPrefix(strings.ToLower(s.Name), "select")
	}) {
		t.Error("no statement of Postgres in the trace of the request")
	}
}

func paths(receiver *otlpReceiver, spans []receivedSpan) (list []string) {
	for _, s := range spans {
		list = append(list, s.trace()[:6]+" "+strings.Join(receiver.path(s), "/"))
	}
	return list
}

// checkDecisionLinked demands that the decision has another trace, linked to the case's latest.
func checkDecisionLinked(t *testing.T, receiver *otlpReceiver, begun string) {
	t.Helper()
	claim, decide := receiver.named("server", "command claim"),
		receiver.named("server", "command decide")
	linked := func(spans []receivedSpan, to string) bool {
		return slices.ContainsFunc(spans, func(s receivedSpan) bool {
			return s.trace() != to && slices.ContainsFunc(s.Links, func(l *trace.Span_Link) bool {
				return fmt.Sprintf("%x", l.TraceId) == to
			})
		})
	}
	if len(claim) == 0 || !linked(claim, begun) {
		t.Errorf("the claim is not linked to the submission: %v", paths(receiver, claim))
		return
	}
	if !slices.ContainsFunc(claim, func(c receivedSpan) bool { return linked(decide, c.trace()) }) {
		t.Errorf("the decision is not linked to the claim: %v", paths(receiver, decide))
	}
	archive := receiver.named("worker", "stage archive")
	if len(archive) == 0 || archive[0].trace() == begun {
		t.Errorf("the archive is part of the submission's trace: %v", paths(receiver, archive))
	}
}

// checkLines demands one line for each stage and decision, with ids and no values.
func checkLines(t *testing.T, server, worker *testcluster.Process, id domain.ID) {
	t.Helper()
	known := []string{"time", "level", "msg", "program", "version", "pid", "worker", "case",
		"correlation_id", "trace_id", "node", "outcome", "ms"}
	seen := map[string]int{}
	for _, line := range append(server.LogLines("decision made"),
		append(server.LogLines("stage finished"), worker.LogLines("stage finished")...)...) {
		if line["case"] != id.String() {
			continue
		}
		seen[fmt.Sprint(line["msg"], " ", line["node"], " ", line["outcome"])]++
		if line["correlation_id"] != "order-4711.a" || len(fmt.Sprint(line["trace_id"])) != 32 ||
			line["level"] != "INFO" {
			t.Errorf("the line lacks an id: %v", line)
		}
		for name := range line {
			if !slices.Contains(known, name) {
				t.Errorf("the line has %q: %v", name, line)
			}
		}
	}
	stages, decisions := 0, 0
	for what, times := range seen {
		if times != 1 {
			t.Errorf("%d lines of %q", times, what)
		}
		if strings.HasPrefix(what, "decision made") {
			decisions++
		} else {
			stages++
		}
	}
	if decisions != 1 || stages < 4 {
		t.Errorf("%d decisions and %d stages were logged: %v", decisions, stages, seen)
	}
}

func referenceOf(t *testing.T, h *testcluster.Cluster, id domain.ID) (reference string) {
	t.Helper()
	if err := h.Database.Owner(t).QueryRow(t.Context(),
		`SELECT reference FROM cases WHERE id = $1`, id).Scan(&reference); err != nil {
		t.Fatal(err)
	}
	return reference
}

// Headers of a trace that are malformed, huge or sent twice are ignored, and the flag "sampled" of a
// caller records nothing.
func TestCallersCannotForceTraces(t *testing.T) {
	t.Parallel()
	receiver := newReceiver(t)
	h := testcluster.New(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.url, "OTEL_TRACES_SAMPLER_ARG=0")
	path := h.PDF(testcluster.Invoice(121, 100))
	for name, header := range map[string]http.Header{
		"sampled":     {"Traceparent": {callersParent[:54] + "1"}},
		"huge":        {"Traceparent": {callersParent + strings.Repeat("0", 30_000)}},
		"twice":       {"Traceparent": {callersParent, callersParent}},
		"version":     {"Traceparent": {"ff" + callersParent[2:]}},
		"zero":        {"Traceparent": {"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}},
		"capital":     {"Traceparent": {strings.ToUpper(callersParent)}},
		"correlation": {"X-Correlation-Id": {"a name, with blanks"}},
	} {
		id := submitTraced(t, h, path, header)
		var stored, correlation string
		if err := h.Database.Owner(t).QueryRow(t.Context(),
			`SELECT traceparent, correlation_id FROM cases WHERE id = $1`, id).Scan(&stored,
			&correlation); err != nil {
			t.Fatal(err)
		}
		if taken := strings.Contains(stored, callersTrace); taken != (name == "sampled") ||
			!strings.HasSuffix(stored, "-00") || correlation != id.String() {
			t.Errorf("%s: stored %q and %q", name, stored, correlation)
		}
	}
	if spans := receiver.all(); len(spans) > 0 {
		t.Errorf("%d spans were recorded: %v", len(spans), paths(receiver, spans))
	}
}

// A receiver that accepts a connection and never answers delays nothing; what it misses is counted.
func TestADeadReceiverDelaysNothing(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }() // kept open and silent
		}
	}()
	h := testcluster.New(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+listener.Addr().String(),
		"OTEL_TRACES_SAMPLER_ARG=1")
	h.Worker()
	h.CLI("submitter").Expect(0, []string{"was archived"}, "submit", "--watch",
		h.PDF(testcluster.Invoice(122, 100)))
	testcluster.Eventually(t, 30*time.Second, "the missing spans are counted", func() bool {
		dropped, found := metricValue(t, h.Metrics(), "countersign_spans_dropped_total")
		return found && dropped > 0
	})
}
