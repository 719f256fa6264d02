package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/testpasskey"
)

// A signed decision shows the name of the passkey and the hash of the statement, which the event has
// too. Viewers of a redacted case see nothing of it.
func TestSignatureOfADecision(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, false)
	w.person("abe", domain.RoleAdmin)
	text := w.mustExecute("ada", newestOf, "key", "cross_border_remittance").text("processDefinitions",
		"nodes", 0, "document")
	const node = "  - id: review_l1\n    kind: review\n"
	proposed := propose(w.testEnv, "ada", strings.Replace(text, node, node+"    signature_above: 0\n", 1), "")
	published := publish(w.testEnv, "abe", proposed.text("done", "proposal", "id"))
	if published.text("done", "proposal", "status") != "PUBLISHED" {
		t.Fatalf("%+v %+v", proposed.Data, published.Data)
	}
	const bounds = `query { processDefinitions(first: 1, filter: {key: "cross_border_remittance", newest: true}) {
		nodes { nodes { id signatureAbove { amount currency } } } } }`
	if got := w.mustExecute("rita", bounds); strings.Count(fmt.Sprint(got.Data), "map[amount:0.00 currency:USD]") != 1 {
		t.Errorf("the bound is not shown to staff: %v", got.Data)
	}
	if got := w.mustExecute("sam", bounds); strings.Contains(fmt.Sprint(got.Data), "currency") {
		t.Errorf("the bound is shown to a submitter: %v", got.Data)
	}

	submitted := w.upload("sam", submitMutation, map[string]any{"process": "cross_border_remittance",
		"documentType": "remittance", "country": riskyCountry}, "%PDF-1.7\n2200.00\n")
	w.caseID = submitted.text("submitDocument", "case", "id")
	w.runPending()
	rita := w.actor("rita")
	rita.SessionID = domain.NewID()
	phone := testpasskey.New("localhost", "http://localhost:8080")
	_, err := w.service.AddPasskey(t.Context(), rita, phone.Passkey("my phone"))
	must(t, err)
	review := caseIDOf(t, w.openReview("L1"))
	_, err = w.service.ClaimReview(t.Context(), rita, casework.ReviewTarget{ReviewID: review})
	must(t, err)
	in := casework.DecideReview{ReviewTarget: casework.ReviewTarget{ReviewID: review},
		Verdict: domain.Approve}
	request, err := w.service.PrepareApproval(t.Context(), rita, in)
	must(t, err)
	signed := phone.Sign(request.Challenge)
	in.Signature = &signed
	_, err = w.service.DecideReview(t.Context(), rita, in)
	must(t, err)

	const query = `query($i: ID!) { case(id: $i) { decisions { verdict signature { passkeyName statement
		statementSha256 } } } }`
	hash := sha256.Sum256([]byte(request.Statement))
	shown := w.mustExecute("aud", query, "i", w.caseID)
	if shown.text("case", "decisions", 0, "signature", "passkeyName") != "my phone" ||
		shown.text("case", "decisions", 0, "signature", "statementSha256") != hex.EncodeToString(hash[:]) {
		t.Errorf("%+v", shown.Data)
	}
	erased := domain.ApprovalSignature{PasskeyAssertion: signed} // has no statement any more
	if got, err := signedHash(&erased); err != nil || got != hex.EncodeToString(hash[:]) {
		t.Errorf("after an erasure: %s %v", got, err)
	}
	for _, name := range uncleared {
		got := fmt.Sprint(w.mustExecute(name, query, "i", w.caseID).Data)
		if strings.Contains(got, "my phone") || strings.Contains(got, hex.EncodeToString(hash[:])) {
			t.Errorf("%s sees the signature: %s", name, got)
		}
	}
}
