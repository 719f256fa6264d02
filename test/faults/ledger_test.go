package faults

import (
	"testing"

	"countersign/domain"
	"countersign/test/testcluster"
)

// A thousand cases are in the books of the example ledger once, although it and the workers are killed.
func TestLedgerHasOurSums(t *testing.T) {
	t.Parallel()
	exclusive(t)
	testcluster.CheckLedger(t, domain.ConnectorWebhook, 1000)
}

// The same from a topic of Kafka.
func TestLedgerFromTopicHasOurSums(t *testing.T) {
	t.Parallel()
	exclusive(t)
	testcluster.CheckLedger(t, domain.ConnectorKafka, 1000)
}
