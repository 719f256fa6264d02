package e2e

import (
	"testing"

	"countersign/domain"
	"countersign/test/testcluster"
)

// The example ledger has each event once and our sums, although it and the workers are killed.
func TestLedgerHasOurSums(t *testing.T) {
	t.Parallel()
	testcluster.CheckLedger(t, domain.ConnectorWebhook, 20)
}

// The same from a topic of Kafka.
func TestLedgerFromTopicHasOurSums(t *testing.T) {
	t.Parallel()
	testcluster.CheckLedger(t, domain.ConnectorKafka, 20)
}
