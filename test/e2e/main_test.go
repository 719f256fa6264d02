// Package e2e walks documents through the real doors: the command line, the server, a worker with real engines in their
// sandbox, on a real Postgres and Redis.
//
// What may enter: stories that a person could walk. What never happens here: a look behind a door.
package e2e

import (
	"os"
	"testing"

	"countersign/reading/ocr"
	"countersign/test/house"
)

func TestMain(m *testing.M) {
	ocr.Child()
	os.Exit(house.Main(m))
}
