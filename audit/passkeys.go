package audit

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"countersign/domain"
)

// RegisteredKey is the part of a passkey that its registration records and that verification needs.
type RegisteredKey struct {
	ID           domain.ID `json:"id"`
	Person       domain.ID `json:"person"`
	RelyingParty string    `json:"relyingParty"`
	CredentialID []byte    `json:"credentialId"`
	PublicKey    []byte    `json:"publicKey"` // PKIX, DER
}

// KeyOf returns the part of a passkey that verification needs.
func KeyOf(p domain.Passkey) RegisteredKey {
	return RegisteredKey{p.ID, p.UserID, p.RelyingParty, p.CredentialID, p.PublicKey}
}

// Hash returns the hash of the registration, for its leaf.
func (k RegisteredKey) Hash() []byte {
	out := appendText(nil, "countersign.passkey.v1")
	out = appendBytes(out, k.ID[:])
	out = appendBytes(out, k.Person[:])
	out = appendText(out, k.RelyingParty)
	out = appendBytes(out, k.CredentialID)
	sum := sha256.Sum256(appendBytes(out, k.PublicKey))
	return sum[:]
}

// passkeyBody are the properties of the event about a registration.
type passkeyBody struct {
	PasskeyID    domain.ID `json:"passkeyId"`
	UserID       domain.ID `json:"userId"`
	RelyingParty string    `json:"relyingParty"`
	CredentialID string    `json:"credentialId"`
	PublicKey    string    `json:"publicKey"`
}

// ParseRegistration reads the key from the event about its registration.
func ParseRegistration(event *domain.Event) (RegisteredKey, error) {
	var body passkeyBody
	if err := json.Unmarshal(event.Body, &body); err != nil {
		return RegisteredKey{}, fmt.Errorf("the registration of a passkey cannot be read: %w", err)
	}
	key := RegisteredKey{ID: body.PasskeyID, Person: body.UserID, RelyingParty: body.RelyingParty}
	var err error
	if key.CredentialID, err = base64.RawURLEncoding.DecodeString(body.CredentialID); err != nil {
		return key, fmt.Errorf("the id of a passkey cannot be read: %w", err)
	}
	if key.PublicKey, err = base64.RawURLEncoding.DecodeString(body.PublicKey); err != nil {
		return key, fmt.Errorf("the public key of a passkey cannot be read: %w", err)
	}
	return key, nil
}

// SignatureProblems returns the decisions whose signature is not valid. Keys are the registered passkeys.
func SignatureProblems(decisions []domain.Decision, keys map[domain.ID]RegisteredKey) []RowProblem {
	var problems []RowProblem
	for i := range decisions {
		if fault := signatureFault(&decisions[i], keys); fault != "" {
			problems = append(problems, RowProblem{Message: fault})
		}
	}
	return problems
}

// signatureFault returns what is wrong with the signature of a decision, "" if nothing is or the
// decision has none.
func signatureFault(d *domain.Decision, keys map[domain.ID]RegisteredKey) string {
	if d.Signature == nil {
		return ""
	}
	key, known := keys[d.Signature.PasskeyID]
	if !known {
		return fmt.Sprintf(
			"the signature of the decision on review %s is by a passkey that was never registered",
			d.ReviewID)
	}
	if err := VerifyApproval(d, key); err != nil {
		return fmt.Sprintf("the signature of the decision on review %s is not valid: %v", d.ReviewID, err)
	}
	return ""
}
