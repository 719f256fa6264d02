package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"countersign/domain"
)

// Manifest is the archive's statement about one closed case: the document, the values read, the
// findings, the decisions, and the head of the event chain. It is written once, next to the
// original.
type Manifest struct {
	Format    string         `json:"format"` // ManifestFormat
	CaseID    domain.ID      `json:"caseId"`
	Reference string         `json:"reference"`
	Outcome   domain.Status  `json:"outcome"` // archived, rejected or abandoned
	Submitter domain.ID      `json:"submitter"`
	Part      *ManifestPart  `json:"part,omitempty"`
	Documents []ManifestFile `json:"documents"` // every revision, the newest last
	// Supporting are the supporting documents, also those that later ones replaced.
	Supporting []ManifestSupporting `json:"supporting,omitempty"`
	// Attributes are what the submitter stated about the attributes of the process.
	Attributes []domain.Attribute `json:"attributes,omitempty"`
	Fields     []ManifestField    `json:"fields"`
	Findings   []ManifestFinding  `json:"findings"`
	Decisions  []ManifestDecision `json:"decisions"`
	Risk       int                `json:"risk"`
	Amount     string             `json:"amount,omitempty"` // plain decimal, "" when not known
	Currency   string             `json:"currency,omitempty"`
	BaseMinor  int64              `json:"baseMinor"`
	// HeadSeq and HeadHash are the chain's head when the manifest was written; the event that
	// archives the case follows it.
	HeadSeq           int64     `json:"headSeq"`
	HeadHash          string    `json:"headHash"`
	DefinitionKey     string    `json:"definitionKey"`
	DefinitionVersion int       `json:"definitionVersion"`
	PolicyVersion     int64     `json:"policyVersion"`
	SubmittedAt       time.Time `json:"submittedAt"`
	SealedAt          time.Time `json:"sealedAt"`
}

// ManifestFormat names the manifest's layout.
const ManifestFormat = "countersign.manifest.v1"

// ManifestPart says that the first document is a part of the file of another case. Its size and hash are
// those of the whole file.
type ManifestPart struct {
	ParentCaseID domain.ID `json:"parentCaseId"`
	FirstPage    int       `json:"firstPage"` // in the file, from 1
	LastPage     int       `json:"lastPage"`
}

// ManifestFile is one revision of the document.
type ManifestFile struct {
	Revision  int    `json:"revision"`
	FileName  string `json:"fileName"`
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	BlobKey   string `json:"blobKey"`
}

// ManifestSupporting is a supporting document.
type ManifestSupporting struct {
	Number    int    `json:"number"`
	Kind      string `json:"kind"`
	Replaces  int    `json:"replaces,omitempty"`
	FileName  string `json:"fileName"`
	MediaType string `json:"mediaType"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	BlobKey   string `json:"blobKey"`
}

// ManifestField is one value with its provenance.
type ManifestField struct {
	Name       string             `json:"name"`
	Value      string             `json:"value"` // normalised
	Raw        string             `json:"raw,omitempty"`
	Source     domain.FieldSource `json:"source"`
	Page       int                `json:"page,omitempty"`
	Confidence float64            `json:"confidence"`
	SetBy      domain.ID          `json:"setBy,omitzero"`
}

// ManifestFinding is one finding.
type ManifestFinding struct {
	Rule     string          `json:"rule"`
	Version  int             `json:"version"`
	Severity domain.Severity `json:"severity"`
	Score    int             `json:"score"`
	Message  string          `json:"message"`
}

// ManifestDecision is one decision with the hash of the evidence that the reviewer saw.
type ManifestDecision struct {
	ReviewID       domain.ID      `json:"reviewId"`
	Actor          domain.ID      `json:"actor"`
	OnBehalfOf     domain.ID      `json:"onBehalfOf,omitzero"`
	Verdict        domain.Verdict `json:"verdict"`
	Reason         string         `json:"reason,omitempty"`
	EvidenceSHA256 string         `json:"evidenceSha256"`
	At             time.Time      `json:"at"`
	// What the decision rested on, as frozen in its evidence.
	Fields      map[string]string     `json:"fields,omitempty"`
	RiskBasis   *domain.EvidenceBasis `json:"riskBasis,omitempty"`
	Differences map[string][]string   `json:"differences,omitempty"`
	Assertions  []string              `json:"assertions,omitempty"`
}

// NewManifestDecision converts a decision: of its evidence, the hash and what it rested on.
func NewManifestDecision(decision domain.Decision) (ManifestDecision, error) {
	evidence, err := EvidenceHash(decision.Evidence)
	return ManifestDecision{ReviewID: decision.ReviewID, Actor: decision.Actor,
		OnBehalfOf: decision.OnBehalfOf, Verdict: decision.Verdict, Reason: decision.Reason,
		EvidenceSHA256: evidence, At: decision.At, Fields: decision.Evidence.Fields,
		RiskBasis: decision.Evidence.RiskBasis, Differences: decision.Evidence.Differences,
		Assertions: decision.Evidence.Assertions}, err
}

// EvidenceHash returns the SHA-256 of the evidence as canonical JSON, in hex.
func EvidenceHash(evidence domain.Evidence) (string, error) {
	text, err := domain.CanonicalJSON(evidence)
	if err != nil {
		return "", fmt.Errorf("hash evidence: %w", err)
	}
	return hexSum(text), nil
}

// Seal returns the manifest's canonical JSON, which is the content to write, and its SHA-256 in
// hex, which is the hash to record.
func (m Manifest) Seal() (text []byte, sha256Hex string, err error) {
	m.Format = ManifestFormat
	m.Documents, m.Fields = orEmpty(m.Documents), orEmpty(m.Fields)
	m.Findings, m.Decisions = orEmpty(m.Findings), orEmpty(m.Decisions)
	text, err = domain.CanonicalJSON(m)
	if err != nil {
		return nil, "", fmt.Errorf("seal manifest: %w", err)
	}
	return text, hexSum(text), nil
}

// CheckManifest compares the hash of a stored manifest with the recorded one.
func CheckManifest(text []byte, sha256Hex string) error {
	if sum := hexSum(text); sum != sha256Hex {
		return fmt.Errorf("check manifest: its hash is %s, the recorded one is %s", sum, sha256Hex)
	}
	return nil
}

func hexSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
