package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "file.txt")
	if err := compare(path, []byte("a\n"), false); err == nil ||
		!strings.Contains(err.Error(), "is not there") {
		t.Errorf("missing file: %v", err)
	}
	if err := compare(path, []byte("a\nb\n"), true); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "a\nb\n" {
		t.Errorf("written: %q %v", text, err)
	}
	if err := compare(path, []byte("a\nb\n"), false); err != nil {
		t.Errorf("equal: %v", err)
	}
	for got, want := range map[string]string{
		"a\nc\n": `line 2`, "a\nb\nc\n": `got  "c"`, "a\n": `got  ""`,
	} {
		if err := compare(path, []byte(got), false); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", got, err, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	Text(t, "greeting.txt", "hello")
	Text(t, "greeting.txt", "hello\n")
}
