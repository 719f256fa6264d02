package casework_test

import (
	"errors"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// A submitter cannot send a document to a process that does not accept its type: an invoice in the process of
// another type would meet other reviews, and in one without amounts no limit.
func TestAProcessRefusesOtherDocumentTypes(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for _, tc := range []struct{ process, documentType string }{
		{"content_review", "invoice"}, {"merchant_onboarding", "receipt"}, {"document_approval", "content"},
		{"document_approval", "remittance"},
	} {
		for range 2 {
			_, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{File: upload("x"),
				Process: tc.process, DocumentType: tc.documentType})
			var refusal *domain.Error
			if !errors.As(err, &refusal) || refusal.Code != domain.InvalidInput ||
				refusal.Field != "documentType" || refusal.Remedy == "" ||
				refusal.Detail["reason"] != "type_not_accepted" {
				t.Errorf("%+v: %v", tc, err)
			}
		}
	}
}

// A submission without a type gets the first one of the process, unless the process accepts invoices.
func TestASubmissionWithoutATypeGetsOneOfTheProcess(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for process, want := range map[string]string{"": "invoice", "document_approval": "invoice",
		"content_review": "content", "merchant_onboarding": "merchant_application"} {
		submitted, err := env.svc.SubmitDocument(env.ctx, sam,
			casework.SubmitDocument{File: upload(process), Process: process})
		must(t, err)
		if c := env.caseByID(submitted.CaseID); c.DocumentType != want {
			t.Errorf("%q: %s, want %s", process, c.DocumentType, want)
		}
	}
	env.publish("key: unknown_type\nversion: 1\ntitle: {en: A}\ndocument_types: [not_published]\n" + anySteps)
	_, err := env.svc.SubmitDocument(env.ctx, sam,
		casework.SubmitDocument{File: upload("y"), Process: "unknown_type"})
	wantCode(t, err, domain.InvalidInput)
}

// A version that no longer accepts the type refuses new cases of it, also in a server that has seen only the
// earlier version.
func TestALaterVersionRefusesTheType(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	text := "title: {en: A}\n" + anySteps
	env.publish("key: narrower\nversion: 1\n" + text)
	in := casework.SubmitDocument{File: upload("first"), Process: "narrower", DocumentType: "invoice"}
	_, err := env.svc.SubmitDocument(env.ctx, sam, in)
	must(t, err)
	env.publish("key: narrower\nversion: 2\ndocument_types: [receipt]\n" + text)
	in.File = upload("second")
	_, err = env.svc.SubmitDocument(env.ctx, sam, in)
	wantCode(t, err, domain.InvalidInput)
}

// anySteps are the steps of a process with one review.
const anySteps = `on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: review}
  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: read}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: rejected, kind: end, status: rejected}
`

// A process for a type that is not published is a warning: no document of it can be submitted.
func TestAProcessForAnUnpublishedTypeIsAWarning(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, _ := env.admins()
	for types, want := range map[string]bool{"[invoice]": false, "[invoice, not_published]": true, "[]": false} {
		checked, err := env.svc.CheckProcess(env.ctx, ada,
			"key: checked\ntitle: {en: A}\ndocument_types: "+types+"\n"+anySteps)
		must(t, err)
		found := slices.ContainsFunc(checked.Report.Warnings,
			func(one workflow.Problem) bool { return one.Rule == "type_unpublished" })
		if found != want || len(checked.Report.Problems) > 0 {
			t.Errorf("%s: %+v", types, checked.Report)
		}
	}
}
