package transport

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

func TestPostAndGet(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	for name, got := range map[string]reply{
		"post": d.post(t, `{"query":"{hello}"}`),
		"get":  d.send(t, http.MethodGet, "?query=%7Bhello%7D", nil),
	} {
		if got.status != 200 || got.body != `{"data":{"hello":"hello"}}` ||
			!strings.HasPrefix(got.header.Get("Content-Type"), mediaJSON) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := d.post(t, `{"query":"{who}"}`, "Authorization",
		"Bearer good"); got.body != `{"data":{"who":"ada"}}` {
		t.Errorf("who asks: %s", got.body)
	}
}

// An authenticated caller may send longer requests than others.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.MaxBodyBytes, o.MaxCallerBodyBytes = 1000, 5000 })
	body := func(size int) string {
		return `{"query":"{who}","variables":{"a":"` + strings.Repeat("x", size) + `"}}`
	}
	for name, tc := range map[string]struct {
		got    reply
		status int
	}{
		"without authentication": {d.post(t, body(2000)), 413},
		"authenticated":          {d.post(t, body(2000), "Authorization", "Bearer good"), 200},
		"too long for anyone":    {d.post(t, body(5000), "Authorization", "Bearer good"), 413},
		"an invalid token":       {d.post(t, body(2000), "Authorization", "Bearer bad"), 401},
	} {
		if tc.got.status != tc.status {
			t.Errorf("%s: %d instead of %d: %s", name, tc.got.status, tc.status, tc.got.body)
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.MaxBodyBytes = 1000 })
	long := `{"query":"{hello}","variables":{"a":"` + strings.Repeat("x", 1000) + `"}}`
	for name, tc := range map[string]struct {
		got    reply
		status int
		code   domain.Code
	}{
		"no body": {d.post(t, ""), 400, domain.InvalidInput},
		"a batch": {d.post(t, `[{"query":"{hello}"},{"query":"{hello}"}]`), 400,
			domain.InvalidInput},
		"no JSON":           {d.post(t, `{"query`), 400, domain.InvalidInput},
		"two values":        {d.post(t, `{"query":"{hello}"} {}`), 400, domain.InvalidInput},
		"no query":          {d.post(t, `{}`), 400, domain.InvalidInput},
		"query of a number": {d.post(t, `{"query":1}`), 400, domain.InvalidInput},
		"variables of a list": {d.post(t, `{"query":"{hello}","variables":[]}`), 400,
			domain.InvalidInput},
		"too long": {d.post(t, long), 413, domain.FileTooLarge},
		"form": {d.post(t, `query=%7Bhello%7D`, "Content-Type",
			"application/x-www-form-urlencoded"), 415, domain.InvalidInput},
		"plain text": {d.post(t, `{"query":"{hello}"}`, "Content-Type", "text/plain"), 415,
			domain.InvalidInput},
		"latin 1": {d.post(t, `{"query":"{hello}"}`, "Content-Type",
			"application/json; charset=latin1"), 415, domain.InvalidInput},
		"put": {d.send(t, http.MethodPut, "", nil), 405, domain.InvalidInput},
		"mutation by get": {d.send(t, http.MethodGet, "?query=mutation%7Bact%7D", nil), 405,
			domain.InvalidInput},
		"get variables": {d.send(t, http.MethodGet, "?query=%7Bhello%7D&variables=x", nil),
			400, domain.InvalidInput},
		"wrong credentials": {d.post(t, `{"query":"{hello}"}`, "Authorization", "Bearer bad"),
			401, domain.Unauthenticated},
		"subscription": {d.post(t, `{"query":"subscription{quiet}"}`), 406,
			domain.InvalidInput},
	} {
		if tc.got.status != tc.status || tc.got.code(t) != string(tc.code) {
			t.Errorf("%s: got %d %s, want %d %s", name, tc.got.status, tc.got.body, tc.status,
				tc.code)
		}
		if _, data := tc.got.json(t)["data"]; data {
			t.Errorf("%s: data in an answer of nothing executed", name)
		}
	}
	d.rateLimited.Store(true)
	if got := d.post(t, `{"query":"{hello}"}`); got.status != 429 ||
		got.header.Get("Retry-After") != "7" {
		t.Errorf("too often: %+v", got)
	}
}

func TestInvalidDocuments(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	for _, body := range []string{`{"query":"{"}`, `{"query":"{nothing}"}`,
		`{"query":"subscription($to:Int!){count(to:$to)}"}`} {
		if got := d.post(t, body); got.status != 200 {
			t.Errorf("%s as JSON: %d %s", body, got.status, got.body)
		}
		if got := d.post(t, body, "Accept", mediaResponse); got.status != 400 ||
			!strings.HasPrefix(got.header.Get("Content-Type"), mediaResponse) {
			t.Errorf("%s as a GraphQL response: %d %s", body, got.status, got.body)
		}
	}
}

func TestDocumentsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	repeat := func(n int, part func(int) string) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(part(i))
		}
		return all.String()
	}
	bomb := "query{...f0} fragment f60 on Query{hello}" + repeat(60, func(i int) string {
		return "fragment f" + strconv.Itoa(i) + " on Query{self{...f" + strconv.Itoa(i+1) +
			"} self{...f" + strconv.Itoa(i+1) + "}}"
	})
	flat := "query{...g0} fragment g60 on Query{hello}" + repeat(60, func(i int) string {
		return "fragment g" + strconv.Itoa(i) + " on Query{...g" + strconv.Itoa(i+1) + " ...g" +
			strconv.Itoa(i+1) + "}"
	})
	for name, query := range map[string]string{
		"500 aliased mutations": "mutation{" +
			repeat(500, func(i int) string { return "a" + strconv.Itoa(i) + ":act " }) + "}",
		"11 commands": "mutation{" + strings.Repeat("act ", 11) + "}",
		"16 aliases": "{" + repeat(16,
			func(i int) string { return "a" + strconv.Itoa(i) + ":hello " }) + "}",
		"depth": "{" + strings.Repeat("self{", 10) + "hello" +
			strings.Repeat("}", 11),
		"directives":           "{" + strings.Repeat("hello @skip(if:false) ", 51) + "}",
		"tokens":               "{" + strings.Repeat("hello ", 3000) + "}",
		"fragments in depth":   bomb,
		"fragments in breadth": flat,
	} {
		started := time.Now()
		got := d.post(t, `{"query":"`+query+`"}`, "Accept", mediaResponse)
		if got.status != 400 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		// without limits, the two with fragments would never end
		if took := time.Since(started); took > 30*time.Second {
			t.Errorf("%s: refusing took %v", name, took)
		}
	}
	if got := d.post(t, `{"query":"{`+strings.Repeat("self{", 9)+"hello"+strings.Repeat("}",
		10)+`"}`); strings.Contains(got.body, "errors") {
		t.Errorf("depth within the limit: %s", got.body)
	}
}

func TestExplorer(t *testing.T) {
	t.Parallel()
	closed, opened := newTestServer(t, nil), newTestServer(t,
		func(o *Options) { o.Explorer = true })
	if got := opened.send(t, http.MethodGet, "", nil, "Accept",
		"text/html,*/*;q=0.8"); got.status != 200 ||
		!strings.Contains(got.body, "<title>Countersign API</title>") {
		t.Errorf("%d %.100s", got.status, got.body)
	}
	if got := closed.send(t, http.MethodGet, "", nil, "Accept",
		"text/html,*/*;q=0.8"); got.status != 400 {
		t.Errorf("in production: %d %.100s", got.status, got.body)
	}
}

// stream posts an operation and returns the lines of the event stream.
func (d *testServer) stream(t *testing.T, query string) (*http.Response, *bufio.Scanner) {
	t.Helper()
	request, _ := http.NewRequest(http.MethodPost, d.URL, strings.NewReader(query))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", "Bearer good")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode == 200 &&
		!strings.HasPrefix(kind, "text/event-stream") {
		t.Fatalf("the stream is %s", kind)
	}
	return response, bufio.NewScanner(response.Body)
}

func TestStreams(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.PingEvery = 5 * time.Millisecond })
	for name, tc := range map[string]struct{ query, want string }{
		"a subscription": {
			`{"query":"subscription($n:Int!){count(to:$n)}","variables":{"n":2}}`,
			`event: next|data: {"data":{"count":1}}|event: next|data: {"data":{"count":2}}|event: complete|data: `,
		},
		"a query": {`{"query":"{hello}"}`,
			`event: next|data: {"data":{"hello":"hello"}}|event: complete|data: `},
		"a refusal": {
			`{"query":"subscription{refused}"}`,
			`event: next|data: {"errors":[{"message":"No access."}]}|event: complete|data: `,
		},
		"an end with a reason": {
			`{"query":"subscription{revoked}"}`,
			`event: next|data: {"data":{"revoked":1}}|event: next|data: {"errors":[{"message":"Your session has ended.","extensions":{"code":"SessionExpired"}}]}|event: complete|data: `,
		},
		"an invalid document": {
			`{"query":"subscription{nothing}"}`,
			`event: next|data: {"errors":[{"message":"Cannot query field \"nothing\" on type \"Subscription\".","locations":[{"line":1,"column":14}],"extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}|event: complete|data: `,
		},
	} {
		_, lines := d.stream(t, tc.query)
		var got []string
		for lines.Scan() {
			if line := lines.Text(); line != "" && line != ":" {
				got = append(got, line)
			}
		}
		if text := strings.Join(got, "|"); text != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, text, tc.want)
		}
	}
	_, lines := d.stream(t, `{"query":"subscription{quiet}"}`)
	for range 3 { // the comment at the start, its empty line, and the next comment
		lines.Scan()
	}
	if lines.Text() != ":" {
		t.Errorf("no keep-alive comment: %q", lines.Text())
	}
}

func TestAStreamEndsWithItsReader(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	response, lines := d.stream(t, `{"query":"subscription{quiet}"}`)
	lines.Scan()
	eventually(t, "the subscription runs", func() bool { return d.activeSubscriptions.Load() == 1 })
	_ = response.Body.Close()
	eventually(t, "the subscription ends", func() bool { return d.activeSubscriptions.Load() == 0 })
}

func TestAStreamEndsWithASlowReader(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.WriteTimeout = 2 * time.Second })
	_, lines := d.stream(t, `{"query":"subscription{feed}"}`)
	lines.Scan() // do not read any further
	eventually(t, "frames are produced", func() bool { return d.framesProduced.Load() > 0 })
	eventually(t, "the subscription ends", func() bool { return d.activeSubscriptions.Load() == 0 })
}

func TestClosingEndsStreams(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	_, lines := d.stream(t, `{"query":"subscription{quiet}"}`)
	lines.Scan()
	d.handler.Close()
	for lines.Scan() {
	}
	eventually(t, "the subscription ends", func() bool { return d.activeSubscriptions.Load() == 0 })
}
