package graph

import (
	"strconv"
	"strings"
	"testing"

	"countersign/domain"
)

const sumQuery = `query($id: ID!, $rule: String!, $first: Int!, $after: Cursor) {
	sumDocuments(caseId: $id, rule: $rule, first: $first, after: $after) {
		subject asOf since below { amount } own { amount } count sum { amount } hiddenCount hiddenSum { amount }
		missingCount missingSum { amount } nodes { changed amount { amount } case { id } }
		pageInfo { hasNextPage endCursor } } }`

// minor returns an amount of an answer.
func (r result) minor(path ...any) int64 {
	value, _ := r.at(append(append([]any{"sumDocuments"}, path...), "amount")...).(string)
	minor, err := strconv.ParseInt(strings.ReplaceAll(value, ".", ""), 10, 64)
	if err != nil {
		return -1
	}
	return minor
}

// Each viewer sees the documents of a sum that they may read, and how many and how much the others are. Who does not see
// the finding sees no sum, and pages divide the list without a gap.
func TestDocumentsOfASum(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("kim", domain.RoleSubmitter)
	w.person("aud", domain.RoleAuditor)
	var ids []string
	for _, total := range []string{"410.00", "320.00", "230.00", "510.00"} {
		ids = append(ids, w.submit("sam", total))
		w.runPending()
	}
	last := ids[3]
	ask := func(by, id, rule string, first int, after any) result {
		t.Helper()
		return w.execute(by, sumQuery, "id", id, "rule", rule, "first", first, "after", after)
	}
	all := ask("aud", last, "split_small", 50, nil)
	nodes, _ := all.at("sumDocuments", "nodes").([]any)
	if len(nodes) != 3 || all.at("sumDocuments", "hiddenCount") != 0.0 || all.at("sumDocuments", "missingCount") != 0.0 {
		t.Fatalf("an auditor: %+v", all)
	}
	sum := all.minor("own")
	for i := range nodes {
		sum += all.minor("nodes", i, "amount")
		if got := all.text("sumDocuments", "nodes", i, "case", "id"); got != ids[2-i] {
			t.Errorf("document %d is %s", i, got)
		}
	}
	if sum != all.minor("sum") {
		t.Errorf("the documents add up to %d, the sum is %d", sum, all.minor("sum"))
	}
	for _, hidden := range []result{ask("sam", last, "split_small", 50, nil), ask("kim", last, "split_small", 50, nil),
		ask("aud", last, "round_amount", 50, nil), ask("aud", ids[0], "split_small", 50, nil)} {
		if hidden.at("sumDocuments") != nil || len(hidden.Errors) > 0 {
			t.Errorf("shown: %+v", hidden)
		}
	}
	seen, after := "", any(nil)
	for range 3 {
		page := ask("aud", last, "split_small", 1, after)
		seen += page.text("sumDocuments", "nodes", 0, "case", "id")
		after = page.at("sumDocuments", "pageInfo", "endCursor")
	}
	if seen != strings.Join([]string{ids[2], ids[1], ids[0]}, "") {
		t.Errorf("pages: %s", seen)
	}
	if ask("aud", last, "split_small", 1, after).at("sumDocuments", "pageInfo", "hasNextPage") != false {
		t.Error("a page after the last")
	}
}
