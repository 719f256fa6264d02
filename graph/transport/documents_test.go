package transport

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/domain"
)

func sha256Of(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

const (
	listedHello = "query Hello { hello }"
	listedCount = "subscription Count($n: Int!) { count(to: $n) }"
	listedFile  = "mutation($f:Upload!,$more:[Upload]){upload(file:$f,files:$more)}"
)

func listedDocuments(o *Options) {
	o.ListedOnly = true
	o.Documents = KnownDocuments(map[string]string{"sha256:" + sha256Of(listedHello): listedHello,
		sha256Of(listedCount): listedCount, sha256Of(listedFile): listedFile})
}

// In production, a browser session can send the application's documents, by id in every notation,
// and no others.
func TestASessionSendsListedDocumentsOnly(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, listedDocuments)
	for name, body := range map[string]string{
		"by id":          `{"documentId":"` + sha256Of(listedHello) + `"}`,
		"with algorithm": `{"documentId":"sha256:` + sha256Of(listedHello) + `"}`,
		"by extension": `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` +
			sha256Of(listedHello) + `"}}}`,
		"over a text": `{"documentId":"` + sha256Of(listedHello) + `","query":"{who}"}`,
	} {
		if got := d.post(t, body, "Authorization", "Bearer good"); got.status != 200 ||
			got.body != `{"data":{"hello":"hello"}}` {
			t.Errorf("%s: %+v", name, got)
		}
	}
	get := "?extensions=" + url.QueryEscape(`{"persistedQuery":{"sha256Hash":"`+sha256Of(
		listedHello)+`"}}`)
	for _, query := range []string{"?documentId=" + sha256Of(listedHello), get} {
		if got := d.send(t, http.MethodGet, query, nil, "Authorization",
			"Bearer good"); got.body != `{"data":{"hello":"hello"}}` {
			t.Errorf("get %s: %+v", query, got)
		}
	}
	unlisted := sha256Of("{who}")
	for name, got := range map[string]reply{
		"a text":          d.post(t, `{"query":"{who}"}`, "Authorization", "Bearer good"),
		"unauthenticated": d.post(t, `{"query":"{who}"}`),
		"an unknown id": d.post(t, `{"documentId":"`+unlisted+`"}`, "Authorization",
			"Bearer good"),
		"id and its text": d.post(t, `{"documentId":"`+unlisted+`","query":"{who}"}`,
			"Authorization", "Bearer good"),
		"get": d.send(t, http.MethodGet, "?query=%7Bwho%7D", nil, "Authorization",
			"Bearer good"),
		"file": d.upload(t, field{"operations",
			`{"query":"mutation($f:Upload!){upload(file:$f)}","variables":{"f":null}}`},
			field{"map", `{"0":["variables.f"]}`}, field{"@0", "x"}),
		"the empty string": d.post(t, `{"documentId":"","query":"{who}"}`, "Authorization",
			"Bearer good"),
	} {
		if got.code(t) != string(domain.NotPermitted) || strings.Contains(got.body, "ada") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := d.post(t, `{"query":"{who}"}`, "Authorization",
		"Bearer token"); got.body != `{"data":{"who":"ada"}}` {
		t.Errorf("a program's own document: %+v", got)
	}
	file := d.upload(t, field{"operations", `{"documentId":"` + sha256Of(listedFile) +
		`","variables":{"f":null,"more":[]}}`}, field{"map", `{"0":["variables.f"]}`},
		field{"@0", "x"})
	if file.status != 200 || !strings.Contains(file.body, "0.pdf 1 ") {
		t.Errorf("a listed document with a file: %+v", file)
	}
}

func TestASocketTakesListedDocumentsOnly(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, listedDocuments)
	c := d.begin(t)
	c.sendText(`{"id":"a","type":"subscribe","payload":{"documentId":"` + sha256Of(listedCount) +
		`","variables":{"n":1}}}`)
	c.expectMessages(`{"id":"a","type":"next","payload":{"data":{"count":1}}}`,
		`{"id":"a","type":"complete"}`)
	c.sendText(`{"id":"b","type":"subscribe","payload":{"query":"{who}"}}`)
	if got, err := c.read(); err != nil || !strings.Contains(got, `"type":"error"`) ||
		!strings.Contains(got, "NotPermitted") {
		t.Errorf("received %s %v", got, err)
	}
}

// In development every document is accepted, and an id may replace its text.
func TestUnlistedServersAcceptIDs(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.Documents = KnownDocuments(map[string]string{"sha256:" +
			sha256Of(listedHello): listedHello})
	})
	if got := d.post(t, `{"documentId":"`+sha256Of(
		listedHello)+`"}`); got.body != `{"data":{"hello":"hello"}}` {
		t.Errorf("by id: %+v", got)
	}
	if got := d.post(t, `{"documentId":"`+sha256Of("{who}")+`","query":"{who}"}`, "Authorization",
		"Bearer good"); got.body != `{"data":{"who":"ada"}}` {
		t.Errorf("an unknown id with its text: %+v", got)
	}
	for name, body := range map[string]string{
		"unknown id":     `{"documentId":"` + sha256Of("{who}") + `"}`,
		"another's id":   `{"documentId":"` + sha256Of("{hello}") + `","query":"{who}"}`,
		"id of a number": `{"documentId":1}`,
	} {
		if got := d.post(t, body); got.status != 400 || got.code(t) != string(domain.InvalidInput) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
