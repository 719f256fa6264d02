package layout

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// wordsJSON is the list of banned words; frontend/test/words.test.ts holds the texts of the pages
// to the same list.
//
//go:embed words.json
var wordsJSON []byte

// Scopes of a banned word.
const (
	scopeComment    = "comment"    // comments of source files and Markdown
	scopeIdentifier = "identifier" // a part of a name in Go
	scopeText       = "text"       // sentences for users: error messages and the texts of the pages
)

// BannedWord is a word, or a phrase, that no text of its scopes may contain.
type BannedWord struct {
	Word   string   `json:"word"`
	Scopes []string `json:"scopes"`
	Use    string   `json:"use"`    // what to write instead
	Reason string   `json:"reason"` // why the word is banned
}

// Vocabulary is the list of banned words.
type Vocabulary struct {
	Words []BannedWord `json:"words"`
	// patterns finds any banned word of a scope.
	patterns map[string]*regexp.Regexp
	parts    map[string]BannedWord // banned parts of names
}

// parseVocabulary reads the list. It fails on an entry that is incomplete or listed twice.
func parseVocabulary(text []byte) (*Vocabulary, error) {
	v := &Vocabulary{patterns: map[string]*regexp.Regexp{}, parts: map[string]BannedWord{}}
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("words.json: %w", err)
	}
	seen := map[string]bool{}
	byScope := map[string][]string{}
	for _, w := range v.Words {
		if w.Word == "" || w.Use == "" || w.Reason == "" || len(w.Scopes) == 0 || seen[w.Word] {
			return nil, fmt.Errorf("words.json: %q is incomplete or listed twice", w.Word)
		}
		seen[w.Word] = true
		for _, scope := range w.Scopes {
			if !slices.Contains([]string{scopeComment, scopeIdentifier, scopeText}, scope) {
				return nil, fmt.Errorf("words.json: %q has the unknown scope %q", w.Word, scope)
			}
			byScope[scope] = append(byScope[scope], regexp.QuoteMeta(w.Word))
			if scope == scopeIdentifier {
				v.parts[w.Word] = w
			}
		}
	}
	for scope, words := range byScope {
		v.patterns[scope] = regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)\b`)
	}
	return v, nil
}

// find returns the banned words of a text.
func (v *Vocabulary) find(scope, text string) []string {
	if v.patterns[scope] == nil {
		return nil
	}
	return v.patterns[scope].FindAllString(text, -1)
}

// inGo lists the banned words in comments and declared names of a file, and the error sentences
// that are no sentences.
func (v *Vocabulary) inGo(f *File) []string {
	if f.Generated {
		return nil
	}
	var found []string
	note := func(node ast.Node, format string, args ...any) {
		line := f.set.Position(node.Pos()).Line
		found = append(found, fmt.Sprintf("%s:%d: %s", f.Path, line, fmt.Sprintf(format, args...)))
	}
	for _, group := range f.tree.Comments {
		for _, comment := range group.List {
			for _, word := range v.find(scopeComment, comment.Text) {
				note(comment, "comment: %q: %s", word, v.advice(word))
			}
		}
	}
	ast.Inspect(f.tree, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Ident:
			for _, part := range nameParts(n.Name) {
				if w, banned := v.parts[part]; banned {
					note(n, "name %s: %q: write %s", n.Name, w.Word, w.Use)
				}
			}
		case *ast.CallExpr:
			if sentence, of := errorSentence(f, n); of && !f.Test {
				if problem := sentenceProblem(sentence); problem != "" {
					note(n, "error sentence %q %s", sentence, problem)
				}
				for _, word := range v.find(scopeText, sentence) {
					note(n, "error sentence %q: %q: %s", sentence, word, v.advice(word))
				}
			}
		}
		return true
	})
	return found
}

// advice says what to write in place of a banned word.
func (v *Vocabulary) advice(word string) string {
	for _, w := range v.Words {
		if strings.EqualFold(w.Word, word) {
			return "write " + w.Use
		}
	}
	return "write something else"
}

// nameParts splits a Go name at its capitals and underscores: "openRunIDs" is open, run, i, ds.
func nameParts(name string) []string {
	var parts []string
	part := ""
	for _, r := range name {
		if unicode.IsUpper(r) || r == '_' || unicode.IsDigit(r) {
			parts, part = append(parts, part), ""
		}
		if r != '_' {
			part += string(unicode.ToLower(r))
		}
	}
	return append(parts, part)
}

// errorSentence returns the literal sentence of a call that makes an error for users:
// domain.Errorf, domain.Invalid or WithRemedy.
func errorSentence(f *File, call *ast.CallExpr) (string, bool) {
	name, argument := "", 1
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if !f.under("domain") {
			return "", false
		}
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
		if x, ok := fun.X.(*ast.Ident); name != "WithRemedy" && (!ok || x.Name != "domain") {
			return "", false
		}
	}
	switch name {
	case "Errorf", "Invalid":
	case "WithRemedy":
		argument = 0
	default:
		return "", false
	}
	if len(call.Args) <= argument {
		return "", false
	}
	literal, ok := call.Args[argument].(*ast.BasicLit)
	if !ok || literal.Value == `""` { // an empty remedy takes one away
		return "", false
	}
	return strings.Trim(literal.Value, "\"`"), true
}

var (
	sentenceStart = regexp.MustCompile(`^(?:\p{Lu}|\d|%|\\?["“'])`)
	sentenceEnd   = regexp.MustCompile(`(?:[.?!][)”]?|%[svwq])$`)
)

// sentenceProblem says what keeps a text from being a sentence, or "".
func sentenceProblem(text string) string {
	switch {
	case !sentenceStart.MatchString(text):
		return "does not begin with a capital"
	case !sentenceEnd.MatchString(text):
		return "does not end with a full stop"
	}
	return ""
}
