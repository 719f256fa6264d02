package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/domain"
)

// refusing is the payload of a mutation that the server refuses.
func refusing(field, code, message, remedy string) object {
	refusal := object{"__typename": "NotPermitted", "code": code, "message": message,
		"remedy": nil, "field": nil}
	if remedy != "" {
		refusal["remedy"] = remedy
	}
	return object{field: nil, "userErrors": []any{refusal}, "problems": []any{},
		"duplicates": []any{}}
}

func TestRefusalsArePrintedAsSentenceAndRemedy(t *testing.T) {
	t.Parallel()
	const limit = "The amount is above your limit."
	for name, tc := range map[string]struct {
		args    []string
		field   string
		payload object
		want    string
	}{
		"with a remedy": {[]string{"review", "claim", "review-1"}, "claimReview",
			refusing("review", "ApprovalLimitExceeded", limit, "Escalate it."),
			"countersign: " + limit + " Escalate it.\n"},
		"without a remedy": {[]string{"review", "release", "review-1"}, "releaseReview",
			refusing("review", "NotClaimedByYou", "You have not claimed this review.", ""),
			"countersign: You have not claimed this review.\n"},
		"of the next review": {[]string{"review", "next"}, "claimNextReview",
			refusing("review", "NothingToClaim", "No review is available.", ""),
			"countersign: No review is available.\n"},
		"of an input": {[]string{"incident", "retry", "case-1"}, "retryIncident",
			refusing("case", "InvalidInput", "This case has no incident.", ""),
			"countersign: This case has no incident.\n"},
		"of a file": {[]string{"submit", "main.go"}, "submitDocument",
			refusing("case", "FileRefused", "The file type is not supported.", "Upload a PDF."),
			"countersign: The file type is not supported. Upload a PDF.\n"},
		"of a replacement before a resubmission": {
			[]string{"resubmit", "case-1", "--replace", "main.go"}, "replaceDocument",
			refusing("case", "FileRefused", "The file is empty.", ""),
			"countersign: The file is empty.\n"},
		"of a proposal, with its problems": {[]string{"process", "publish", "document_approval"},
			"publishProcessDefinition",
			with(refusing("proposal", "UnsoundDefinition", "The definition is not sound.", ""),
				object{"problems": []any{problemFixture}}),
			"problem: line 12: review_l1: The case cannot leave review_l1. " +
				"(after: review_l1 return)\ncountersign: The definition is not sound.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := jsonAnswers()
			answers[tc.field] = tc.payload
			server := newFakeAPI(t, answers)
			code, out, messages := server.run(tc.args...)
			if code != exitFailed || out != "" || messages != tc.want {
				t.Errorf("exit code %d, output %q, messages %q, want %q", code, out, messages,
					tc.want)
			}
		})
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ response, want string }{
		"an error with code and remedy": {
			`{"errors":[{"message":"Too many requests.",` +
				`"extensions":{"code":"Busy","remedy":"Try again later."}}]}`,
			"countersign: Too many requests. Try again later.\n"},
		"an error without a code": {`{"errors":[{"message":"Internal error."}],"data":null}`,
			"countersign: Internal error.\n"},
		"invalid input found by the server": {`{"errors":[{"message":"The id is too long.",` +
			`"extensions":{"code":"InvalidInput"}}]}`, "countersign: The id is too long.\n"},
		"not JSON": {"<html>", "sent an unexpected response (200 OK). Check that " +
			"COUNTERSIGN_URL is the address of a Countersign server.\n"},
		"other data": {`{"data":{"cases":7}}`, "countersign: decode the response: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFakeAPI(t, nil)
			server.failure = tc.response
			code, out, messages := server.run("case", "list")
			if code != exitFailed || out != "" || !strings.Contains(messages, tc.want) {
				t.Errorf("exit code %d, output %q, messages %q, want %q", code, out, messages,
					tc.want)
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	server := newFakeAPI(t, nil)
	server.url = gone.URL
	want := "countersign: The server at " + gone.URL + " does not respond. Check that it is " +
		"running and that COUNTERSIGN_URL is correct.\n  cause: "
	for _, args := range [][]string{{"case", "list"}, {"submit", "main.go"}} {
		if code, _, messages := server.run(args...); code != exitFailed ||
			!strings.HasPrefix(messages, want) {
			t.Errorf("%v: exit code %d: %s", args, code, messages)
		}
	}
}

func TestMissingToken(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	c := &console{out: &errs, errs: &errs}
	_, err := c.api()
	if code := c.printError(err); code != exitFailed ||
		!strings.HasPrefix(errs.String(),
			"countersign: No API token is set. Set COUNTERSIGN_TOKEN.") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, jsonAnswers())
	for _, args := range [][]string{{"case", "list"}, {"submit", "main.go"}} {
		if code, _, messages := server.run(args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, messages)
		}
		for name, want := range map[string]string{"Authorization": "Bearer secret",
			"Graphql-Preflight": "1", "X-Countersign-Channel": "cli",
			"User-Agent": "countersign-cli"} {
			if got := server.last().header.Get(name); got != want {
				t.Errorf("%v: %s is %q, want %q", args, name, got, want)
			}
		}
	}
}

// Flags become variables, and a flag that is not given sends nothing.
func TestVariables(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]object{
		"case list": {"first": 20.0},
		"case list --first 3 --status returned,archived --text Kiefer": {"first": 3.0,
			"statuses": []any{"RETURNED", "ARCHIVED"}, "text": "Kiefer"},
		"review list": {"first": 20.0},
		"review list --mine --queue L1": {"first": 20.0, "mine": true,
			"queue": "L1"},
		"review list --available":             {"first": 20.0, "available": true},
		"review claim review-1":               {"reviewId": "review-1"},
		"review release review-1":             {"reviewId": "review-1"},
		"review claim review-1 --expected 7":  {"reviewId": "review-1", "expected": "7"},
		"review next":                         {},
		"review decide review-1 approve":      {"reviewId": "review-1", "verdict": "APPROVE"},
		"review decide CS-2026-000001 return": {"reviewId": "review-1", "verdict": "RETURN"},
		"review override review-1 iban_check=called": {"reviewId": "review-1",
			"overrides": []any{object{"rule": "iban_check", "reason": "called"}}},
		"review decide review-1 approve --override a=1,2=3 --override b=2": {"reviewId": "review-1",
			"verdict": "APPROVE", "overrides": []any{object{"rule": "a", "reason": "1,2=3"},
				object{"rule": "b", "reason": "2"}}},
		"review confirm review-1 total currency": {"reviewId": "review-1", "confirm": false,
			"names": []any{"total", "currency"}},
		"review correct review-1 total=1 --confirm": {"reviewId": "review-1", "confirm": true,
			"fields": []any{object{"name": "total", "value": "1"}}},
		"incident list --first 5": {"first": 5.0},
		"incident retry case-1":   {"caseId": "case-1"},
		"incident enter case-1 total=1": {"caseId": "case-1",
			"fields": []any{object{"name": "total", "value": "1"}}},
		"incident abandon case-1 --reason Twice": {"caseId": "case-1", "reason": "Twice"},
		"resubmit case-1":                        {"caseId": "case-1"},
		"resubmit case-1 --comment Done":         {"caseId": "case-1", "comment": "Done"},
		"process publish document_approval":      {"proposalId": "proposal-1", "confirm": false, "unresolved": []any{}},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			server := newFakeAPI(t, jsonAnswers())
			if code, _, messages := server.run(strings.Fields(command)...); code != 0 {
				t.Fatalf("exit code %d: %s", code, messages)
			}
			got := server.last().Variables
			key, _ := got["key"].(string)
			if _, err := domain.ParseID(key); strings.Contains(server.last().Query, "$key") &&
				err != nil {
				t.Errorf("the idempotency key is %q", key)
			}
			delete(got, "key")
			if !sameJSON(t, got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "Rechnung März.pdf")
	content := strings.Repeat("%PDF-1.7 ", 30_000)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	server := newFakeAPI(t, jsonAnswers())
	code, out, messages := server.run("submit", path, "--key", "order-10", "--type", "receipt",
		"--country", "de", "--amount", "12.50", "--currency", "eur")
	if want := "CS-2026-000001  " + path + "\n  identical files were submitted before: " +
		"CS-2026-000001\n"; code != 0 || out != want {
		t.Errorf("exit code %d, output %q, want %q: %s", code, out, want, messages)
	}
	sent := server.last()
	if sent.file != content || sent.fileName != filepath.Base(path) {
		t.Errorf("%d bytes of %q were sent", len(sent.file), sent.fileName)
	}
	if want := (object{"file": "the file", "documentType": "receipt", "country": "DE",
		"amount": object{"amount": "12.50", "currency": "EUR"},
		"key":    "order-10"}); !sameJSON(t, sent.Variables, want) {
		t.Errorf("got %v, want %v", sent.Variables, want)
	}
}

// A file that vanishes after the arguments were checked is reported before any request.
func TestUploadOfAMissingFile(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, jsonAnswers())
	missing := filepath.Join(t.TempDir(), "missing.pdf")
	client := &api{address: server.url, token: "secret", client: &http.Client{}}
	_, err := submitDocument(t.Context(), client, upload(missing), "", "", "", nil, nil, nil, nil, "")
	var errs bytes.Buffer
	code := (&console{out: &errs, errs: &errs}).printError(err)
	if want := "countersign: The file " + missing + " cannot be opened.\n"; code != exitUsage ||
		errs.String() != want {
		t.Errorf("exit code %d: %q, want %q", code, &errs, want)
	}
	if len(server.requests) != 0 {
		t.Errorf("%d requests were sent", len(server.requests))
	}
}

// One refused file does not keep the others from being submitted, but it decides the exit code.
func TestSubmitOfSeveralFiles(t *testing.T) {
	t.Parallel()
	answers := jsonAnswers()
	count := 0
	answers["submitDocument"] = func(object) any {
		if count++; count == 1 {
			return refusing("case", "FileRefused", "The file is empty.", "")
		}
		return done("case", caseHeadFixture)
	}
	code, out, messages := newFakeAPI(t, answers).run("submit", "main.go", "case.go")
	if want := "CS-2026-000001  " + absolute(t, "case.go") + "\n"; code != exitFailed ||
		out != want {
		t.Errorf("exit code %d, output %q, want %q", code, out, want)
	}
	if want := absolute(t, "main.go") + ":\ncountersign: The file is empty.\n" +
		"countersign: not every file was submitted\n"; messages != want {
		t.Errorf("messages %q, want %q", messages, want)
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	answers := object{"cases": nodes(), "case": nil, "review": nil, "proposals": nodes()}
	for command, want := range map[string]string{
		"case show CS-2026-000009":   "The case CS-2026-000009 was not found, or you do not have access.",
		"case show x":                "The case x was not found, or you do not have access.",
		"watch x":                    "The case x was not found, or you do not have access.",
		"resubmit x":                 "The case x was not found, or you do not have access.",
		"incident retry x":           "The case x was not found, or you do not have access.",
		"review claim x":             "The review x was not found, or you do not have access.",
		"review show CS-2026-000009": "The review CS-2026-000009 was not found, or you do not have access.",
		"process publish x": "The process x has no open proposal. Run countersign process list " +
			"to see the proposals.",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			code, out, messages := newFakeAPI(t, answers).run(strings.Fields(command)...)
			if code != exitFailed || out != "" || messages != "countersign: "+want+"\n" {
				t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
			}
		})
	}
}

func TestTablesAreAligned(t *testing.T) {
	t.Parallel()
	other := with(caseFixture, object{"counterparty": "Żółć ŁÓDŹ sp. z o.o.",
		"reference": "CS-2026-000002", "amount": nil, "submitter": nil})
	hostile := with(caseFixture, object{"counterparty": "\x1b[2JEvil\nGmbH",
		"reference": "CS-2026-000003"})
	answers := object{"cases": nodes(caseFixture, other, hostile)}
	code, out, messages := newFakeAPI(t, answers).run("case", "list")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("exit code %d:\n%s%s", code, out, messages)
	}
	column := func(line, text string) int {
		before, _, found := strings.Cut(line, text)
		if !found {
			t.Errorf("%q is not in %q", text, line)
		}
		return utf8.RuneCountInString(before)
	}
	for heading, cells := range map[string][3]string{
		"COUNTERPARTY": {"Kiefer & Söhne", "Żółć ŁÓDŹ", " [2JEvil GmbH"},
		"AMOUNT":       {"1234.50 EUR", "-  ", "1234.50 EUR"},
		"SUBMITTER":    {"Sven Berg", "-  " + localTime("2026-11-21T13:54:24Z"), "Sven Berg"},
	} {
		for i, cell := range cells {
			if heading == "AMOUNT" && i == 1 || heading == "SUBMITTER" && i == 1 {
				continue // a dash is in every column
			}
			if got, want := column(lines[i+1], cell), column(lines[0], heading); got != want {
				t.Errorf("%q is in column %d, its heading in %d:\n%s", cell, got, want, out)
			}
		}
	}
}

func TestOutputForPeople(t *testing.T) {
	t.Parallel()
	until := localTime("2026-11-21T14:24:00Z")
	for command, want := range map[string][]string{
		"review claim review-1":           {"CS-2026-000001  claimed until " + until + "\n"},
		"review next":                     {"CS-2026-000001  claimed until " + until + "\n"},
		"review release review-1":         {"CS-2026-000001  released\n"},
		"incident retry case-1":           {"CS-2026-000001  queued again\n"},
		"incident abandon x --reason y":   {"CS-2026-000001  abandoned\n"},
		"incident replace case-1 main.go": {"CS-2026-000001  replaced\n"},
		"resubmit case-1":                 {"CS-2026-000001  resubmitted\n"},
		"incident list": {"REFERENCE", "ACTIONS", "The file is damaged.",
			"retry, replace, enter, abandon"},
		"review list": {"ASSIGNEE", "Kiefer & Söhne", "1234.50 EUR", "open"},
		"case show case-1": {"CS-2026-000001  in_review  invoice  1234.50 EUR, at risk 9000.00 USD  Kiefer & Söhne\n",
			"needs a second person: statement", "9000.00 USD  declared",
			"  document: a.pdf (application/pdf, 700 bytes, revision 2)  /files/a\n",
			"ocr     98%    1", "  risk: 10\n", "  review: L1, open, decide by ",
			"  incident: read failed at attempt 1: The file is damaged. (FileRefused)\n",
			"Arithmetic  blocking  30", "Which order?", "A review was opened."},
		"process list": {"document_approval  1", "current", "proposed", "Shorter", "Sven Berg"},
		"process publish document_approval": {
			"document_approval version 2  published for new cases\n"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			code, out, messages := newFakeAPI(t, jsonAnswers()).run(strings.Fields(command)...)
			if code != 0 {
				t.Errorf("exit code %d: %s", code, messages)
			}
			for _, part := range want {
				if !strings.Contains(out, part) {
					t.Errorf("%q is not in:\n%s", part, out)
				}
			}
		})
	}
}

func TestEmptyAndShortenedLists(t *testing.T) {
	t.Parallel()
	if _, out, _ := newFakeAPI(t, object{"cases": nodes()}).run("case", "list"); out != "none\n" {
		t.Errorf("an empty list prints %q", out)
	}
	if _, out, _ := newFakeAPI(t, object{"cases": nodes()}).run("--json", "case",
		"list"); out != "[]\n" {
		t.Errorf("an empty list prints %q as JSON", out)
	}
	many := with(nodes(reviewFixture), object{"totalCount": 41})
	_, _, messages := newFakeAPI(t, object{"reviews": many}).run("review", "list")
	if messages != "40 more; use --first 41 to see them\n" {
		t.Errorf("a shortened list says %q", messages)
	}
}

func TestProcessCheck(t *testing.T) {
	t.Parallel()
	code, out, messages := newFakeAPI(t, jsonAnswers()).run("process", "check", "main.go")
	if code != exitFailed ||
		out != "problem: line 12: review_l1: The case cannot leave review_l1. "+
			"(after: review_l1 return)\n" || messages !=
		"countersign: main.go is not sound. Correct the problems and check it again.\n" {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	sound := object{"checkProcessDefinition": object{"key": "document_approval",
		"milliseconds": 2.4, "report": object{"sound": true, "markings": 12, "problems": []any{},
			"warnings": []any{}, "understaffed": []any{problemFixture}}}}
	code, out, _ = newFakeAPI(t, sound).run("process", "check", "main.go")
	if code != 0 || !strings.HasPrefix(out, "too few people: line 12: ") ||
		!strings.HasSuffix(out, "document_approval  sound: 12 states verified in 2 ms\n") {
		t.Errorf("exit code %d, output %q", code, out)
	}
}
