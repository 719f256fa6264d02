package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"countersign/domain"
)

func newErasedApproval(t *testing.T) *signedDecision {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := newSignedDecision(t, private)
	d.erase(t)
	return d
}

func (d *signedDecision) erase(t *testing.T) {
	t.Helper()
	erased, err := EraseDecision(d.Decision)
	if err != nil {
		t.Fatal(err)
	}
	d.Decision = erased
}

// The signature of an erased approval still verifies, although its statement cannot be read, and a
// changed one does not.
func TestErasedApproval(t *testing.T) {
	t.Parallel()
	sum := func(size int) string { return base64.RawURLEncoding.EncodeToString(make([]byte, size)) }
	sign := func(client clientData) func(*testing.T, *signedDecision) {
		return func(t *testing.T, d *signedDecision) {
			t.Helper()
			d.signStatement("{}", client, nil)
			d.Decision.Signature.Statement = ""
		}
	}
	for what, tc := range map[string]struct {
		change func(*testing.T, *signedDecision)
		want   string // "" if it verifies
	}{
		"nothing": {func(*testing.T, *signedDecision) {}, ""},
		"another challenge that the key signed": {sign(clientData{Type: "webauthn.get",
			Origin: "https://review.example", Challenge: sum(32)}), ""},
		"a challenge of another size": {sign(clientData{Type: "webauthn.get",
			Origin: "https://review.example", Challenge: sum(31)}), "it was made over something else"},
		"a challenge that is no base64": {sign(clientData{Type: "webauthn.get",
			Origin: "https://review.example", Challenge: sum(32) + "!"}), "it was made over something else"},
		"another address": {sign(clientData{Type: "webauthn.get", Origin: "https://evil.example",
			Challenge: sum(32)}), `it was made for the address "https://evil.example"`},
		"client data that is no JSON": {func(_ *testing.T, d *signedDecision) {
			d.Signature.ClientData = []byte("{")
		}, "the client data cannot be read: unexpected end of JSON input"},
		"the signature": {func(_ *testing.T, d *signedDecision) { d.Signature.Signature[8] ^= 1 },
			"the signature does not match"},
		"the person": {func(_ *testing.T, d *signedDecision) { d.key.Person = domain.NewID() },
			"it is by a passkey of another person"},
		"the passkey": {func(_ *testing.T, d *signedDecision) { d.key.ID = domain.NewID() },
			"it is by a passkey of another person"},
		"no mark of the erasure": {func(_ *testing.T, d *signedDecision) { d.Erased = nil },
			"it was made over something else"},
	} {
		d := newErasedApproval(t)
		tc.change(t, d)
		err := VerifyApproval(&d.Decision, d.key)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || err.Error() != tc.want) {
			t.Errorf("%s: %v, want %q", what, err, tc.want)
		}
	}
}

// Problems name the decisions whose signature is wrong, and not those without one.
func TestSignatureProblems(t *testing.T) {
	t.Parallel()
	valid, forged := newErasedApproval(t), newErasedApproval(t)
	forged.Signature.Signature[8] ^= 1
	unknown := newErasedApproval(t)
	keys := map[domain.ID]RegisteredKey{valid.key.ID: valid.key, forged.key.ID: forged.key}
	found := SignatureProblems([]domain.Decision{valid.Decision, {ReviewID: domain.NewID()},
		forged.Decision, unknown.Decision}, keys)
	if len(found) != 2 || !strings.HasSuffix(found[0].Message, "the signature does not match") ||
		!strings.HasSuffix(found[1].Message, "is by a passkey that was never registered") {
		t.Errorf("%+v", found)
	}
}

// A signature in a row must be the one that the event of its decision names.
func TestSignatureOfTheEvent(t *testing.T) {
	t.Parallel()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := newSignedDecision(t, private)
	hash, err := SignatureHash(d.Signature)
	if err != nil {
		t.Fatal(err)
	}
	check := func(hash string) []RowProblem {
		t.Helper()
		body, err := json.Marshal(map[string]any{"reviewId": d.ReviewID, "verdict": d.Verdict,
			"reason": d.Reason, "signature": map[string]string{"signatureSha256": hash}})
		if err != nil {
			t.Fatal(err)
		}
		derived := NewCaseCheck(1)
		derived.Add(&domain.Event{Seq: 1, Type: domain.ReviewDecidedEvent, Actor: d.Actor, Body: body})
		return derived.Problems(CaseRows{Decisions: []domain.Decision{d.Decision},
			Votes: []domain.Vote{{Person: d.Actor, ReviewID: d.ReviewID}}})
	}
	if found := check(hash); len(found) > 0 {
		t.Errorf("the signature of the event: %+v", found)
	}
	d.Signature.Signature[8] ^= 1
	if found := check(hash); len(found) != 1 || found[0].Seq != 1 {
		t.Errorf("another signature: %+v", found)
	}
	d.Signature = nil
	if found := check(hash); len(found) != 1 || found[0].Seq != 1 {
		t.Errorf("no signature: %+v", found)
	}
	if found := check(""); len(found) > 0 {
		t.Errorf("a decision without a signature: %+v", found)
	}
}
