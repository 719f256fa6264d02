package graph

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

const searchQuery = `query($q: String!, $first: Int = 20, $after: Cursor) {
	search(query: $q, first: $first, after: $after) { words corrections { word replacements }
		nodes { case { id reference } rank kinds snippets { kind field text marks { from to }
			page { revision number width height path boxes { x y w h } } } }
		edges { cursor node { case { id } } } pageInfo { hasNextPage endCursor } } }`

// index fills the search index.
func (env *testEnv) index() {
	env.t.Helper()
	for more := true; more; {
		var err error
		more, err = env.service.IndexSearch(env.t.Context())
		must(env.t, err)
	}
}

// A hit names where its words are: in the text of a snippet, and on the page with their places.
func TestSearchShowsWhereWordsAre(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.person("sam", domain.RoleSubmitter)
	env.upload("sam", submitMutation, map[string]any{}, "%PDF-1.7\n"+printedPage+"\nGöteborg Färjor AB\nTotal 1 032 210,00 EUR\n增值税发票 göteborg\n")
	env.runPending()
	env.index()
	answer := env.mustExecute("sam", searchQuery, "q", "Goteborg")
	if fmt.Sprint(answer.at("search", "words")) != "[Goteborg]" {
		t.Errorf("words %v", answer.at("search", "words"))
	}
	snippets, _ := answer.at("search", "nodes", 0, "snippets").([]any)
	at := slices.IndexFunc(snippets, func(s any) bool {
		return s.(map[string]any)["kind"] == "PAGE" //nolint:forcetypeassert // by the schema
	})
	if at < 0 {
		t.Fatalf("no page: %v", snippets)
	}
	text := answer.text("search", "nodes", 0, "snippets", at, "text")
	marks := fmt.Sprint(answer.at("search", "nodes", 0, "snippets", at, "marks"))
	if !strings.HasPrefix(text, "Göteborg Färjor AB Total") || !strings.HasPrefix(marks, "[map[from:0 to:8]") {
		t.Errorf("%q marked at %s", text, marks)
	}
	boxes, _ := answer.at("search", "nodes", 0, "snippets", at, "page", "boxes").([]any)
	if len(boxes) != 2 || fmt.Sprint(boxes[0]) != "map[h:20 w:108 x:50 y:50]" {
		t.Errorf("boxes %v", boxes)
	}
	if path := answer.text("search", "nodes", 0, "snippets", at, "page", "path"); !strings.HasSuffix(path, "/pages/1?revision=1") {
		t.Errorf("path %q", path)
	}
	// The three words of an amount are one place each.
	amount := env.mustExecute("sam", searchQuery, "q", "1032210")
	snippets, _ = amount.at("search", "nodes", 0, "snippets").([]any)
	found := 0
	for i := range snippets {
		if boxes, _ := amount.at("search", "nodes", 0, "snippets", i, "page", "boxes").([]any); len(boxes) > 0 {
			found = len(boxes)
		}
	}
	if found != 3 {
		t.Errorf("%d places of the amount", found)
	}
	for _, text := range []string{"发票", "税"} {
		if hit := env.mustExecute("sam", searchQuery, "q", text); hit.at("search", "nodes", 0, "case", "id") == nil {
			t.Errorf("%q finds nothing", text)
		}
	}
}

// Pages of hits follow each other without gaps, and wrong input is refused.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.person("sam", domain.RoleSubmitter)
	for i := range 5 {
		env.upload("sam", submitMutation, map[string]any{}, fmt.Sprintf("%%PDF-1.7\n%d00.00\nVendor\n", i+10))
	}
	env.runPending()
	env.index()
	seen := map[string]bool{}
	var after any
	for range 4 {
		page := env.mustExecute("sam", searchQuery, "q", "sam", "first", 2, "after", after)
		edges, _ := page.at("search", "edges").([]any)
		for i := range edges {
			seen[page.text("search", "edges", i, "node", "case", "id")] = true
		}
		if page.at("search", "pageInfo", "hasNextPage") != true {
			break
		}
		after = page.at("search", "pageInfo", "endCursor")
	}
	if len(seen) != 5 {
		t.Errorf("%d cases on all pages", len(seen))
	}
	for name, variables := range map[string][]any{
		"long query":   {"q", strings.Repeat("a", 201)},
		"9 words":      {"q", "a b c d e f g h i"},
		"no page":      {"q", "sam", "first", 0},
		"large page":   {"q", "sam", "first", 101},
		"wrong cursor": {"q", "sam", "after", base64.RawURLEncoding.EncodeToString([]byte("c:x"))},
	} {
		if answer := env.execute("sam", searchQuery, variables...); len(answer.Errors) != 1 ||
			answer.Errors[0].Extensions["code"] != string(domain.InvalidInput) {
			t.Errorf("%s: %v", name, answer)
		}
	}
	for _, text := range []string{"", "🙂", "& | !", `"`, "\u202e"} {
		answer := env.mustExecute("sam", searchQuery, "q", text)
		if nodes, _ := answer.at("search", "nodes").([]any); len(nodes) != 0 {
			t.Errorf("%q finds %v", text, nodes)
		}
	}
}

// For people who must not learn of AML reviews, searches give the same answers about a case that was
// with AML as about one that was not.
func TestSearchDoesNotShowAML(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{}
	for _, aml := range []bool{false, true} {
		w := newAMLWorld(t, aml)
		if aml {
			w.decide("amy", domain.QueueAML, "APPROVE")
			w.index()
			for _, text := range []string{"zebra", "amy"} {
				answer := w.mustExecute("aud", searchQuery, "q", text)
				if answer.at("search", "nodes", 0, "case", "id") == nil {
					t.Errorf("the auditor does not find %q", text)
				}
			}
		}
		w.index()
		for _, name := range uncleared {
			for _, text := range []string{"zebra", "zebta", "amy", "AML", "muster", "mustet", "2100", "remittance", "rita",
				"high risk", "sam", "named", riskyCountry, otherCountry, "invoice.pdf", "2026"} {
				answers[name+" "+text] = append(answers[name+" "+text],
					withoutIDs(w.executeNormalized(name, searchQuery, map[string]any{"q": text})))
			}
		}
	}
	found := 0
	for of, both := range answers {
		if both[0] != both[1] {
			t.Errorf("%s:\n%s\n%s", of, both[0], both[1])
		}
		if strings.Contains(both[0], `"rank"`) {
			found++
		}
	}
	if found < 5 {
		t.Errorf("only %d searches find something", found)
	}
}
