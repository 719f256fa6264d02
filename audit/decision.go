package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"

	"countersign/domain"
)

// DecisionHash returns the hash of all columns of a decision. It is the same after an erasure.
func DecisionHash(d *domain.Decision) ([]byte, error) {
	switch {
	case d.HiddenHash != nil:
		return d.HiddenHash, nil
	case d.Erased == nil && len(d.Salt) == 0, d.Erased != nil && hasContent(d):
		return plainDecisionHash(d) // matches no leaf of an erased decision that has content again
	case d.Erased != nil && d.Erased.SHA256 != "":
		return hexBytes(d.Erased.SHA256)
	}
	content, err := contentHash(d)
	if err != nil {
		return nil, err
	}
	out := appendNumber(decisionStart("countersign.decision.v3", d), d.At.UnixMicro())
	out = appendBytes(out, content)
	if d.Signature != nil {
		signature := *d.Signature
		signature.Statement = "" // it is part of the content
		text, err := domain.CanonicalJSON(signature)
		if err != nil {
			return nil, fmt.Errorf("hash decision %s: %w", d.ID, err)
		}
		out = appendBytes(out, text)
	}
	sum := sha256.Sum256(out)
	return sum[:], nil
}

// contentHash returns the salted hash of what an erasure removes from a decision: reason, evidence and
// signed statement.
func contentHash(d *domain.Decision) ([]byte, error) {
	if d.Erased != nil {
		return hexBytes(d.Erased.ContentSHA256)
	}
	evidence, err := domain.CanonicalJSON(d.Evidence)
	if err != nil {
		return nil, fmt.Errorf("hash decision %s: %w", d.ID, err)
	}
	out := appendBytes(appendText(nil, "countersign.decision.content.v1"), d.Salt)
	out = appendBytes(appendText(out, d.Reason), evidence)
	if d.Signature != nil {
		out = appendText(out, d.Signature.Statement)
	}
	sum := sha256.Sum256(out)
	return sum[:], nil
}

// decisionStart are the ids and the verdict, with which every format begins.
func decisionStart(tag string, d *domain.Decision) []byte {
	out := appendText(nil, tag)
	for _, id := range []domain.ID{d.CaseID, d.ID, d.ReviewID, d.Actor, d.OnBehalfOf} {
		out = appendBytes(out, id[:])
	}
	return appendText(out, string(d.Verdict))
}

// plainDecisionHash returns the hash of a decision of an earlier program, which has no salt.
func plainDecisionHash(d *domain.Decision) ([]byte, error) {
	evidence, err := domain.CanonicalJSON(d.Evidence)
	if err != nil {
		return nil, fmt.Errorf("hash decision %s: %w", d.ID, err)
	}
	tag := "countersign.decision.v1"
	if d.Signature != nil {
		tag = "countersign.decision.v2"
	}
	out := appendText(decisionStart(tag, d), d.Reason)
	out = appendNumber(out, d.At.UnixMicro())
	out = appendBytes(out, evidence)
	if d.Signature != nil {
		signature, err := domain.CanonicalJSON(d.Signature)
		if err != nil {
			return nil, fmt.Errorf("hash decision %s: %w", d.ID, err)
		}
		out = appendBytes(out, signature)
	}
	sum := sha256.Sum256(out)
	return sum[:], nil
}

// EraseDecision returns the decision without reason, evidence and signed statement. Its hash stays the
// same.
func EraseDecision(d domain.Decision) (domain.Decision, error) {
	erased := domain.ErasedDecision{}
	if len(d.Salt) == 0 {
		hash, err := DecisionHash(&d)
		if err != nil {
			return d, err
		}
		erased.SHA256 = hex.EncodeToString(hash)
	} else {
		hash, err := contentHash(&d)
		if err != nil {
			return d, err
		}
		erased.ContentSHA256 = hex.EncodeToString(hash)
	}
	d.Reason, d.Evidence, d.Salt, d.Erased = "", domain.Evidence{}, nil, &erased
	if d.Signature != nil {
		signature := *d.Signature
		signature.Statement = ""
		d.Signature = &signature
	}
	return d, nil
}

// HideDecision returns a hidden vote with its hash and without anything that shows the verdict.
func HideDecision(d domain.Decision) (domain.Decision, error) {
	hash, err := DecisionHash(&d)
	return domain.Decision{ID: d.ID, CaseID: d.CaseID, ReviewID: d.ReviewID, Actor: d.Actor,
		OnBehalfOf: d.OnBehalfOf, At: d.At, Hidden: true, HiddenHash: hash}, err
}

func hexBytes(text string) ([]byte, error) {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) != sha256.Size {
		return nil, fmt.Errorf("%.80q is no hash", text)
	}
	return hash, nil
}

// hasContent reports whether a decision has what an erasure removes.
func hasContent(d *domain.Decision) bool {
	return d.Reason != "" || len(d.Salt) > 0 || !reflect.DeepEqual(d.Evidence, domain.Evidence{}) ||
		d.Signature != nil && d.Signature.Statement != ""
}
