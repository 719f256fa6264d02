package graph

import (
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/store"
)

const modelRunsOfCase = `query($id: ID!) { case(id: $id) { modelRuns { at model node documentRevision outcome errorCode
	error calls { status outcome ms inputTokens outputTokens } inputTokens outputTokens costMicros currency tookMs
	promptVersion promptHash prompt answer maxTokens pages removed
	input imageCount images { page sha256 sourceSha256 mediaType width height bytes } omittedImages { reason pages } }
	fieldHistory(field: "total") { value source grounded suggestion resolved } } }`

// Everyone who may read a case reads what a model was asked about it, and no one else does. A suggestion is
// marked as one.
func TestModelRunsAreReadableWithTheirCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("tom", domain.RoleSubmitter)
	w.person("sid", domain.RoleSenior)
	id := w.submitDeclared("sam", "717.97", "158980", "USD", "DE")
	_, caseID, err := scalar.ParseID(id)
	must(t, err)
	must(t, w.db.InTx(t.Context(), func(tx *store.Tx) error {
		return tx.AddModelRun(t.Context(), domain.ModelRun{ID: domain.NewID(), CaseID: caseID, Node: "parse",
			Model: "stub", Outcome: domain.ModelAnswered, PromptHash: []byte{1, 2}, Prompt: "the text",
			Input: domain.ModelTextAndImages, Parameters: domain.ModelParameters{Images: 1},
			Images: domain.ModelImages{Sent: []domain.ModelImage{{Page: 1, SHA256: "ab", Source: "cd",
				MediaType: "image/png", Width: 3, Height: 4, Bytes: 5}}, Omitted: []domain.ModelOmission{
				{Reason: domain.OmittedPageLimit, Pages: []int{2, 3}}, {Reason: domain.OmittedNeverSent, Pages: []int{4}},
				{Reason: domain.OmittedTooLarge, Pages: []int{5}}, {Reason: domain.OmittedRequest, Pages: []int{6}},
				{Reason: domain.OmittedMissing, Pages: []int{7}}, {Reason: domain.OmittedUnreadable, Pages: []int{8}}}},
			Answer: `{"total":null}`, InputTokens: 7, OutputTokens: 3, CostMicros: 12, Currency: "USD",
			Calls: []domain.ModelCall{{Status: 200, Outcome: "answered", Milliseconds: 5, InputTokens: 7,
				OutputTokens: 3}}})
	}))
	for _, reader := range []string{"sid", "sam"} {
		found := w.mustExecute(reader, modelRunsOfCase, "id", id)
		at := func(path ...any) string {
			return found.text(append([]any{"case", "modelRuns", 0}, path...)...)
		}
		if at("prompt") != "the text" || at("answer") != `{"total":null}` || at("outcome") != "ANSWERED" ||
			at("promptHash") != "0102" || at("calls", 0, "outcome") != "answered" || at("model") != "stub" {
			t.Errorf("%s: %+v", reader, found)
		}
		if at("input") != "TEXT_AND_IMAGES" || at("images", 0, "sha256") != "ab" || at("images", 0, "sourceSha256") != "cd" ||
			at("omittedImages", 0, "reason") != "PAGE_LIMIT" || at("omittedImages", 5, "reason") != "UNREADABLE" {
			t.Errorf("%s: the images are %+v", reader, found)
		}
		if found.at("case", "fieldHistory", 0, "suggestion") != false {
			t.Errorf("%s: a declaration is a suggestion: %+v", reader, found)
		}
	}
	if found := w.execute("tom", modelRunsOfCase, "id", id); found.at("case") != nil {
		t.Errorf("a stranger: %+v", found)
	}
}
