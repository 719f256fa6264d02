package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
)

// The pages find the label of a field by its name, so both languages have exactly the fields of the
// table, each with a label.
func TestFilesHaveALabelOfEveryField(t *testing.T) {
	t.Parallel()
	for name, content := range files(domain.FieldSpecs()) {
		var labels map[string]string
		if err := json.Unmarshal([]byte(content), &labels); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, field := range domain.FieldNames() {
			if strings.TrimSpace(labels[field]) == "" {
				t.Errorf("%s has no label of %q", name, field)
			}
			delete(labels, field)
		}
		if len(labels) > 0 {
			t.Errorf("%s has labels of no field: %v", name, labels)
		}
	}
}

func TestFilesAreInDisplayOrderAndQuoted(t *testing.T) {
	t.Parallel()
	got := files([]domain.FieldSpec{
		{Name: "zeta", English: `A "quoted" label`, Chinese: "引号"},
		{Name: "alpha", English: "Alpha", Chinese: "甲"},
	})
	want := map[string]string{
		"frontend/src/i18n/en/fields.json": "{\n  \"zeta\": \"A \\\"quoted\\\" label\",\n" +
			"  \"alpha\": \"Alpha\"\n}\n",
		"frontend/src/i18n/zh/fields.json": "{\n  \"zeta\": \"引号\",\n  \"alpha\": \"甲\"\n}\n",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A row that was changed without running the generator would show the old label.
func TestCommittedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	for name, content := range files(domain.FieldSpecs()) {
		committed, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(committed) != content {
			t.Errorf("%s is not up to date: run make generate", name)
		}
	}
}
