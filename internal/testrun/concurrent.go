package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"countersign/internal/devservices"
)

// sequentialPackages are the packages whose own code leaves concurrency to its callers. The race
// detector can find something only in tests that start goroutines, so the others run without it.
var sequentialPackages = []string{
	"countersign/authz", "countersign/casework", "countersign/identity", "countersign/views",
}

// concurrentOf returns the pattern that matches the tests of the packages that start goroutines, and
// the packages that have some.
func concurrentOf(packages []string) (pattern string, having []string, err error) {
	checkout, err := devservices.Checkout()
	if err != nil {
		return "", nil, err
	}
	var names []string
	for _, name := range packages {
		tests, err := concurrentTests(filepath.Join(checkout, strings.TrimPrefix(name, "countersign/")))
		if err != nil {
			return "", nil, fmt.Errorf("concurrent tests of %s: %w", name, err)
		}
		if len(tests) > 0 {
			names, having = append(names, tests...), append(having, name)
		}
	}
	return exactly(names), having, nil
}

// concurrentTests are the tests in the folder that start a goroutine or use a function of the test
// files that does. Functions are compared by name only, so a method of another type with the same
// name adds a test and never leaves one out.
func concurrentTests(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	uses, concurrent := map[string][]string{}, map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range parsed.Decls {
			if function, is := declared.(*ast.FuncDecl); is && function.Body != nil {
				name := function.Name.Name
				used, starts := inspect(function.Body)
				uses[name] = append(uses[name], used...)
				concurrent[name] = concurrent[name] || starts
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for name, used := range uses {
			if !concurrent[name] && slices.ContainsFunc(used,
				func(other string) bool { return concurrent[other] }) {
				concurrent[name], changed = true, true
			}
		}
	}
	var tests []string
	for name, starts := range concurrent {
		if starts && strings.HasPrefix(name, "Test") && name != "TestMain" {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests, nil
}

// inspect returns the names that the function uses, and whether it starts a goroutine: by a go
// statement, or by the method Go of a group.
func inspect(body *ast.BlockStmt) (used []string, starts bool) {
	ast.Inspect(body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.CallExpr:
			if method, is := node.Fun.(*ast.SelectorExpr); is && method.Sel.Name == "Go" {
				starts = true
			}
		case *ast.Ident:
			used = append(used, node.Name)
		}
		return true
	})
	return used, starts
}
