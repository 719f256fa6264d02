//go:build deskbench

package browser

import (
	"path/filepath"
	"testing"
)

// TestDeskOfDocuments measures the review desk with the documents of the folder that the environment
// variable DESK_DOCUMENTS names (make desk-bench).
func TestDeskOfDocuments(t *testing.T) {
	t.Parallel()
	checkout, found := requireBrowsers(t)
	play(t, checkout, filepath.Join(checkout, "frontend/test/browser/documents.bench.ts"), found)
}
