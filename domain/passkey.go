package domain

import "time"

// Passkey is a WebAuthn credential by which a person signs in and signs approvals.
type Passkey struct {
	ID     ID
	UserID ID
	Name   string // what the person calls it
	// RelyingParty is the domain for which the authenticator made the key.
	RelyingParty string
	CredentialID []byte
	PublicKey    []byte // PKIX, DER
	Algorithm    int    // COSE: -7 (ES256), -8 (EdDSA) or -257 (RS256)
	AAGUID       []byte
	SignCount    uint32 // as the authenticator counted last; 0 if it does not count
	Synced       bool   // the key may be copied to other devices of the person
	At           time.Time
	UsedAt       time.Time // zero = never
	RemovedAt    time.Time // zero = active
	// Proof is how the person proved that they may add it; only set when it is added.
	Proof PasskeyProof
}

// PasskeyProof is how a person proves that they may add a passkey.
type PasskeyProof string

// The proofs: the password, another passkey, or a recent sign-in through a provider.
const (
	ProofPassword PasskeyProof = "password"
	ProofPasskey  PasskeyProof = "passkey"
	ProofProvider PasskeyProof = "provider"
)

// PasskeyAssertion is a signature by a passkey: the bytes exactly as the browser returned them.
type PasskeyAssertion struct {
	CredentialID      []byte `json:"credentialId"`
	ClientData        []byte `json:"clientData"`
	AuthenticatorData []byte `json:"authenticatorData"`
	Signature         []byte `json:"signature"`
}

// PasswordChange is a change of a person's own password. The person has proved to know the present one.
type PasswordChange struct {
	Before, After string // hashes
	// ByPasskey says that the person has also signed with a passkey.
	ByPasskey bool
}

// ApprovalSignature is a reviewer's signature of an approval. The challenge that the authenticator
// signed is the SHA-256 of Statement.
type ApprovalSignature struct {
	PasskeyID ID     `json:"passkeyId"`
	Statement string `json:"statement"` // an ApprovalStatement as canonical JSON
	PasskeyAssertion
}

// ApprovalStatementFormat names the layout of an ApprovalStatement.
const ApprovalStatementFormat = "countersign.approval.v1"

// ApprovalStatement is what a reviewer signs: the decision and the frozen evidence on which it rests.
type ApprovalStatement struct {
	Format string `json:"format"`
	CaseID ID     `json:"caseId"`
	Review ID     `json:"reviewId"`
	// ReviewVersion prevents a second use of the signature, because deciding and undoing change it.
	ReviewVersion string  `json:"reviewVersion"`
	Actor         ID      `json:"actor"`
	OnBehalfOf    ID      `json:"onBehalfOf"`
	Verdict       Verdict `json:"verdict"`
	Reason        string  `json:"reason"`
	// EvidenceSHA256 is that of the evidence as canonical JSON, without the overrides of this approval.
	EvidenceSHA256 string              `json:"evidenceSha256"`
	Overrides      []StatementOverride `json:"overrides"`
	// Unchecked are the fields that the reviewer approves without having checked them, as in the evidence.
	// Statements that were signed before they named them have none.
	Unchecked []string `json:"unchecked,omitempty"`
}

// StatementOverride is an override of a finding that the approval contains.
type StatementOverride struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}
