package devservices_test

import (
	"os"
	"path/filepath"
	"testing"

	"countersign/internal/devservices"
)

func TestACalmFolderIsEmptyAndAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, err := devservices.QuietDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadDir(dir)
	if err != nil || len(made) != 1 || filepath.Join(dir, made[0].Name()) != folder {
		t.Errorf("%s among %v, %v", folder, made, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("it holds %v, %v", files, err)
	}
}
