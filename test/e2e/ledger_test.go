package e2e

import (
	"testing"

	"countersign/test/testcluster"
)

// The example ledger has each event once and our sums, although it and the workers are killed.
func TestLedgerHasOurSums(t *testing.T) {
	t.Parallel()
	testcluster.CheckLedger(t, 20)
}
