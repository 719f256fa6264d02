package web_test

import (
	"crypto/sha256"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

const loan = `
key: loan
on_abandon: seal_abandoned
documents:
  - {kind: payslip, required: true}
nodes:
  - {id: start, kind: start, next: review}
  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// The answer of a submission is lost, and the page sends it again with the same key and the same uploads of
// supporting documents: it gets the case that the first attempt made.
func TestRepeatedSubmissionWithUploadedDocuments(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	_, secret := w.token(ada)
	bearer := []string{"Authorization", "Bearer " + secret}
	proposed, err := w.service.ProposeProcess(w.ctx, w.person("abe", domain.RoleAdmin),
		casework.Propose{Document: loan})
	must(t, err)
	_, err = w.service.PublishProcess(w.ctx, w.person("bea", domain.RoleAdmin),
		casework.EndProposal{ProposalID: proposed.ProposalID, Confirm: true})
	must(t, err)
	const content = "%PDF-1.7\npayslip"
	begun := w.begin(nil, "payslip.pdf", len(content), bearer...)
	address := begun.header.Get("Location")
	if got := w.patch(nil, address, content, 0, bearer...); got.status != http.StatusNoContent {
		t.Fatalf("patch: %d %s", got.status, got.body)
	}
	const application = "%PDF-1.7\napplication"
	sum := sha256.Sum256([]byte(application))
	file := casework.Upload{FileName: "application.pdf", Size: int64(len(application)), SHA256: sum[:],
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(application)), nil }}
	command := casework.SubmitDocument{Process: "loan", File: file, Once: casework.Once{Key: "k"},
		Documents: []casework.SupportingFile{{Kind: "payslip", UploadID: w.idOf(address)}}}
	first, err := w.service.SubmitDocument(w.ctx, ada, command)
	must(t, err)
	again, err := w.service.SubmitDocument(w.ctx, ada, command)
	if err != nil || again.CaseID != first.CaseID {
		t.Errorf("the repetition: %v, %v", again, err)
	}
	command.Once.Key = "other"
	if _, err := w.service.SubmitDocument(w.ctx, ada, command); !domain.HasCode(err, domain.StateMismatch) ||
		!strings.Contains(err.Error(), "another case") {
		t.Errorf("another submission of the upload: %v", err)
	}
}
