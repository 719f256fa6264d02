package graph

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// specCheck is one of the 61 server audits of the npm package graphql-http 1.23.1 (serverAudits),
// which check the GraphQL-over-HTTP specification, under their ids.
type specCheck struct {
	id          string
	get         url.Values // sent by GET
	body        string     // sent by POST
	contentType string     // "-" for none
	accept      string
	least, most int    // of the status
	answers     string // media type of the response
	noErrors    bool
	noData      bool
}

const (
	asJSON     = "application/json"
	asResponse = "application/graphql-response+json"
	typename   = `{"query":"{ __typename }"}`
	coercion   = `{"query":"query CoerceFailure($id: ID!){ __typename }","variables":{"id":null}}`
	unknown    = `{"query":"{ 8f31403dfe404bccbb0e835f2629c6a7 }"}`
	unclosed   = `{"query":"{"}`
	typed      = `{"query":"query Type($name: String!) { __type(name: $name) { name } }","variables":{"name":"sometype"}}`
	typedGet   = `query Type($name: String!) { __type(name: $name) { name } }`
	named      = `{"operationName":"Query","query":"query Query { __typename }"}`
	extended   = `{"query":"{ __typename }","extensions":{"some":"value"}}`
)

func ok(id, body, accept string) specCheck {
	return specCheck{id: id, body: body, accept: accept, least: 200, most: 200}
}

func status(id, body, accept string, code int) specCheck {
	return specCheck{id: id, body: body, accept: accept, least: code, most: code}
}

func specChecks() []specCheck {
	all := []specCheck{
		{id: "22EB", body: typename, accept: asResponse, least: 200, most: 200,
			answers: asResponse},
		{id: "4655", body: typename, accept: asJSON, least: 200, most: 200, answers: asJSON},
		{id: "47DE", body: typename, accept: "*/*", least: 200, most: 200, answers: asJSON},
		{id: "80D8", body: typename, least: 200, most: 200, answers: asJSON},
		ok("82A3", typename, ""),
		{id: "BF61", body: `{"query":"{ __type(name: \"Run🏃Swim🏊\") { name } }"}`,
			contentType: asJSON + "; charset=utf-8", least: 200, most: 200},
		ok("78D5", typename, ""), ok("2C94", typename, ""),
		{id: "5A70", get: url.Values{"query": {"{ __typename }"}}, least: 200, most: 200},
		{id: "9C48", get: url.Values{"query": {"mutation { __typename }"}}, accept: asResponse,
			least: 400, most: 499},
		{id: "9ABE", body: typename, contentType: "-", least: 400, most: 499},
		ok("03D4", typename, ""), status("A5BF", "", "", 400),
		status("423L", `{"notquery":"{ __typename }"}`, asResponse, 400),
		ok("34A2", typename, asResponse), {id: "13EE", body: typename, accept: asJSON, least: 200,
			most: 200, noErrors: true},
		ok("8161", named, asResponse), {id: "B8B3", body: named, accept: asJSON, least: 200,
			most: 200, noErrors: true},
		ok("2EA1", typed, asResponse), {id: "28B9", body: typed, accept: asJSON, least: 200,
			most: 200, noErrors: true},
		{id: "D6D5", get: url.Values{"query": {typedGet}, "variables": {`{"name":"sometype"}`}},
			accept: asResponse, least: 200, most: 200, noErrors: true},
		{id: "6A70", get: url.Values{"query": {typedGet}, "variables": {`{"name":"sometype"}`}},
			accept: asJSON, least: 200, most: 200, noErrors: true},
		ok("428F", extended, asResponse), {id: "1B7A", body: extended, accept: asJSON, least: 200,
			most: 200, noErrors: true},
		{id: "B6DC", body: `{ "not a JSON`, accept: asJSON, least: 200, most: 599},
		status("BCF8", `{ "not a JSON`, asJSON, 400),
		status("B7N8", `{ "not a JSON`, asResponse, 400),
		{id: "8764", body: `{"qeury":"{ __typename }"}`, least: 400, most: 599},
		status("3E3A", `{"qeury":"{ __typename }"}`, "", 400),
		ok("572B", unclosed, asJSON), ok("FDE2", unknown, asJSON), ok("7B9B", coercion, asJSON),
		{id: "865D", body: unclosed, accept: asResponse, least: 400, most: 599},
		status("556A", unclosed, asResponse, 400),
		{id: "D586", body: unclosed, accept: asResponse, least: 400, most: 599, noData: true},
		{id: "51FE", body: unknown, accept: asResponse, least: 400, most: 599},
		status("74FF", unknown, asResponse, 400),
		{id: "5E5B", body: unknown, accept: asResponse, least: 400, most: 599, noData: true},
		status("86EE", coercion, asResponse, 400),
	}
	for i, wrong := range []string{`{"obj":"ect"}`, `0`, `false`, `["array"]`} {
		all = append(all,
			status(fmt.Sprintf("LKJ%d", i), `{"query":`+wrong+`}`, "", 400),
			status(fmt.Sprintf("6C0%d", i), `{"operationName":`+wrong+`,"query":"{ __typename }"}`,
				"", 400))
	}
	for i, wrong := range []string{`"string"`, `0`, `false`, `["array"]`} {
		all = append(all,
			status(fmt.Sprintf("476%d", i), `{"variables":`+wrong+`,"query":"{ __typename }"}`, "",
				400),
			status(fmt.Sprintf("58B%d", i), `{"extensions":`+wrong+`,"query":"{ __typename }"}`, "",
				400))
	}
	for i, parameter := range []string{"variables", "operationName", "extensions"} {
		body := `{"query":"{ __typename }","` + parameter + `":null}`
		all = append(all,
			specCheck{id: fmt.Sprintf("94B%d", i), body: body, accept: asResponse, least: 200,
				most: 200, noErrors: true},
			specCheck{id: fmt.Sprintf("022%d", i), body: body, accept: asJSON, least: 200,
				most: 200, noErrors: true})
	}
	return all
}

func TestGraphQLOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	all := specChecks()
	if len(all) != 61 {
		t.Fatalf("%d checks, not 61", len(all))
	}
	for _, c := range all {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL,
			strings.NewReader(c.body))
		if c.get != nil {
			request, err = http.NewRequestWithContext(t.Context(), http.MethodGet,
				w.server.URL+"?"+c.get.Encode(), nil)
		}
		must(t, err)
		if c.contentType == "" {
			c.contentType = asJSON
		}
		if c.get == nil && c.contentType != "-" {
			request.Header.Set("Content-Type", c.contentType)
		}
		if c.accept != "" {
			request.Header.Set("Accept", c.accept)
		}
		response, err := w.server.Client().Do(request)
		must(t, err)
		body, err := io.ReadAll(response.Body)
		must(t, err)
		_ = response.Body.Close()
		var answer map[string]any
		if err := json.Unmarshal(body, &answer); err != nil || !utf8.Valid(body) {
			t.Errorf("%s: no JSON in UTF-8: %s", c.id, body)
		}
		_, errors := answer["errors"]
		_, data := answer["data"]
		if response.StatusCode < c.least || response.StatusCode > c.most ||
			(c.noErrors && errors) || (c.noData && data) ||
			!strings.Contains(response.Header.Get("Content-Type"), c.answers) {
			t.Errorf("%s: %d %s %s", c.id, response.StatusCode, response.Header.Get("Content-Type"),
				body)
		}
	}
}
