package audit

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"countersign/domain"
)

// Flags of authenticatorData (WebAuthn level 3, section 6.1).
const (
	flagUserPresent  = 0x01
	flagUserVerified = 0x04
	// authenticatorDataSize is the size without extensions: hash, flags, counter.
	authenticatorDataSize = 32 + 1 + 4
)

// clientData are the properties of the browser's clientDataJSON that are verified.
type clientData struct {
	Type        string `json:"type"`
	Challenge   string `json:"challenge"`
	Origin      string `json:"origin"`
	CrossOrigin bool   `json:"crossOrigin"`
}

// VerifyAssertion verifies that the key signed the challenge for its relying party, with the person
// present and verified (WebAuthn level 3, section 7.2). It returns the counter of the authenticator.
func VerifyAssertion(key RegisteredKey, signed domain.PasskeyAssertion, challenge []byte) (uint32, error) {
	if !bytes.Equal(key.CredentialID, signed.CredentialID) {
		return 0, fmt.Errorf("it is of another passkey")
	}
	var client clientData
	if err := json.Unmarshal(signed.ClientData, &client); err != nil {
		return 0, fmt.Errorf("the client data cannot be read: %w", err)
	}
	if client.Type != "webauthn.get" || client.CrossOrigin {
		return 0, fmt.Errorf("it was made for another purpose (%q)", client.Type)
	}
	if client.Challenge != base64.RawURLEncoding.EncodeToString(challenge) {
		return 0, fmt.Errorf("it was made over something else")
	}
	if !IsOriginOf(client.Origin, key.RelyingParty) {
		return 0, fmt.Errorf("it was made for the address %q", client.Origin)
	}
	data := signed.AuthenticatorData
	party := sha256.Sum256([]byte(key.RelyingParty))
	if len(data) < authenticatorDataSize || !bytes.Equal(data[:32], party[:]) {
		return 0, fmt.Errorf("it was made for another domain")
	}
	if data[32]&flagUserPresent == 0 || data[32]&flagUserVerified == 0 {
		return 0, fmt.Errorf("the authenticator did not verify the person")
	}
	client32 := sha256.Sum256(signed.ClientData)
	if err := verifySignature(key.PublicKey, append(bytes.Clone(data), client32[:]...),
		signed.Signature); err != nil {
		return 0, err
	}
	return uint32(data[33])<<24 | uint32(data[34])<<16 | uint32(data[35])<<8 | uint32(data[36]), nil
}

// IsOriginOf reports whether the origin is on the domain, by HTTPS or on this computer.
func IsOriginOf(origin, relyingParty string) bool {
	address, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := address.Hostname()
	if address.Scheme != "https" && host != "localhost" {
		return false
	}
	return relyingParty != "" && host == relyingParty
}

func verifySignature(publicKey, message, signature []byte) error {
	parsed, err := x509.ParsePKIXPublicKey(publicKey)
	if err != nil {
		return fmt.Errorf("the public key cannot be read: %w", err)
	}
	valid := false
	digest := sha256.Sum256(message)
	switch key := parsed.(type) {
	case *ecdsa.PublicKey:
		valid = ecdsa.VerifyASN1(key, digest[:], signature)
	case ed25519.PublicKey:
		valid = ed25519.Verify(key, message, signature)
	case *rsa.PublicKey:
		valid = rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	default:
		return fmt.Errorf("keys of the kind %T sign no approvals", parsed)
	}
	if !valid {
		return fmt.Errorf("the signature does not match")
	}
	return nil
}

// StatementOf returns the statement of a decision that is to be signed. Its evidence has the overrides of
// earlier decisions only, because the statement names those of this one.
func StatementOf(d *domain.Decision, reviewVersion string, overrides []domain.StatementOverride) (string,
	error) {
	hash, err := signedEvidenceHash(d.Evidence)
	if err != nil {
		return "", err
	}
	if overrides == nil {
		overrides = []domain.StatementOverride{}
	}
	text, err := domain.CanonicalJSON(domain.ApprovalStatement{Format: domain.ApprovalStatementFormat,
		CaseID: d.CaseID, Review: d.ReviewID, ReviewVersion: reviewVersion, Actor: d.Actor,
		OnBehalfOf: d.OnBehalfOf, Verdict: d.Verdict, Reason: d.Reason, EvidenceSHA256: hash,
		Overrides: overrides, Unchecked: d.Evidence.Unchecked})
	if err != nil {
		return "", fmt.Errorf("state the decision: %w", err)
	}
	return string(text), nil
}

func signedEvidenceHash(evidence domain.Evidence) (string, error) {
	evidence.Overrides = nil
	return EvidenceHash(evidence)
}

// VerifyApproval verifies that the signature of a decision is by the key of its reviewer, over a
// statement that says what the decision says.
func VerifyApproval(d *domain.Decision, key RegisteredKey) error {
	signature := d.Signature
	if key.ID != signature.PasskeyID || key.Person != d.Actor {
		return fmt.Errorf("it is by a passkey of another person")
	}
	if d.Erased != nil {
		return verifyErasedApproval(signature, key)
	}
	challenge := sha256.Sum256([]byte(signature.Statement))
	if _, err := VerifyAssertion(key, signature.PasskeyAssertion, challenge[:]); err != nil {
		return err
	}
	var statement domain.ApprovalStatement
	if err := json.Unmarshal([]byte(signature.Statement), &statement); err != nil {
		return fmt.Errorf("the statement cannot be read: %w", err)
	}
	evidence, err := signedEvidenceHash(d.Evidence)
	if err != nil {
		return err
	}
	if statement.Format != domain.ApprovalStatementFormat || statement.CaseID != d.CaseID ||
		statement.Review != d.ReviewID || statement.Actor != d.Actor ||
		statement.OnBehalfOf != d.OnBehalfOf || statement.Verdict != d.Verdict ||
		statement.Reason != d.Reason || statement.EvidenceSHA256 != evidence ||
		statement.Unchecked != nil && !slices.Equal(statement.Unchecked, d.Evidence.Unchecked) {
		return fmt.Errorf("the signed statement says something else than the decision")
	}
	return nil
}

// verifyErasedApproval verifies a signature whose statement was erased: that the key made it over the
// challenge that it contains. The hash of the decision covers it.
func verifyErasedApproval(signature *domain.ApprovalSignature, key RegisteredKey) error {
	var client clientData
	if err := json.Unmarshal(signature.ClientData, &client); err != nil {
		return fmt.Errorf("the client data cannot be read: %w", err)
	}
	challenge, err := base64.RawURLEncoding.DecodeString(client.Challenge)
	if err != nil || len(challenge) != sha256.Size {
		return fmt.Errorf("it was made over something else")
	}
	_, err = VerifyAssertion(key, signature.PasskeyAssertion, challenge)
	return err
}

// SignatureHash returns the hash of a signature, for the event of the decision.
func SignatureHash(signature *domain.ApprovalSignature) (string, error) {
	text, err := domain.CanonicalJSON(signature)
	if err != nil {
		return "", fmt.Errorf("hash signature: %w", err)
	}
	return hexSum(text), nil
}
