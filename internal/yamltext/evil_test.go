package yamltext

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/lexer"

	"countersign/internal/callcost"
	"countersign/internal/racedetector"
)

// What a text of the largest size may cost.
const (
	mostBytes = 16 << 20
	mostTime  = 100 * time.Millisecond * racedetector.Slowdown
)

func full(prefix, part string) string {
	return prefix + strings.Repeat(part, (MaxBytes-len(prefix))/len(part))
}

// each joins what line makes of 0, 1, 2 … up to the largest size.
func each(line func(int) string) string {
	var text strings.Builder
	for i := 0; ; i++ {
		next := line(i)
		if text.Len()+len(next) > MaxBytes {
			return text.String()
		}
		text.WriteString(next)
	}
}

// evil are texts of the largest size that are made to cost as much as they can.
func evil() map[string]string {
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	texts := map[string]string{
		"brackets over lines": "rules: " + strings.Repeat("[\n", 16000) + strings.Repeat("]\n",
			16000),
		"closed in comments": full("rules: ", "[#]\n"),
		"closed in quotes":   full("rules: ", "[']',\n"),
		"brackets at 32": full("rules:\n", "- "+strings.Repeat("[", 31)+strings.Repeat("]",
			31)+"\n"),
		"billion laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n" +
			each(func(i int) string {
				return fmt.Sprintf("b%d: &b%d [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n",
					i, i)
			})[:60000],
		"keys":       each(func(i int) string { return fmt.Sprintf("k%d: 1\n", i) }),
		"short keys": each(func(i int) string { return fmt.Sprintf("%x: 1\n", i) }),
		"keys in flow": "a: {" + each(func(i int) string {
			return fmt.Sprintf("k%d: 1,\n",
				i)
		})[:65000],
		"lists of 500 keys": each(func(i int) string {
			if i%500 == 0 {
				return fmt.Sprintf("l%d:\n  k%d: 1\n", i, i)
			}
			return fmt.Sprintf("  k%d: 1\n", i)
		}),
		"indented keys":     each(func(i int) string { return spaces(i) + "a:\n" }),
		"indented lists":    each(func(i int) string { return spaces(i) + "-\n" }),
		"indented both":     each(func(i int) string { return spaces(i) + "- a:\n" }),
		"indented to 30":    each(func(i int) string { return spaces(i%30) + "a:\n" }),
		"lists of 30":       full("", strings.Repeat("- ", 30)+"a\n"),
		"words":             full("", "a\n"),
		"quoted at 400":     full("", strings.Repeat(`"a" `, 400)+"\n"),
		"mixed flow":        full("- ", "[{a: [{b: [{c: d}]}]}],\n"),
		"flow after flow":   full("- ", "[{a: [{b: [{c: d}]}]}]\n- "),
		"escaped":           full(`a: "`, `\u0041`),
		"invalid escapes":   full(`a: "`, `\q`),
		"blank in block":    full("a: |\n", "\n"),
		"blanks in block":   full("a: |\n", strings.Repeat("\n", maxBlank)+" x\n"),
		"spaces in block":   full("a: |\n", " \n"),
		"spaced in block":   full("a: |\n", strings.Repeat(" \n", maxBlank)+" x\n"),
		"blanks in folded":  full("a: >\n", strings.Repeat("\n", maxBlank)+" x\n"),
		"blanks in quotes":  full(`a: "`, strings.Repeat("\n", maxBlank)+" x\n"),
		"blanks in plain":   full("a: b\n", strings.Repeat("\n", maxBlank)+" x\n"),
		"blanks in comment": full("a: b\n", strings.Repeat("\n", maxBlank)+" #x\n"),
		"wide block":        full("a: |\n", spaces(500)+"x\n"),
		"narrowing block": "a: |\n" + each(func(i int) string {
			return spaces(max(500-i,
				1)) + "x\n"
		})[:65000],
		"many blocks":       full("", "- |\n x\n"),
		"brackets in block": full("a: |\n x\nb:\n", "  ["),
		"nested in block": "a: |\n x\n" + each(func(i int) string {
			return spaces(i) +
				"a:\n"
		})[:60000],
		"nested after flow": "- {a: b}\n-\n" + each(func(i int) string {
			return spaces(i+1) +
				"a:\n"
		})[:60000],
		"comments":         full("", "#\n"),
		"comments after":   full("", "- a #\n"),
		"comments in flow": full("a: [", "#\n"),
		"comments in keys": full("a:\n", " #\n b: #\n"),
		"documents":        full("", "---\n"),
		"documents ended":  full("", "--- a\n...\n"),
		"directives":       full("", "%YAML 1.2\n"),
		"complex keys":     full("", "? a\n: b\n"),
		"merges":           full("", "<<: a\n"),
		"tabs":             full("a:\n", "\t- b\n"),
	}
	for _, part := range []string{"[", "]", "{", "}", ",", ":", "-", "?", "#", "&", "*", "!", "|",
		">", "%", "@", "`", `"`, "'", "\\", " ", "\t", "x", "\U0001F600", "~", "=", ".", "<<"} {
		for _, end := range []string{"\n", " a,"} {
			texts[fmt.Sprintf("list of %q", part+end)] = full("", "- "+part+end+"\n")
			texts[fmt.Sprintf("value of %q", part+end)] = full("a: ", part+end)
			texts[fmt.Sprintf("lines of %q", part+end)] = full("a:\n",
				" "+strings.Repeat(part+end, 1+200/len(part+end))+"\n")
		}
	}
	return texts
}

// cost returns what reading a text takes.
func cost(text string) (bytes uint64, took time.Duration, problem *Problem) {
	bytes, took, _ = callcost.Minimum(func() error {
		var document *Document
		if document, problem = Parse([]byte(text), "a text"); problem == nil {
			var value any
			problem = document.Decode(&value)
			document.EntryLines("rules")
		}
		return nil
	})
	return bytes, took, problem
}

// withinBounds is the longest beginning of a text that the library's parser gets to see.
func withinBounds(text string) string {
	parsed := func(n int) bool {
		return scan([]byte(text[:n]), "a text") == nil &&
			checkTokens(lexer.Tokenize(text[:n]), "a text") == nil
	}
	return text[:sort.Search(len(text), func(n int) bool { return !parsed(n + 1) })]
}

func TestNoTextOfTheLargestSizeCostsMuch(t *testing.T) {
	t.Parallel()
	try := func(name, text string) {
		bytes, took, problem := cost(text)
		t.Logf("%-24s %5d bytes: %6.2f MB %8s %v", name, len(text), float64(bytes)/1e6,
			took.Round(100*time.Microsecond), problem)
		if bytes > mostBytes || took > mostTime {
			t.Errorf("%s: %d bytes of memory, %s", name, bytes, took)
		}
	}
	for name, text := range evil() {
		try(name, text)
		if within := withinBounds(text); within != text {
			try(name+", within bounds", within)
		}
	}
}
