// Package sources lets a test read the program that it tests, where a rule is about what the text
// calls.
//
// What may enter: parsing the files of the package under test.
// What never happens here: a rule about them.
package sources

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// PackageFiles are the files of the package under test that are no tests themselves. None, or one
// that does not parse, ends the test.
func PackageFiles(t testing.TB) []*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
