package workflow

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/yamltext"
)

// templateAbout is the front matter of a template: what it is for, in one sentence by language.
type templateAbout struct {
	About map[string]string `yaml:"about"`
}

// Every template that the page of a new process offers is a sound definition with a title and a sentence
// in both languages, and its drawing is reviewed with it.
func TestTemplates(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("templates/*.yaml")
	if err != nil || len(names) < 4 {
		t.Fatalf("templates %v: %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			about, definition := readTemplate(t, name)
			def := mustParse(t, definition)
			if def.Key != strings.TrimSuffix(filepath.Base(name), ".yaml") {
				t.Errorf("the key is %s", def.Key)
			}
			for _, language := range []string{"en", "zh"} {
				if def.Title[language] == "" || about.About[language] == "" {
					t.Errorf("there is no title or sentence in %s", language)
				}
			}
			if proof := Verify(def); len(proof.Problems) > 0 {
				t.Errorf("problems: %v", proof.Problems)
			}
			if past := Unreviewed(def); len(past) > 0 {
				t.Errorf("a document is archived without a review: %v", past)
			}
			equalsGolden(t, filepath.Join("testdata", "templates", def.Key+".mmd"), Mermaid(def))
		})
	}
}

// readTemplate returns the front matter and the definition of a template.
func readTemplate(t *testing.T, name string) (about templateAbout, definition string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := bytes.SplitN(text, []byte("---\n"), 3)
	if len(parts) != 3 || len(parts[0]) != 0 {
		t.Fatal("the template has no front matter")
	}
	document, problem := yamltext.Parse(parts[1], "template")
	if problem == nil {
		problem = document.Decode(&about)
	}
	if problem != nil {
		t.Fatal(problem)
	}
	return about, string(parts[2])
}
