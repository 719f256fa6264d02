package views

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"countersign/audit"
	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// authorityName is how problems of these rows are named for people.
const authorityName = "people, limits and definitions"

// verifyAuthority compares the rows that decide who may do what with the events about them.
func (v *Views) verifyAuthority(ctx context.Context, result *AuditResult) error {
	read, err := v.reader.AuthorityRows(ctx)
	if err != nil {
		return err
	}
	rows := read.AuthorityRows
	for _, policy := range read.Policies {
		version, err := hashedPolicy(policy)
		if err != nil {
			return err
		}
		rows.Versions = append(rows.Versions, version)
	}
	check := audit.NewAuthorityCheck()
	for _, head := range rows.Heads {
		if err := v.addSystemEvents(ctx, check, head); err != nil {
			return err
		}
	}
	for _, problem := range check.Problems(rows) {
		result.Problems = append(result.Problems, AuditProblem{Reference: authorityName, Seq: problem.Seq,
			Message: problem.Message})
	}
	return nil
}

// addSystemEvents adds the events of a system stream up to its head.
func (v *Views) addSystemEvents(ctx context.Context, check *audit.AuthorityCheck,
	head audit.AuthorityHead) error {
	for after := int64(0); after < head.Seq; {
		reading, err := v.reader.EventsAfter(ctx, head.Stream, after, verifyBatch)
		if err != nil {
			return err
		}
		if len(reading.Events) == 0 {
			return nil // the chain of the stream is verified separately
		}
		for i := range reading.Events {
			event := &reading.Events[i]
			if after = event.Seq; after > head.Seq {
				return nil
			}
			check.Add(event)
		}
	}
	return nil
}

// hashedPolicy returns a version of the policy with the hash that its event must have: of the
// proposal's document, if its rules are the rules in force, else of the rules themselves, as for the
// built-in policy.
func hashedPolicy(policy store.PolicyText) (audit.AuthorityVersion, error) {
	version := audit.AuthorityVersion{Kind: domain.ProposePolicy, Version: policy.Version}
	var inForce authz.Document
	err := json.Unmarshal(policy.Rules, &inForce.Rules)
	var text, proposed []byte
	if err == nil {
		text, err = domain.CanonicalJSON(inForce.Rules)
	}
	if err != nil {
		return version, domain.Errorf(domain.Internal, "Version %d of the policy cannot be read.",
			policy.Version).WithCause(err)
	}
	if document, faults := authz.ParseDocument([]byte(policy.Proposed)); len(faults) == 0 {
		if proposed, err = domain.CanonicalJSON(document.Rules); string(proposed) == string(text) {
			text = []byte(policy.Proposed)
		}
	}
	hash := sha256.Sum256(text)
	version.SHA256 = hex.EncodeToString(hash[:])
	return version, err
}
