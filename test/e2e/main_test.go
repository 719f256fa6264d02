// Package e2e walks documents through the real adapters: the command line, the server, a worker
// with real engines in their sandbox, on a real Postgres and Redis.
//
// What may enter: stories that a person could walk, and trials in which people compete for a review
// at two servers. What never happens here: reads behind an adapter. Only the trials read rows to
// learn what came first, and lock a row to control the order, and the tests of texts that address
// language models read rows to compare everything about a case.
package e2e

import (
	"flag"
	"os"
	"testing"

	"countersign/reading/ocr"
	"countersign/test/testcluster"
)

// concurrencyRounds is how often each way of abuse is tried; make faults asks for more.
var concurrencyRounds = flag.Int("abuse-rounds", 0,
	"rounds of each trial of abuse; 0 = as many as fit into make test")

func rounds(usual int) int {
	if *concurrencyRounds > 0 {
		return *concurrencyRounds
	}
	return usual
}

func TestMain(m *testing.M) {
	ocr.Child()
	os.Exit(testcluster.Main(m))
}
