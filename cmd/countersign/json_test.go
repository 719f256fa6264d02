package main

import (
	"path/filepath"
	"testing"
)

// Fixtures of the fake endpoint, as the server writes them.
var (
	moneyFixture    = object{"amount": "1234.50", "currency": "EUR"}
	personFixture   = object{"name": "Sven Berg"}
	caseHeadFixture = object{"id": "case-1", "reference": "CS-2026-000001", "status": "IN_REVIEW",
		"cursor": "cursor-9", "version": "4"}
	eventFixture = object{"cursor": "cursor-9", "seq": "9", "type": "review.opened",
		"at": "2026-11-21T13:54:25.250000Z", "status": "IN_REVIEW",
		"sentence": "A review was opened."}
	reviewFixture = object{"id": "review-1", "version": "7", "queue": "L1", "status": "OPEN",
		"assignee": nil, "drawn": false, "claimBy": nil, "decideBy": "2026-11-22T13:54:00.000000Z", "claimUntil": nil,
		"case": object{"id": "case-1", "reference": "CS-2026-000001",
			"counterparty": "Kiefer & Söhne", "documentType": "invoice", "amount": moneyFixture,
			"risk": 10}}
	incidentFixture = object{"id": "incident-1", "version": "1", "node": "read",
		"code": "FileRefused", "message": "The file is damaged.",
		"openedAt": "2026-11-21T13:54:25.000000Z", "attempt": 1,
		"actions": []any{"RETRY", "REPLACE_DOCUMENT", "ENTER_FIELDS", "ABANDON"},
		"case":    caseHeadFixture}
	caseFixture = with(caseHeadFixture, object{"documentType": "invoice",
		"counterparty": "Kiefer & Söhne", "amount": moneyFixture,
		"amountAtRisk": object{"amount": "9000.00", "currency": "USD"},
		"missing":      []string{"country"},
		"attributes":   []any{object{"name": "department", "value": "sales", "currency": nil}},
		"supportingDocuments": []any{object{"number": 1, "kind": "payslip", "current": true, "fileName": "may.pdf",
			"mediaType": "application/pdf", "size": "12", "path": "/cases/1/documents/1"}},
		"differences": []any{object{"field": "total", "pending": "STATEMENT", "values": []any{
			object{"value": "1234.50", "currency": "EUR", "source": "HUMAN", "by": personFixture,
				"at": "2026-11-21T13:54:24.000000Z"},
			object{"value": "9000.00", "currency": "USD", "source": "DECLARED", "by": nil,
				"at": nil}}}},
		"parent": nil, "pages": nil, "parts": []any{},
		"createdAt": "2026-11-21T13:54:24.000000Z", "submitter": personFixture, "risk": 10, "assessed": true,
		"channel": "CLI", "document": object{"fileName": "a.pdf", "mediaType": "application/pdf",
			"size": "700", "path": "/files/a", "revision": 2},
		"fields": []any{object{"name": "total", "raw": "1.234,50", "normalised": "1234.50",
			"source": "OCR", "page": 1, "confidence": 0.875}},
		"findings": []any{object{"rule": "arithmetic", "title": "Arithmetic", "severity": "BLOCKING",
			"message": "Net and tax do not add up.", "score": 30}},
		"decisions": []any{object{"verdict": "RETURN", "reason": "Which order?",
			"at": "2026-11-21T13:55:00.000000Z", "actor": personFixture}},
		"openReview": reviewFixture, "incident": incidentFixture,
		"lastEvents": []any{eventFixture}})
	emptyCaseFixture = with(caseHeadFixture, object{"documentType": "invoice",
		"counterparty": "", "amount": nil, "createdAt": "2026-11-21T13:54:24.000000Z",
		"submitter": nil, "risk": nil, "assessed": false, "missing": []any{},
		"parent": object{"reference": "CS-2026-000009"}, "pages": object{"first": 2, "last": 3},
		"parts":               []any{},
		"attributes":          []any{},
		"supportingDocuments": []any{},
		"differences":         []any{}, "channel": "API", "document": nil, "fields": []any{},
		"findings": []any{}, "decisions": []any{}, "openReview": nil, "incident": nil,
		"lastEvents": []any{}})
	proposalFixture = object{"id": "proposal-1", "key": "document_approval", "status": "PROPOSED",
		"note": "Shorter", "nextVersion": 2, "proposedBy": personFixture,
		"discussion": object{"nodes": []any{}}}
	problemFixture = object{"rule": "stuck", "message": "The case cannot leave review_l1.",
		"node": "review_l1", "line": 12, "path": []any{object{"event": "review_l1 return"}}}
)

// with is base and the fields of more.
func with(base, more object) object {
	merged := object{}
	for name, value := range base {
		merged[name] = value
	}
	for name, value := range more {
		merged[name] = value
	}
	return merged
}

func nodes(list ...any) object { return object{"nodes": list, "totalCount": len(list)} }

// done is the payload of a mutation that changed the value of the field.
func done(field string, value any) object {
	return object{field: value, "userErrors": []any{}, "problems": []any{}, "duplicates": []any{}}
}

// jsonAnswers are the fixtures for every command that prints JSON.
func jsonAnswers() object {
	claimed := with(reviewFixture, object{"status": "CLAIMED", "assignee": personFixture,
		"claimUntil": "2026-11-21T14:24:00.000000Z"})
	processing := done("case", with(caseHeadFixture, object{"status": "PROCESSING"}))
	return object{
		"cases": nodes(caseFixture), "case": caseFixture, "reviews": nodes(reviewFixture),
		"review": reviewFixture, "incidents": nodes(incidentFixture),
		"claimReview": done("review", claimed), "claimNextReview": done("review", claimed),
		"releaseReview": done("review", reviewFixture),
		"correctFields": done("review", claimed), "confirmFields": done("review", claimed),
		"overrideFindings": done("review", claimed),
		"clearDuplicate":   done("review", claimed),
		"decideReview":     done("review", claimed),
		"retryIncident":    processing, "enterFields": processing, "abandonCase": processing,
		"replaceDocument": processing, "resubmitCase": processing,
		"submitDocument": with(processing, object{"duplicates": []any{caseHeadFixture}}),
		"processDefinitions": nodes(object{"key": "document_approval", "version": 1,
			"newest": true, "title": "Document approval",
			"publishedAt": "2026-11-21T13:00:00.000000Z", "publishedBy": nil}),
		"documentTypes":            nodes(object{"key": "receipt"}),
		"proposals":                nodes(proposalFixture),
		"publishProcessDefinition": done("proposal", proposalFixture),
		"checkProcessDefinition": object{"key": "document_approval", "milliseconds": 2.5,
			"report": object{"sound": false, "markings": 3, "problems": []any{problemFixture},
				"warnings": []any{}, "understaffed": []any{}}},
	}
}

// The JSON that each command printed for the fixtures.
const (
	reviewCaseJSON = `"case":{"id":"case-1","reference":"CS-2026-000001",` +
		`"counterparty":"Kiefer & Söhne","documentType":"invoice",` +
		`"amount":{"amount":"1234.50","currency":"EUR"},"amountAtRisk":null,"risk":10}}`
	reviewJSON = `{"id":"review-1","version":"7","queue":"L1","status":"OPEN","assignee":null,"drawn":false,` +
		`"claimBy":"","decideBy":"2026-11-22T13:54:00.000000Z","claimUntil":"",` + reviewCaseJSON
	claimedJSON = `{"id":"review-1","version":"7","queue":"L1","status":"CLAIMED",` +
		`"assignee":{"name":"Sven Berg"},"drawn":false,"claimBy":"","decideBy":"2026-11-22T13:54:00.000000Z",` +
		`"claimUntil":"2026-11-21T14:24:00.000000Z",` + reviewCaseJSON
	incidentJSON = `{"id":"incident-1","version":"1","node":"read","code":"FileRefused",` +
		`"message":"The file is damaged.","openedAt":"2026-11-21T13:54:25.000000Z","attempt":1,` +
		`"actions":["RETRY","REPLACE_DOCUMENT","ENTER_FIELDS","ABANDON"],` +
		`"case":{"id":"case-1","reference":"CS-2026-000001","status":"IN_REVIEW",` +
		`"cursor":"cursor-9","version":"4"}}`
	rowJSON = `"id":"case-1","reference":"CS-2026-000001","status":"IN_REVIEW",` +
		`"cursor":"cursor-9","version":"4","documentType":"invoice",` +
		`"counterparty":"Kiefer & Söhne","amount":{"amount":"1234.50","currency":"EUR"},` +
		`"amountAtRisk":{"amount":"9000.00","currency":"USD"},`
	missingJSON = `"missing":["country"],"attributes":[{"name":"department","value":"sales","currency":null}],` +
		`"supportingDocuments":[{"number":1,"kind":"payslip","current":true,"fileName":"may.pdf",` +
		`"mediaType":"application/pdf","size":"12","path":"/cases/1/documents/1"}],`
	submittedJSON   = `"createdAt":"2026-11-21T13:54:24.000000Z","submitter":{"name":"Sven Berg"}`
	differencesJSON = `"differences":[{"field":"total","pending":"STATEMENT","values":[` +
		`{"value":"1234.50","currency":"EUR","source":"HUMAN","by":{"name":"Sven Berg"},` +
		`"at":"2026-11-21T13:54:24.000000Z"},{"value":"9000.00","currency":"USD",` +
		`"source":"DECLARED","by":null,"at":null}]}],`
	detailJSON = `{` + rowJSON + missingJSON + differencesJSON +
		`"parent":null,"pages":null,"parts":[],` + submittedJSON + `,"risk":10,"assessed":true,"channel":"CLI",` +
		`"document":{"fileName":"a.pdf",` +
		`"mediaType":"application/pdf","size":"700","path":"/files/a","revision":2},` +
		`"fields":[{"name":"total","raw":"1.234,50","normalised":"1234.50","source":"OCR",` +
		`"page":1,"confidence":0.875}],"findings":[{"rule":"arithmetic",` +
		`"title":"Arithmetic","severity":"BLOCKING",` +
		`"message":"Net and tax do not add up.","score":30}],"decisions":[{"verdict":"RETURN",` +
		`"reason":"Which order?","at":"2026-11-21T13:55:00.000000Z",` +
		`"actor":{"name":"Sven Berg"}}],"openReview":` + reviewJSON + `,"incident":` +
		incidentJSON + `,"lastEvents":[{"cursor":"cursor-9","seq":"9","type":"review.opened",` +
		`"at":"2026-11-21T13:54:25.25Z","status":"IN_REVIEW","sentence":"A review was opened."}]}`
	acted = `{"case":"case-1","reference":"CS-2026-000001","status":"processing"}`
)

func TestJSONOutputKeepsItsShape(t *testing.T) {
	t.Parallel()
	for command, tc := range map[string]struct {
		args []string
		code int
		want string
	}{
		"case list":       {[]string{"case", "list"}, 0, `[{` + rowJSON + submittedJSON + `}]`},
		"case show":       {[]string{"case", "show", "CS-2026-000001"}, 0, detailJSON},
		"case show by id": {[]string{"case", "show", "case-1"}, 0, detailJSON},
		"review list":     {[]string{"review", "list"}, 0, `[` + reviewJSON + `]`},
		"review show":     {[]string{"review", "show", "review-1"}, 0, detailJSON},
		"review claim":    {[]string{"review", "claim", "review-1"}, 0, claimedJSON},
		"review next":     {[]string{"review", "next"}, 0, claimedJSON},
		"review release":  {[]string{"review", "release", "review-1"}, 0, reviewJSON},
		"review distinct": {[]string{"review", "distinct", "review-1", "CS-2026-000002",
			"--reason", "a part delivery"}, 0, claimedJSON},
		"review override": {[]string{"review", "override", "review-1", "arithmetic=rounded"}, 0, claimedJSON},
		"review confirm":  {[]string{"review", "confirm", "review-1", "total"}, 0, claimedJSON},
		"review correct":  {[]string{"review", "correct", "review-1", "total=1"}, 0, claimedJSON},
		"review decide":   {[]string{"review", "decide", "review-1", "approve"}, 0, claimedJSON},
		"incident list":   {[]string{"incident", "list"}, 0, `[` + incidentJSON + `]`},
		"incident retry":  {[]string{"incident", "retry", "case-1"}, 0, acted},
		"incident enter":  {[]string{"incident", "enter", "case-1", "total=1"}, 0, acted},
		"incident abandon": {[]string{"incident", "abandon", "case-1", "--reason", "x"}, 0,
			acted},
		"incident replace": {[]string{"incident", "replace", "case-1", "main.go"}, 0, acted},
		"resubmit":         {[]string{"resubmit", "case-1", "--comment", "x"}, 0, acted},
		"submit": {[]string{"submit", "--key", "k", "main.go"}, 0, `{"case":"case-1","file":"` +
			absolute(t, "main.go") + `","reference":"CS-2026-000001",` +
			`"sameBytes":["CS-2026-000001"]}`},
		"process list": {[]string{"process", "list"}, 0, `{"processDefinitions":{"nodes":[` +
			`{"key":"document_approval","version":1,"newest":true,"title":"Document approval",` +
			`"publishedAt":"2026-11-21T13:00:00.000000Z","publishedBy":null}]},` +
			`"proposals":{"nodes":[{"id":"proposal-1","key":"document_approval",` +
			`"status":"PROPOSED","note":"Shorter","nextVersion":2,` +
			`"proposedBy":{"name":"Sven Berg"}}]}}`},
		"process check": {[]string{"process", "check", "main.go"}, exitFailed,
			`{"key":"document_approval","milliseconds":2.5,"report":{"sound":false,"markings":3,` +
				`"problems":[{"rule":"stuck","message":"The case cannot leave review_l1.",` +
				`"node":"review_l1","line":12,"path":[{"event":"review_l1 return"}]}],` +
				`"warnings":[],"understaffed":[]}}`},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			server := newFakeAPI(t, jsonAnswers())
			code, out, messages := server.run(append([]string{"--json"}, tc.args...)...)
			if code != tc.code || out != tc.want+"\n" {
				t.Errorf("exit code %d, want %d\ngot  %swant %s\n%s", code, tc.code, out, tc.want,
					messages)
			}
		})
	}
}

func TestJSONOfWhatIsUnknown(t *testing.T) {
	t.Parallel()
	answers := jsonAnswers()
	answers["case"] = emptyCaseFixture
	_, out, messages := newFakeAPI(t, answers).run("--json", "case", "show", "case-1")
	want := `{"id":"case-1","reference":"CS-2026-000001","status":"IN_REVIEW",` +
		`"cursor":"cursor-9","version":"4","documentType":"invoice","counterparty":"",` +
		`"amount":null,"amountAtRisk":null,"missing":[],"attributes":[],"supportingDocuments":[],"differences":[],` +
		`"parent":{"reference":"CS-2026-000009"},"pages":{"first":2,"last":3},"parts":[],` +
		`"createdAt":"2026-11-21T13:54:24.000000Z","submitter":null,"risk":null,` +
		`"assessed":false,"channel":"API","document":null,"fields":[],"findings":[],"decisions":[],` +
		`"openReview":null,"incident":null,"lastEvents":[]}` + "\n"
	if out != want {
		t.Errorf("got  %swant %s%s", out, want, messages)
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
