package yamltext

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestProblemsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text     string
		line     int
		tooLarge bool
		said     string
	}{
		"nothing":       {"", 0, false, "a text is exactly one YAML document"},
		"two documents": {"a: 1\n---\nb: 2\n", 0, false, "a text is exactly one YAML document"},
		"three documents": {"---\na: 1\n---\nb: 2\n---\nc: 3\n", 5, false,
			"a text is exactly one YAML document"},
		"anchor":           {"a: 1\nb: &x 2\n", 2, false, "not supported"},
		"alias":            {"a: 1\nb: *x\n", 2, false, "not supported"},
		"merge":            {"a: 1\n<<: {b: 2}\n", 2, false, "not supported"},
		"tag":              {"a: 1\nb: !!str 2\n", 2, false, "not supported"},
		"directive":        {"%YAML 1.2\n---\na: 1\n", 1, false, "not supported"},
		"repeated key":     {"a: 1\nb: 2\na: 3\n", 3, false, "written twice"},
		"NUL":              {"a: 1\nb: x\x00y\n", 2, false, "U+0000"},
		"escape character": {"a: \"\x1b[2J\"\n", 1, false, "U+001B"},
		"lone CR":          {"a: 1\rb: 2\n", 1, false, "U+000D"},
		"not UTF-8":        {"a: 1\nb: \xff\n", 2, false, "not UTF-8"},
		"unclosed":         {"a: 1\nb: [1\n", 0, false, "the closing ] is missing"},
		"tab":              {"a: 1\nb:\n\tc: 2\n", 3, false, "indented with a tab; use spaces"},
		"long":             {strings.Repeat("# x\n", MaxBytes), 0, true, "bytes"},
		"long line":        {"a: 1\nb: " + strings.Repeat("x", MaxLine), 2, true, "bytes"},
		"deep brackets": {"a: 1\nb: " + strings.Repeat("[", 33) + strings.Repeat("]", 33), 2,
			true, "deeply"},
		"deep lists": {strings.Repeat("- ", 33) + "a", 1, true, "deeply"},
		"deep both": {strings.Repeat("- ", 20) + strings.Repeat("[",
			20) + strings.Repeat("]", 20), 1, true, "deeply"},
		"blank lines": {"a: 1\n" + strings.Repeat("\n", 51) + "b: 2", 52, true, "blank"},
		"entries":     {strings.Repeat("- a\n", 601), 601, true, "entries"},
	} {
		_, problem := Parse([]byte(test.text), "a text")
		switch {
		case problem == nil:
			t.Errorf("%s: read", name)
		case problem.TooLarge != test.tooLarge, test.line != 0 && problem.Line != test.line,
			!strings.Contains(problem.Message, test.said):
			t.Errorf("%s: %+v", name, problem)
		}
	}
}

func TestWhatIsNeededIsRead(t *testing.T) {
	t.Parallel()
	type entry struct {
		Name string            `yaml:"name"`
		Text string            `yaml:"text"`
		More map[string]string `yaml:"more"`
	}
	text := "---\r\n# one\nlist:\n  - name: a[0] && {b}\n    text: |\n      x\n\n      y\n  - {name: \"[[[[\", more: {zh: 我, en: '}}}'}}\n\n" +
		strings.Repeat("  - name: z # ]\n", 598)
	document, problem := Parse([]byte(text), "a text")
	if problem != nil {
		t.Fatal(problem)
	}
	var value struct {
		List []entry `yaml:"list"`
	}
	if problem := document.Decode(&value); problem != nil {
		t.Fatal(problem)
	}
	if len(value.List) != 600 || value.List[0].Name != "a[0] && {b}" ||
		value.List[0].Text != "x\n\ny\n" || value.List[1].More["zh"] != "我" {
		t.Fatalf("%+v", value.List[:2])
	}
	if lines := document.EntryLines("list"); !slices.Equal(lines[:3], []int{4, 9, 11}) {
		t.Fatal(lines[:3])
	}
	var strict struct {
		Other int `yaml:"other"`
	}
	if problem := document.Decode(&strict); problem == nil || problem.Line != 3 ||
		problem.Column != 1 {
		t.Fatalf("%+v", problem)
	}
}

// What a text costs is bounded by its length, however it is made.
func FuzzParse(f *testing.F) {
	for _, text := range evil() {
		f.Add([]byte(text[:min(len(text), 4000)]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		document, problem := Parse(text, "a text")
		if problem == nil {
			var value any
			_ = document.Decode(&value)
		}
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > min(1<<20+1000*uint64(len(text)),
			mostBytes) {
			t.Errorf("%d bytes of memory for %d bytes of text", bytes, len(text))
		}
	})
}
