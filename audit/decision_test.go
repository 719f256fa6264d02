package audit_test

import (
	"encoding/hex"
	"testing"
	"time"

	"countersign/audit"
	"countersign/domain"
)

// The hashes of decisions never change, because checkpoints contain them. An erasure changes none, and
// content that comes back does.
func TestDecisionHashes(t *testing.T) {
	t.Parallel()
	plain := domain.Decision{ID: domain.ID{1}, CaseID: domain.ID{2}, ReviewID: domain.ID{3},
		Actor: domain.ID{4}, Verdict: domain.Approve, Reason: "checked",
		Evidence: domain.Evidence{Amount: "12.00", BaseMinor: 1200}, At: time.UnixMicro(1_700_000_000_000_000)}
	signed := plain
	signed.Signature = &domain.ApprovalSignature{PasskeyID: domain.ID{5}, Statement: `{"a":1}`}
	salted, saltedSigned := plain, signed
	salted.Salt = []byte("0123456789abcdef")
	saltedSigned.Salt = salted.Salt
	for _, test := range []struct {
		name     string
		decision domain.Decision
		want     string
	}{
		{"of the first programs", plain, "76b5b37f8644c5740e41617f729c8a18149f43564466d799b1e154a5ab2e564f"},
		{"signed", signed, "90548bcf2b715839b1900004ae8be0f4158aad523d0eb899fb374b1335c54f16"},
		{"with a salt", salted, "eeb80b7cc0d6914f4cf15721a6e96f4fd82af4bea76305111da0bb8575523725"},
		{"with a salt, signed", saltedSigned, "f046a02b5286b61f998c07b4c0517d682feb9eaddc769175bafaf05190f5aeb9"},
	} {
		hash, err := audit.DecisionHash(&test.decision)
		if err != nil || hex.EncodeToString(hash) != test.want {
			t.Errorf("%s: %x %v", test.name, hash, err)
		}
		erased, err := audit.EraseDecision(test.decision)
		if err != nil {
			t.Fatal(err)
		}
		if erased.Reason != "" || erased.Evidence.Amount != "" || len(erased.Salt) > 0 ||
			erased.Signature != nil && erased.Signature.Statement != "" {
			t.Errorf("%s: not erased: %+v", test.name, erased)
		}
		if test.decision.Signature != nil && test.decision.Signature.Statement == "" {
			t.Errorf("%s: the erasure changed the decision itself", test.name)
		}
		again, err := audit.DecisionHash(&erased)
		if err != nil || hex.EncodeToString(again) != test.want {
			t.Errorf("%s, erased: %x %v", test.name, again, err)
		}
		for what, bring := range map[string]func(*domain.Decision){
			"a reason": func(d *domain.Decision) { d.Reason = "agreed" },
			"a salt":   func(d *domain.Decision) { d.Salt = salted.Salt },
			"evidence": func(d *domain.Decision) { d.Evidence.Amount = "13.00" },
			"a statement": func(d *domain.Decision) {
				d.Signature = &domain.ApprovalSignature{PasskeyID: domain.ID{5}, Statement: "x"}
			},
		} {
			forged := erased
			bring(&forged)
			if hash, err := audit.DecisionHash(&forged); err == nil && hex.EncodeToString(hash) == test.want {
				t.Errorf("%s: %s came back unseen", test.name, what)
			}
		}
		erased.Erased.ContentSHA256, erased.Erased.SHA256 = "zz", ""
		if hash, err := audit.DecisionHash(&erased); err == nil {
			t.Errorf("%s: a hash that is none: %x", test.name, hash)
		}
	}
}
