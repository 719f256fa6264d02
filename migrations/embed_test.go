package migrations

import "testing"

func TestNewestIsTheLastFile(t *testing.T) {
	t.Parallel()
	if Newest() < 3 {
		t.Fatalf("Newest() = %d, want at least 3", Newest())
	}
}
