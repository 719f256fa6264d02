package faults

import (
	"testing"

	"countersign/test/testcluster"
)

// A thousand cases are in the books of the example ledger once, although it and the workers are killed.
func TestLedgerHasOurSums(t *testing.T) {
	t.Parallel()
	exclusive(t)
	testcluster.CheckLedger(t, 1000)
}
