package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/modelvendor"
)

// readResults reads what runs appended to a file.
func readResults(t *testing.T, path string) []modelResult {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []modelResult
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one modelResult
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// modelTable returns a Markdown table with a row for each behaviour, with and without images; of a document that was sent twice
// the last result counts. Tokens, cost and the seconds of the model are medians of the documents that it
// was asked about, the seconds of a case of all; the most seconds follow.
func modelTable(all []modelResult) string {
	var table strings.Builder
	table.WriteString("| behaviour | documents | ended | stage | outcomes of the calls | retries | filled, suggestions " +
		"| tokens in, out | cost, millionths | model, s | case, s |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	order := []string{withoutModel}
	for _, behaviour := range modelvendor.Behaviours() {
		order = append(order, string(behaviour))
	}
	for _, behaviour := range order {
		for _, images := range []bool{false, true} {
			if of := resultsOf(all, behaviour, images); len(of) > 0 && images {
				table.WriteString(modelRow(behaviour+", images", of))
			} else if len(of) > 0 {
				table.WriteString(modelRow(behaviour, of))
			}
		}
	}
	return table.String()
}

// resultsOf returns the last result of each document.
func resultsOf(all []modelResult, behaviour string, images bool) (of []modelResult) {
	for _, one := range all {
		if one.Behaviour != behaviour || one.Images != images {
			continue
		}
		of = slices.DeleteFunc(of, func(r modelResult) bool { return r.Set == one.Set && r.File == one.File })
		of = append(of, one)
	}
	return of
}

func modelRow(behaviour string, of []modelResult) string {
	ended, stage, calls := map[string]int{}, map[string]int{}, map[string]int{}
	retries, filled, suggestions := 0, 0, 0
	for _, one := range of {
		ended[one.Case]++
		stage[strings.TrimSpace(one.Stage+" "+one.Code)]++
		for _, call := range one.Calls {
			calls[call]++
		}
		retries += max(0, len(one.Calls)-1)
		filled, suggestions = filled+one.Filled, suggestions+one.Suggestions
	}
	asked := slices.DeleteFunc(slices.Clone(of), func(r modelResult) bool { return len(r.Calls) == 0 })
	input, _ := middle(asked, func(r modelResult) int64 { return r.InputTokens })
	output, _ := middle(asked, func(r modelResult) int64 { return r.OutputTokens })
	cost, _ := middle(asked, func(r modelResult) int64 { return r.CostMicros })
	model, longest := middle(asked, func(r modelResult) int64 { return r.ModelMs })
	whole, slowest := middle(of, func(r modelResult) int64 { return r.CaseMs })
	seconds := func(ms int64) string { return fmt.Sprintf("%.2f", float64(ms)/1000) }
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %d | %d, %d | %d, %d | %d | %s, %s | %s, %s |\n", behaviour,
		len(of), counts(ended), counts(stage), counts(calls), retries, filled, suggestions, input, output, cost, seconds(model),
		seconds(longest), seconds(whole), seconds(slowest))
}

// middle returns the median and the largest of the values, 0 for none.
func middle(of []modelResult, value func(modelResult) int64) (median, most int64) {
	sorted := make([]int64, 0, len(of))
	for _, one := range of {
		sorted = append(sorted, value(one))
	}
	if len(sorted) == 0 {
		return 0, 0
	}
	slices.Sort(sorted)
	return sorted[len(sorted)/2], sorted[len(sorted)-1]
}

// counts lists names with how often they occur.
func counts(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if name != "" {
			parts = append(parts, fmt.Sprintf("%d %s", of[name], name))
		}
	}
	return strings.Join(parts, ", ")
}

// Each behaviour has one row, in the order of the stub, with the sums and medians of its documents.
func TestModelTable(t *testing.T) {
	t.Parallel()
	table := modelTable([]modelResult{
		{Behaviour: "error_500", File: "a", Case: "waits for a person", Stage: "failed", Code: "EngineFailed",
			Calls: []string{"unavailable", "unavailable"}, ModelMs: 2000, CaseMs: 3000},
		{Behaviour: "honest", File: "a", Case: "incident", CaseMs: 9000},
		{Behaviour: "honest", File: "a", Case: "archived", Stage: "answered", Calls: []string{"answered"},
			Filled: 2, Suggestions: 3, InputTokens: 10, OutputTokens: 5, CostMicros: 75, ModelMs: 10, CaseMs: 500},
		{Behaviour: "honest", Images: true, File: "a", Case: "archived", Stage: "answered", Calls: []string{"answered"},
			InputTokens: 2510, OutputTokens: 5, CostMicros: 6325, CaseMs: 500},
		{Behaviour: "error_500", File: "b", Case: "waits for a person", Stage: "failed", Code: "Unavailable",
			CaseMs: 1000}})
	want := "| honest | 1 | 1 archived | 1 answered | 1 answered | 0 | 2, 3 | 10, 5 | 75 | 0.01, 0.01 | 0.50, 0.50 |\n" +
		"| honest, images | 1 | 1 archived | 1 answered | 1 answered | 0 | 0, 0 | 2510, 5 | 6325 | 0.00, 0.00 | 0.50, 0.50 |\n" +
		"| error_500 | 2 | 2 waits for a person | 1 failed EngineFailed, 1 failed Unavailable | 2 unavailable | 1 " +
		"| 0, 0 | 0, 0 | 0 | 2.00, 2.00 | 3.00, 3.00 |\n"
	if !strings.HasSuffix(table, want) {
		t.Errorf("got\n%s\nwant the rows\n%s", table, want)
	}
	if *modelTableOf != "" {
		t.Logf("\n%s", modelTable(readResults(t, *modelTableOf)))
	}
}
