package casework

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRunStateDiagram compares the diagram in run_stage.go with the run statuses of package domain,
// the statuses that runs are created and end with, and the SQL statements that update the status.
func TestRunStateDiagram(t *testing.T) {
	t.Parallel()
	statuses := runStatuses(t)
	code := map[string]bool{}
	created, results := statusLiterals(t, statuses)
	for status := range created {
		code["[*] --> "+status] = true
	}
	for from, targets := range statusUpdates(t, results) {
		for _, to := range targets {
			code[from+" --> "+to] = true
		}
	}
	left := map[string]bool{}
	for edge := range code {
		left[strings.Fields(edge)[0]] = true
	}
	for _, status := range statuses {
		if !left[status] {
			code[status+" --> [*]"] = true
		}
	}

	source, err := os.ReadFile("run_stage.go")
	if err != nil {
		t.Fatal(err)
	}
	diagram := map[string]bool{}
	edge := regexp.MustCompile(`(?m)^//\s+(\S+ --> \S+?)(?::.*)?$`)
	for _, match := range edge.FindAllStringSubmatch(string(source), -1) {
		diagram[match[1]] = true
	}
	if !maps.Equal(diagram, code) {
		t.Errorf("the diagram has the edges\n%s\nand the code\n%s", sortedLines(diagram),
			sortedLines(code))
	}
}

func sortedLines(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), "\n")
}

// runStatuses maps the constants of type domain.RunStatus to their values.
func runStatuses(t *testing.T) map[string]string {
	t.Helper()
	statuses := map[string]string{}
	for _, file := range parseSources(t, "../domain") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "RunStatus" {
				value := spec.Values[0].(*ast.BasicLit).Value
				statuses["domain."+spec.Names[0].Name] = strings.Trim(value, `"`)
			}
			return true
		})
	}
	if len(statuses) < 2 {
		t.Fatalf("only %d run statuses were found", len(statuses))
	}
	return statuses
}

// statusLiterals returns the statuses that this package gives to new runs, in a literal of
// domain.StageRun or in an assignment, and those that it ends leased runs with.
func statusLiterals(t *testing.T, statuses map[string]string) (created, results map[string]bool) {
	t.Helper()
	created, results = map[string]bool{}, map[string]bool{}
	for _, file := range parseSources(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				into := map[string]map[string]bool{
					"domain.StageRun": created, "store.RunResult": results,
				}[exprText(n.Type)]
				for _, element := range n.Elts {
					pair, ok := element.(*ast.KeyValueExpr)
					if !ok || into == nil || exprText(pair.Key) != "Status" {
						continue
					}
					if status, known := statuses[exprText(pair.Value)]; known {
						into[status] = true
					} else {
						t.Errorf("%s gets a status that is not a constant", exprText(n.Type))
					}
				}
			case *ast.AssignStmt:
				for i := range n.Rhs {
					if status, known := statuses[exprText(n.Rhs[i])]; known {
						created[status] = true
					}
				}
			}
			return true
		})
	}
	return created, results
}

// exprText returns an identifier or a selector as written; "" for any other expression.
func exprText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return exprText(e.X) + "." + e.Sel.Name
	}
	return ""
}

var (
	setStatus  = regexp.MustCompile(`SET status = (?:'(\w+)'|x\.end_status)`)
	fromStatus = regexp.MustCompile(`status(?:, '')?\)? (?:=|IN) (\('[^)]*\)|'\w+')`)
	quoted     = regexp.MustCompile(`'(\w+)'`)
)

// statusUpdates returns the transitions of all functions of package store that update the status of
// stage_runs: the old status is the condition of the statement, x.end_status the result of a run.
func statusUpdates(t *testing.T, results map[string]bool) map[string][]string {
	t.Helper()
	updates := map[string][]string{}
	for path, file := range parseSources(t, "../store") {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			sql := string(source[function.Pos()-file.FileStart : function.End()-file.FileStart])
			set := setStatus.FindStringSubmatch(sql)
			if set == nil || !strings.Contains(sql, "stage_runs") {
				continue
			}
			targets := []string{set[1]}
			if set[1] == "" {
				targets = slices.Collect(maps.Keys(results))
			}
			conditions := fromStatus.FindAllString(setStatus.ReplaceAllString(sql, ""), -1)
			if len(conditions) == 0 {
				t.Errorf("%s updates the status of runs without a condition on the old one",
					function.Name)
			}
			for _, from := range quoted.FindAllStringSubmatch(strings.Join(conditions, " "), -1) {
				for _, to := range targets {
					if from[1] != to { // a pending run that is enqueued again stays pending
						updates[from[1]] = append(updates[from[1]], to)
					}
				}
			}
		}
	}
	return updates
}

// parseSources parses the Go files of a directory that are not tests.
func parseSources(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = file
	}
	return files
}
