package events_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/events"
	"countersign/events/gen/render"
)

func labelsText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(render.LabelsFile)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGeneratedLabelsAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := render.Labels(events.Contracts(), []byte(labelsText(t)))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Errorf("%d files, want one for each language", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not up to date with the labels: run go generate ./events", name)
		}
	}
}

// A history shows an event type without a label by its key, so the generator refuses it.
func TestLabelsCoverEveryEventTypeInBothLanguages(t *testing.T) {
	t.Parallel()
	good := labelsText(t)
	const line = `"case.approved": { "en": "Approved", "zh": "已批准" }`
	if !strings.Contains(good, line) {
		t.Fatalf("%s does not contain %s", render.LabelsFile, line)
	}
	for name, tc := range map[string]struct{ text, want string }{
		"no label": {strings.Replace(good, "  "+line+",\n", "", 1),
			"case.approved needs a label in en and zh"},
		"no Chinese": {strings.Replace(good, line, `"case.approved": { "en": "Approved" }`, 1),
			"case.approved needs a label in en and zh"},
		"no English": {strings.Replace(good, line, `"case.approved": { "zh": "已批准" }`, 1),
			"case.approved needs a label in en and zh"},
		"a type that does not exist": {strings.Replace(good, line,
			line+`, "case.lost": { "en": "Lost", "zh": "丢失" }`, 1),
			"case.lost is not an event type"},
		"another language": {strings.Replace(good, `"en": "Approved"`,
			`"en": "Approved", "fr": "Approuvé"`, 1), "unknown field"},
		"no JSON": {"{", "parse events/labels.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := render.Labels(events.Contracts(), []byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %d files and %v, want %q", len(files), err, tc.want)
			}
		})
	}
}
