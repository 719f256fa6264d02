package faults

import (
	"strings"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// The bucket is away while documents are in flight, three times for longer than a request is repeated. No
// document is lost: what was accepted is finished, and what arrives meanwhile is refused with a reason.
func TestBucketAway(t *testing.T) {
	t.Parallel()
	exclusive(t)
	const documents = 40
	bucket := testcluster.NewBucket(t)
	h := testcluster.New(t, bucket.Settings...)
	h.CLI("admin").Expect(0, nil, "blobs", "move", "bucket") // the manifests that every cluster begins with
	h.Worker()
	submitMany(t, h, 6000, documents)
	for range 3 {
		began := unfinished(t, h)
		bucket.Service.Close()
		refused := h.CLI("submitter").Run("submit", h.XML(6100, 10))
		if refused.Code == 0 || !strings.Contains(refused.Combined, "document store is not available") {
			t.Errorf("a document while the bucket is away: %+v", refused)
		}
		if err := bucket.Service.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d were in flight", began)
	}
	took := waitAllDone(t, h, 5*time.Minute)
	recordTiming(t, "40 documents of which some were in flight while the bucket was away, after its return", took,
		5*time.Minute)
	h.CLI("submitter").Expect(0, nil, "submit", "--watch", h.XML(6101, 10))
	checkCluster(t, h)
}
