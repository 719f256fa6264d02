package main

import (
	"strings"
	"testing"
)

// Found cases are listed with the place of the words; a correction of the server is reported.
func TestSearchCommand(t *testing.T) {
	t.Parallel()
	hit := func(reference string, snippets ...any) object {
		return object{"case": object{"reference": reference, "status": "IN_REVIEW", "documentType": "invoice",
			"counterparty": "Muster", "submitter": object{"name": "Sara"}}, "kinds": []any{"PAGE"}, "snippets": snippets}
	}
	server := newFakeAPI(t, object{"search": object{
		"corrections": []any{object{"word": "gothenburh", "replacements": []any{"gothenburg"}}},
		"nodes": []any{
			hit("CS-2026-000001", object{"kind": "PAGE", "field": "", "text": "Port of Gothenburg",
				"page": object{"number": 3}}),
			hit("CS-2026-000002", object{"kind": "FILE_NAME", "field": "", "text": "gothenburg.pdf", "page": nil}),
			hit("CS-2026-000003", object{"kind": "FIELD", "field": "vendor", "text": "Gothenburg AB", "page": nil}),
			hit("CS-2026-000004")}}})
	code, out, messages := server.run("search", "gothenburh", "5000")
	if code != 0 || !strings.Contains(messages, `no case has "gothenburh"; searched for gothenburg`) {
		t.Errorf("%d: %s", code, messages)
	}
	for _, line := range []string{"page 3", "Port of Gothenburg", "file name", "vendor", "CS-2026-000004"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in %s", line, out)
		}
	}
	if sent := server.last().Variables["query"]; sent != "gothenburh 5000" {
		t.Errorf("sent %v", sent)
	}
}
