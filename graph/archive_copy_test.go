package graph

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// The path of the archive copy is offered once the document was read.
func TestArchiveCopyPath(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("ben", domain.RoleSubmitter)
	id := w.submit("sam", "120.00")
	const query = `query($id: ID!) { case(id: $id) { document { path archiveCopyPath } } }`
	if early := w.mustExecute("sam", query, "id", id); early.at("case", "document", "archiveCopyPath") != nil {
		t.Errorf("before the reading: %+v", early)
	}
	w.runPending()
	read := w.mustExecute("sam", query, "id", id)
	want := strings.Replace(read.text("case", "document", "path"), "/document?", "/archive-copy?", 1)
	if got := read.text("case", "document", "archiveCopyPath"); got != want || got == "" {
		t.Errorf("the path is %q, want %q", got, want)
	}
	if foreign := w.mustExecute("ben", query, "id", id); foreign.at("case") != nil {
		t.Errorf("another submitter: %+v", foreign)
	}
	for name, document := range map[string]domain.Document{
		"an e-invoice without pages":  {ReadAt: time.Now(), BlobKey: "k", MediaType: "application/xml"},
		"an erased document":          {ReadAt: time.Now(), MediaType: "application/pdf"},
		"a document that is not read": {BlobKey: "k", MediaType: "application/pdf"},
	} {
		if path, err := (documentResolver{}).ArchiveCopyPath(t.Context(), &document); err != nil || path != nil {
			t.Errorf("%s: %v %v", name, path, err)
		}
	}
}
