package frontend_test

import (
	"errors"
	"io/fs"
	"testing"

	"countersign/frontend"
)

func TestAppAgreesWithBuilt(t *testing.T) {
	t.Parallel()
	_, err := fs.Stat(frontend.App(), "index.html")
	if frontend.Built() && err != nil {
		t.Fatalf("Built says yes, but index.html cannot be opened: %v", err)
	}
	if !frontend.Built() && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("Built says no, but index.html answers %v", err)
	}
}
