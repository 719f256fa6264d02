package frontend_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"countersign/frontend"
)

func TestPersistedDocumentsAreAnObjectOfTexts(t *testing.T) {
	t.Parallel()
	var list map[string]string
	if err := json.Unmarshal(frontend.PersistedDocuments(), &list); err != nil {
		t.Fatal(err)
	}
}

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
