package web_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/export"
)

func selectionOf(t *testing.T, ids ...domain.ID) string {
	t.Helper()
	texts := make([]string, 0, len(ids))
	for _, id := range ids {
		texts = append(texts, id.String())
	}
	body, err := json.Marshal(map[string]any{"ids": texts})
	must(t, err)
	return string(body)
}

func (w *testEnv) exportSelected(client *http.Client, format export.Format, body string) reply {
	w.t.Helper()
	return w.send(client, http.MethodPost, "/export/cases."+string(format), body, "Content-Type",
		"application/json")
}

// An export of selected cases contains those that the reader may read, each once, and nothing about the
// others: not even that they exist.
func TestExportOfSelectedCases(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	own := w.submit(ada, "a.pdf", pdf)
	foreign := w.submit(w.person("ben", domain.RoleSubmitter), "b.pdf", pdf+" ")
	left := w.submit(ada, "c.pdf", pdf+"  ")
	w.person("max", domain.RoleManager)
	selected := selectionOf(t, foreign, own, domain.NewID(), own)
	for name, want := range map[string][]string{"ada": {own.String()},
		"max": {own.String(), foreign.String()}} {
		client := w.signedIn(name)
		for _, format := range export.Formats() {
			got := column(t, rowsOf(t, w.exportSelected(client, format, selected), format), "id")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || slices.Contains(got, left.String()) {
				t.Errorf("%s exported %v as %s, want %v", name, got, format, want)
			}
		}
	}
	reading := w.signedIn("ada")
	none, empty := w.exportSelected(reading, export.CSV, selectionOf(t, domain.NewID())),
		w.exportSelected(reading, export.CSV, selectionOf(t, foreign))
	if none.body != empty.body || none.status != http.StatusOK {
		t.Errorf("a case of another person differs from none:\n%s\n%s", none.body, empty.body)
	}
}

// A selection is bounded, and no other site can send one with the cookies of a person.
func TestSelectionsOfExportsAreBounded(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	client := w.signedIn("ada")
	many := make([]domain.ID, 500)
	for i := range many {
		many[i] = domain.NewID()
	}
	full := w.exportSelected(client, export.CSV, selectionOf(t, append(many[:499:499], id)...))
	if got := column(t, rowsOf(t, full, export.CSV), "id"); !slices.Equal(got, []string{id.String()}) {
		t.Errorf("500 selected: %v", got)
	}
	for name, body := range map[string]string{"501": selectionOf(t, append(many, id)...),
		"none": `{"ids":[]}`, "nothing": `{}`, "no id": `{"ids":["x"]}`,
		"large": `{"ids":["` + strings.Repeat("x", 40<<10) + `"]}`} {
		wantCode(t, name, w.exportSelected(client, export.CSV, body), domain.InvalidInput)
	}
	wantCode(t, "form", w.send(client, http.MethodPost, "/export/cases.csv", selectionOf(t, id),
		"Content-Type", "application/x-www-form-urlencoded"), domain.InvalidInput)
	wantCode(t, "with filters", w.send(client, http.MethodPost, "/export/cases.csv?text=a",
		selectionOf(t, id), "Content-Type", "application/json"), domain.InvalidInput)
	for _, kind := range []string{"reviews", "audit", "audit-search"} {
		if got := w.send(client, http.MethodPost, "/export/"+kind+".csv", selectionOf(t, id),
			"Content-Type", "application/json"); got.status == http.StatusOK {
			t.Errorf("a selection of %s is exported", kind)
		}
	}
}
