package graph

import (
	"fmt"
	"testing"

	"countersign/domain"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
)

const boardQuery = `query($first: Int!) { cases(first: $first) { nodes {
	id version reference status counterparty amount { amount currency } risk updatedAt
	document { fileName mediaType size }
	fields { name normalised confidence source }
	openReview { id version queue status assignee { id name } decideBy }
	lastEvents(last: 5) { seq type at sentence }
	findings { rule severity score message } } pageInfo { hasNextPage endCursor } } }`

// mostStatements is the maximum number of statements for one page of the board, whatever its
// length. Authentication takes one more statement (package identity), which is not counted here
// because these tests identify users by name.
const mostStatements = 8

func TestBoardStatementsDoNotGrowWithLength(t *testing.T) {
	t.Parallel()
	m := pgmeter.New(t, pgtest.New(t).AppURL)
	w := newTestEnvOn(t, m.URL)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for i := range 50 {
		w.submit("sam", fmt.Sprintf("%d.00", 90_000+i))
	}
	w.runPending()
	for range 20 {
		w.mustExecute("lea", `mutation { claimNextReview(input: {}) { review { id } userErrors {
			__typename } } }`)
	}
	// prepares the statements and caches the definitions
	w.mustExecute("ma", boardQuery, "first", 3)
	for _, first := range []int{1, 10, 50} {
		// The fewest of several pages, because a loaded machine may divide a batch of reads.
		fewest := int64(mostStatements + 1)
		for attempt := 0; attempt < 5 && fewest > mostStatements; attempt++ {
			before := m.Executed()
			board := w.mustExecute("ma", boardQuery, "first", first)
			fewest = min(fewest, m.Executed()-before)
			nodes := board.at("cases", "nodes").([]any)
			if len(nodes) != first || board.at("cases", "nodes", first-1, "openReview") == nil ||
				len(board.at("cases", "nodes", 0, "lastEvents").([]any)) != 5 {
				t.Fatalf("the board of %d: %+v", first, board.Data)
			}
		}
		if fewest > mostStatements {
			t.Errorf("%d cases took more than %d statements", first, mostStatements)
		}
	}
}
