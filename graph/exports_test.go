package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
	"countersign/export"
	"countersign/graph/scalar"
	"countersign/views"
)

// exports returns every export, with and without the filters that select the case, in both formats,
// and the result of the case.
func (w *amlWorld) exports(by string) map[string]string {
	w.t.Helper()
	id := caseIDOf(w.t, w.caseID)
	queries := map[string]views.ExportQuery{}
	for _, kind := range export.Kinds() {
		queries["export "+string(kind)] = views.ExportQuery{Kind: kind}
	}
	// The worlds differ in the countries that were set up, which is about no case.
	all64 := int64(math.MaxInt64)
	queries["export "+string(export.AuditSearch)] = views.ExportQuery{Kind: export.AuditSearch,
		Search: views.AuditSearch{MaxMinor: &all64}}
	queries["export audit-search of accesses"] = views.ExportQuery{Kind: export.AuditSearch,
		Search: views.AuditSearch{Accesses: true, MaxMinor: &all64}}
	queries["export audit of case"] = views.ExportQuery{Kind: export.Audit, Case: id}
	queries["export reviews of all"] = views.ExportQuery{Kind: export.Reviews,
		Reviews: views.QueueQuery{All: true}}
	queries["export reviews of AML"] = views.ExportQuery{Kind: export.Reviews,
		Reviews: views.QueueQuery{Queue: domain.QueueAML, All: true}}
	now := time.Now().UTC()
	days, err := domain.NewDays(now.AddDate(0, 0, -1).Format(time.DateOnly),
		now.AddDate(0, 0, 1).Format(time.DateOnly), "UTC")
	must(w.t, err)
	for _, by := range []domain.StatisticsGroup{domain.ByDay, domain.ByQueue, domain.ByProcess,
		domain.ByPerson} {
		for _, kind := range []export.Kind{export.Statistics, export.StatisticsParts} {
			queries[fmt.Sprintf("export %s by %s", kind, by)] = views.ExportQuery{Kind: kind,
				Statistics: views.StatisticsQuery{Days: days, By: by}}
		}
	}
	queries["export replay"] = views.ExportQuery{Kind: export.Replays,
		Replay: views.ReplayQuery{Weeks: 4, Zone: "UTC"}}
	all := map[string]string{}
	for name, query := range queries {
		for _, format := range export.Formats() {
			// quotes in cells are doubled
			all[name+" as "+string(format)] = strings.ReplaceAll(w.export(by, query, format),
				`""`, `"`)
		}
	}
	result, err := w.views.CaseResult(w.t.Context(), w.actor(by), id)
	text, encodeErr := json.Marshal(result)
	must(w.t, encodeErr)
	all["result of the case"] = fmt.Sprint(string(text), err)
	return all
}

// export returns an export as the HTTP adapter writes it, or its error.
func (w *amlWorld) export(by string, query views.ExportQuery, format export.Format) string {
	w.t.Helper()
	var text bytes.Buffer
	out, err := export.NewWriter(&text, query.Kind, format, false)
	must(w.t, err)
	for source, more := w.views.Export(query), true; more; {
		page, err := source.Next(w.t.Context(), w.actor(by))
		if err != nil {
			return err.Error()
		}
		for _, record := range page.Records {
			must(w.t, out.Write(record))
		}
		more = page.HasMore
	}
	must(w.t, out.End())
	return text.String()
}

// exported returns the records of an export as JSON.
func (w *amlWorld) exported(by string, query views.ExportQuery) (records []map[string]any) {
	w.t.Helper()
	for line := range strings.Lines(w.export(by, query, export.Lines)) {
		var record map[string]any
		if json.Unmarshal([]byte(line), &record) == nil && record["kind"] != "end" {
			records = append(records, record)
		}
	}
	return records
}

// Exports state what the lists of the API state, for everyone and at every stage of the case.
func TestExportsStateWhatTheListsState(t *testing.T) {
	t.Parallel()
	w, compared := newAMLWorld(t, true), 0
	compare := func() {
		t.Helper()
		for _, by := range []string{"sam", "rita", "max", "meg", "ada", "aud", "amy"} {
			compared += w.compareCases(by) + w.compareReviews(by) + w.compareTrail(by)
		}
	}
	compare()
	w.decide("amy", domain.QueueAML, "APPROVE")
	compare()
	w.decide("rita", domain.QueueL1, "APPROVE")
	compare()
	if compared < 40 {
		t.Errorf("only %d records were compared", compared)
	}
}

func (w *amlWorld) compareCases(by string) int {
	w.t.Helper()
	answer := w.mustExecute(by, `{ cases(first: 100) { nodes { id reference status country risk updatedAt
		differingFields missing amount { minor: amount currency } submitter { name } } } }`)
	nodes, _ := answer.at("cases", "nodes").([]any)
	records := w.exported(by, views.ExportQuery{Kind: export.Cases})
	if len(nodes) != len(records) {
		w.t.Fatalf("%s exports %d cases, the list has %d", by, len(records), len(nodes))
	}
	for i, record := range records {
		node, _ := nodes[i].(map[string]any)
		amount, _ := node["amount"].(map[string]any)
		submitter, _ := node["submitter"].(map[string]any)
		want := fmt.Sprint(globalCase(w.t, record["id"]), record["reference"],
			strings.ToUpper(fmt.Sprint(record["status"])), record["country"], record["risk"],
			moment(w.t, record["updatedAt"]), record["differingFields"], record["missing"],
			record["amount"], record["currency"], record["submitter"])
		got := fmt.Sprint(node["id"], node["reference"], node["status"], node["country"],
			node["risk"], moment(w.t, node["updatedAt"]), node["differingFields"], node["missing"],
			amount["minor"], amount["currency"], submitter["name"])
		if got != want {
			w.t.Errorf("%s exports %s, the list has %s", by, want, got)
		}
	}
	return len(records)
}

func globalCase(t *testing.T, id any) string {
	t.Helper()
	parsed, err := domain.ParseID(fmt.Sprint(id))
	must(t, err)
	return scalar.GlobalID(scalar.KindCase, parsed)
}

// moment returns a time without the digits below those of the API.
func moment(t *testing.T, text any) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	must(t, err)
	return at.UTC().Truncate(time.Millisecond).String()
}

func (w *amlWorld) compareReviews(by string) int {
	w.t.Helper()
	compared := 0
	for _, all := range []bool{false, true} {
		answer := w.execute(by, `query($all: Boolean!) { reviews(first: 100, filter: {all: $all}) { nodes {
			id queue status assignee { name } case { reference } } } }`, "all", all)
		nodes, _ := answer.at("reviews", "nodes").([]any)
		records := w.exported(by, views.ExportQuery{Kind: export.Reviews,
			Reviews: views.QueueQuery{All: all}})
		if len(nodes) != len(records) {
			w.t.Fatalf("%s exports %d reviews, the list has %d", by, len(records), len(nodes))
		}
		for i, record := range records {
			node, _ := nodes[i].(map[string]any)
			c, _ := node["case"].(map[string]any)
			if node["queue"] != record["queue"] || c["reference"] != record["reference"] ||
				node["status"] != strings.ToUpper(fmt.Sprint(record["status"])) {
				w.t.Errorf("%s exports the review %v, the list has %v", by, record, node)
			}
		}
		compared += len(records)
	}
	return compared
}

func (w *amlWorld) compareTrail(by string) int {
	w.t.Helper()
	answer := w.execute(by, `query($i: ID!) { auditTrail(caseId: $i, first: 1000) { nodes { kind type
		sentence seq hash actor { name } } } }`, "i", w.caseID)
	nodes, _ := answer.at("auditTrail", "nodes").([]any)
	records := w.exported(by, views.ExportQuery{Kind: export.Audit, Case: caseIDOf(w.t, w.caseID)})
	events := func(list []any) []any { // accesses are recorded meanwhile
		return slices.DeleteFunc(list, func(node any) bool {
			return node.(map[string]any)["kind"] == "ACCESS"
		})
	}
	nodes = events(nodes)
	records = slices.DeleteFunc(records, func(record map[string]any) bool {
		return record["entry"] == "access"
	})
	if len(nodes) != len(records) || (by == "max" || by == "aud") && len(nodes) == 0 {
		w.t.Fatalf("%s exports %d events, the trail has %d: %v", by, len(records), len(nodes),
			answer.Errors)
	}
	for i, record := range records {
		node, _ := nodes[i].(map[string]any)
		actor, _ := node["actor"].(map[string]any)
		hash := node["hash"]
		if hash == nil {
			hash = ""
		}
		if node["type"] != record["type"] || node["sentence"] != record["sentence"] ||
			node["seq"] != fmt.Sprint(record["seq"]) || hash != record["hash"] ||
			actor != nil && actor["name"] != record["actor"] {
			w.t.Errorf("%s exports the event %v, the trail has %v", by, record, node)
		}
	}
	return len(records)
}

// Everyone's result of a case fits the schema, and has no member that the schema does not describe.
// Hashes are those of the manifest, for readers who may see all of it.
func TestResultsFitTheirSchema(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, true)
	check := func() {
		t.Helper()
		for _, by := range []string{"sam", "max", "aud", "amy"} {
			result, err := w.views.CaseResult(t.Context(), w.actor(by), caseIDOf(t, w.caseID))
			if domain.HasCode(err, domain.NotFound) {
				continue
			}
			must(t, err)
			result.Schema = "https://review.example" + export.ResultSchemaPath
			text, err := json.Marshal(result)
			must(t, err)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			must(t, err)
			if err := strictResultSchema(t).Validate(value); err != nil {
				t.Errorf("%s: %v: %s", by, err, text)
			}
		}
	}
	check()
	w.decide("amy", domain.QueueAML, "APPROVE")
	w.decide("rita", domain.QueueL1, "APPROVE")
	check()
	id := caseIDOf(t, w.caseID)
	full, err := w.views.CaseResult(t.Context(), w.actor("aud"), id)
	must(t, err)
	if len(full.Decisions) != 2 || full.Decisions[0].EvidenceSHA256 == nil || full.Manifest == nil ||
		full.Chain == nil || len(full.Fields) == 0 || len(full.Findings) == 0 {
		t.Errorf("the auditor gets %+v", full)
	}
	own, err := w.views.CaseResult(t.Context(), w.actor("sam"), id)
	must(t, err)
	if len(own.Decisions)+len(own.Findings) != 0 || own.Chain != nil || own.Manifest != nil ||
		own.Risk != nil || len(own.Fields) == 0 {
		t.Errorf("the submitter gets %+v", own)
	}
}

// strictResultSchema returns the schema of results, which refuses members that it does not describe.
func strictResultSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(export.ResultSchema()))
	must(t, err)
	var restrict func(any)
	restrict = func(part any) {
		switch part := part.(type) {
		case map[string]any:
			if _, described := part["properties"].(map[string]any); described &&
				part["additionalProperties"] == nil && part["description"] != evidenceText {
				part["additionalProperties"] = false
			}
			for _, inner := range part {
				restrict(inner)
			}
		case []any:
			for _, inner := range part {
				restrict(inner)
			}
		}
	}
	restrict(document)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	must(t, compiler.AddResource("result.json", document))
	compiled, err := compiler.Compile("result.json")
	must(t, err)
	return compiled
}

// evidenceText describes the evidence of a decision, whose further members are not part of the format.
const evidenceText = "What the reviewer saw, without what you may not see."
