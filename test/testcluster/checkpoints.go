package testcluster

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"countersign/audit"
)

// Checkpoints returns settings with which a cluster signs a checkpoint every second and keeps it in a
// folder.
func Checkpoints(tb testing.TB) []string {
	tb.Helper()
	folder := tb.TempDir()
	private, public, err := audit.NewSigningKey(rand.Reader, "test.countersign")
	if err != nil {
		tb.Fatal(err)
	}
	key := filepath.Join(folder, "log.key")
	for path, text := range map[string]string{key: private + "\n" + public + "\n",
		key + ".pub": public + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return []string{"COUNTERSIGN_CHECKPOINT_SIGNER=" + key, "COUNTERSIGN_CHECKPOINT_TRUST=" + key + ".pub",
		"COUNTERSIGN_CHECKPOINT_DIR=" + filepath.Join(folder, "kept"),
		"COUNTERSIGN_CHECKPOINT_EVERY=1s"}
}
