package e2e

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"countersign/test/testcluster"
)

// Files move from the folder to a bucket and are verified; new ones are stored there; a changed file is
// found when they move back.
func TestFilesInABucket(t *testing.T) {
	t.Parallel()
	bucket := testcluster.NewBucket(t)
	h := testcluster.New(t)
	worker := h.Worker()
	h.CLI("submitter").Expect(0, nil, "submit", "--watch", h.XML(7001, 40))
	worker.Stop()
	before := len(filesIn(t, h))
	for _, setting := range bucket.Settings {
		h.AddSetting(setting)
	}
	h.CLI("admin").Expect(0, []string{" files copied, 0 were there"}, "blobs", "move", "bucket")
	h.Server.Stop() // it would write its latest small files to the folder once more when it stops
	h.CLI("admin").Expect(0, []string{"0 files copied"}, "blobs", "move", "bucket", "--delete")
	if left := filesIn(t, h); len(left) != 0 || before == 0 {
		t.Errorf("%d files before, left: %v", before, left)
	}
	h.RestartServer()
	h.Worker()
	h.CLI("submitter").Expect(0, nil, "submit", "--watch", h.XML(7002, 50))
	h.CLI("auditor").Expect(0, []string{"agree"}, "doctor", "--no-redis")
	h.CLI("auditor").Expect(0, []string{"verified"}, "audit", "verify")
	if left := filesIn(t, h); len(left) != 0 {
		t.Errorf("files outside of the bucket: %v", left)
	}
	changed := bucket.Last(t)
	bucket.Overwrite(t, changed, "other bytes")
	back := h.CLI("admin").Run("blobs", "move", "folder")
	if key := strings.TrimPrefix(changed, testcluster.BucketPrefix+"blobs/"); back.Code == 0 ||
		!strings.Contains(back.Out, "wrong  "+key) || strings.Count(back.Out, "wrong  ") != 1 {
		t.Errorf("a changed file %s: %+v", key, back)
	}
	if got := len(filesIn(t, h)); got <= before {
		t.Errorf("%d files came back, %d were there before", got, before)
	}
}

// filesIn lists the files in the folder of blobs.
func filesIn(t *testing.T, h *testcluster.Cluster) (names []string) {
	t.Helper()
	if err := filepath.WalkDir(filepath.Join(h.Folder(), "blobs"),
		func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !strings.Contains(path, ".journal") {
				names = append(names, path)
			}
			return err
		}); err != nil {
		t.Fatal(err)
	}
	return names
}
