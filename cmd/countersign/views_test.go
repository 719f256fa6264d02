package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
)

// viewAnswers are views of the caller and of others, among them two shared ones of the same name and one
// that the caller cannot use.
func viewAnswers() object {
	view := func(name string, own, usable bool, parameters ...string) object {
		rows := []any{}
		for i := 0; i+1 < len(parameters); i += 2 {
			rows = append(rows, object{"name": parameters[i], "value": parameters[i+1]})
		}
		return object{"id": "v", "name": name, "parameters": rows, "audience": "ROLE", "audienceKey": "manager",
			"owner": nil, "own": own, "default": false, "usable": usable}
	}
	return with(jsonAnswers(), object{
		"documentTypes": nodes(object{"key": "receipt"}, object{"key": "invoice"}, object{"key": "invoice"}),
		"savedViews": []any{view("Late", true, true, "status", "in_review", "queue", "L1", "sort", "deadline",
			"columns", "risk", "from", "2026-11-01", "to", "2026-11-02"),
			view("late", false, true, "status", "archived"), view("Twice", false, true), view("twice", false, true),
			view("Old", true, false), view("Mine", true, true, "whose", "mine", "queue", "L1")}})
}

func TestViewsCommand(t *testing.T) {
	t.Parallel()
	code, out, _ := newFakeAPI(t, viewAnswers()).run("views")
	for _, part := range []string{"Late", "role manager", "status=in_review", "not usable"} {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("%d: no %q in %s", code, part, out)
		}
	}
}

// A view is found by its name, its own before a shared one, and options change its filters.
func TestCasesOfAView(t *testing.T) {
	t.Parallel()
	server := newFakeAPI(t, viewAnswers())
	if code, _, messages := server.run("case", "list", "--view", "late", "--queue", "L2", "--min-risk", "20"); code != 0 {
		t.Fatal(messages)
	}
	sent := server.last().Variables
	day := func(text string, days int) string {
		at, err := dayStart("from", text, days)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	want := object{"first": 20.0, "statuses": []any{"IN_REVIEW"}, "queue": "L2", "sort": "DEADLINE", "minRisk": 20.0,
		"submittedFrom": day("2026-11-01", 0), "submittedTo": day("2026-11-02", 1)}
	if !sameJSON(t, sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	for name, sentence := range map[string]string{"nothing": "There is no view", "TWICE": "2 people share a view",
		"old": "do not have access"} {
		code, _, messages := newFakeAPI(t, viewAnswers()).run("case", "list", "--view", name)
		if code == 0 || !strings.Contains(messages, sentence) {
			t.Errorf("%s: %d %s", name, code, messages)
		}
	}
}

// An export takes every filter of the page.
func TestExportFilters(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	for command, want := range map[string]string{
		"export cases --process p --type invoice --counterparty Acme --source mail --queue L1 --rule r": "counterparty=Acme&process=p&queue=L1&rule=r&source=mail&type=invoice",
		"export cases --currency EUR --amount-from 1 --amount-to 2 --min-risk 3 --max-risk 4":           "amountFrom=1&amountTo=2&currency=EUR&maxRisk=4&minRisk=3",
		"export cases --submitter " + domain.PublicID("Person", id):                                     "submitter=" + id.String(),
		"export reviews --view mine": "mine=true&queue=L1",
	} {
		f := newFakeAPI(t, viewAnswers())
		asked := f.serveExports("kind,number,id,reference\nend,0,,\n", http.StatusOK)
		code, _, messages := f.run(strings.Fields(command)...)
		if code != 0 || len(*asked) != 1 || !strings.HasSuffix((*asked)[0], "?"+want) {
			t.Errorf("%s: %d %s, requested %v", command, code, messages, *asked)
		}
	}
}

// A document type is checked against those that the server knows, and the sentence names them.
func TestUnknownDocumentType(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.pdf")
	if err := os.WriteFile(file, []byte("%PDF-1.7"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"case list --type application", "export cases --type application",
		"submit --type application " + file} {
		code, _, messages := newFakeAPI(t, viewAnswers()).run(strings.Fields(command)...)
		if code == 0 || !strings.Contains(messages, `There is no document type "application".`) ||
			!strings.Contains(messages, "invoice, receipt") {
			t.Errorf("%s: %d %s", command, code, messages)
		}
	}
	for _, options := range []string{"--from yesterday", "--amount-from 5", "--min-risk high"} {
		code, _, messages := newFakeAPI(t, viewAnswers()).run(strings.Fields("case list " + options)...)
		if code == 0 {
			t.Errorf("%s: %s", options, fmt.Sprint(messages))
		}
	}
}
