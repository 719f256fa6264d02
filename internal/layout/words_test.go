package layout

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func vocabulary(t *testing.T) *Vocabulary {
	t.Helper()
	v, err := parseVocabulary(wordsJSON)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWords(t *testing.T) {
	t.Parallel()
	v := vocabulary(t)
	for _, f := range goFiles(t) {
		for _, problem := range v.inGo(f) {
			t.Error(problem)
		}
	}
}

var (
	// code is text between backticks, which may name anything.
	code = regexp.MustCompile("`[^`]*`")
	// scriptComment finds the comments of TypeScript, whose code may use keys of texts and values
	// of the API.
	scriptComment = regexp.MustCompile(`(?:^|\s)(?://|/\*\*?|\*)(?:\s|$)(.*)`)
)

// Comments of the other languages and the documents follow the same list.
func TestWordsOfOtherFiles(t *testing.T) {
	t.Parallel()
	v := vocabulary(t)
	visit(t, []string{".sh", ".yaml", ".ts", ".tsx", ".md"}, func(path string, text []byte) {
		if strings.Contains(path, "/generated/") {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			switch filepath.Ext(path) {
			case ".ts", ".tsx":
				line = strings.Join(scriptComment.FindStringSubmatch(line), " ")
			case ".md":
				line = code.ReplaceAllString(line, "")
			}
			for _, word := range v.find(scopeComment, line) {
				t.Errorf("%s:%d: %q: %s", path, i+1, word, v.advice(word))
			}
		}
	})
}

func TestWordViolations(t *testing.T) {
	t.Parallel()
	v, err := parseVocabulary([]byte(`{"words": [
		{"word": "anew", "scopes": ["comment", "identifier", "text"], "use": "again", "reason": "archaic"},
		{"word": "way out", "scopes": ["comment"], "use": "recovery action", "reason": "metaphor"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ path, source, want string }{
		"valid": {"casework/x.go", "// again.\nfunc again() {}", ""},
		"comment": {"casework/x.go", "// Anew it runs.\nfunc f() {}",
			`comment: "Anew": write again`},
		"phrase": {"casework/x.go", "// The way out of it.\nfunc f() {}",
			"recovery action"},
		"name":           {"casework/x.go", "func runAnew() {}", "name runAnew"},
		"part of a word": {"casework/x.go", "func canewhat() {}", ""},
		"local": {"casework/x_test.go", "func f() { anew := 1; _ = anew }",
			"name anew"},
		"fragment": {"casework/x.go",
			`func f() error { return domain.Errorf(domain.NotFound, "no such case.") }`,
			"does not begin with a capital"},
		"no full stop": {"casework/x.go",
			`func f() error { return domain.Invalid("x", "Too long") }`,
			"does not end with a full stop"},
		"remedy": {"casework/x.go",
			`func f() error { return e.WithRemedy("try again.") }`,
			"does not begin with a capital"},
		"inside domain": {"domain/x.go", `func f() error { return Errorf(NotFound, "gone.") }`,
			"does not begin with a capital"},
		"text": {"casework/x.go",
			`func f() error { return domain.Errorf(domain.NotFound, "Send it anew.") }`,
			`"anew": write again`},
		"sentence": {"casework/x.go",
			`func f() error { return domain.Errorf(domain.NotFound, "Not found.").WithRemedy("Reload.") }`, ""},
		"starts with value": {"casework/x.go",
			`func f() error { return domain.Errorf(domain.NotFound, "%s is not found.", x) }`, ""},
		"another Errorf": {"casework/x.go",
			`func f() error { return fmt.Errorf("read: %w", err) }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := parseFile(tc.path, []byte("package x\n"+tc.source))
			if err != nil {
				t.Fatal(err)
			}
			found := strings.Join(v.inGo(f), "\n")
			if tc.want == "" && found != "" || !strings.Contains(found, tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

func TestVocabularyIsChecked(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":       `{`,
		"no reason":     `{"words": [{"word": "anew", "scopes": ["text"], "use": "again"}]}`,
		"no scope":      `{"words": [{"word": "anew", "use": "again", "reason": "archaic"}]}`,
		"unknown scope": `{"words": [{"word": "anew", "scopes": ["song"], "use": "again", "reason": "archaic"}]}`,
		"twice": `{"words": [{"word": "a", "scopes": ["text"], "use": "b", "reason": "c"},
			{"word": "a", "scopes": ["text"], "use": "b", "reason": "c"}]}`,
	} {
		if _, err := parseVocabulary([]byte(text)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
