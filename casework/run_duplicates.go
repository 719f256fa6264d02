package casework

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/facts"
	"countersign/rules"
	"countersign/store"
)

// documentKeyOf returns what of a case's document is compared with other documents.
func documentKeyOf(c domain.Case, fields []domain.Field) rules.DocumentKey {
	key := rules.DocumentKey{Type: c.DocumentType, Kind: c.DocumentKind, Numbers: c.Numbers(),
		Time: c.DocumentTime, Image: c.ImageHash}
	if date := fieldValue(fields, domain.FieldDate); date != "" &&
		!slices.Contains(c.DifferingFields, domain.FieldDate) {
		key.Dates = []string{date}
	}
	key.NumberUnsure = slices.ContainsFunc(fields, func(f domain.Field) bool {
		return f.Name == domain.FieldNumber && f.Confidence < rules.SureNumber
	})
	if c.AmountKnown {
		key.Totals = []int64{c.Amount.Minor}
		if c.AtRisk.Currency != "" {
			key.Totals = append(key.Totals, c.AtRisk.Minor)
		}
	}
	return key
}

// withPending adds the dates and amounts that a person replaced and no second person confirmed: what they
// find stays found. comparedHash leaves them out, as it does for a candidate.
func withPending(key rules.DocumentKey, history facts.History) rules.DocumentKey {
	pending := func(field string) bool {
		_, entered := history.Entered(field)
		return entered && len(history.Values(field)) > 1
	}
	if pending(domain.FieldDate) {
		key.Dates = history.Values(domain.FieldDate)
	}
	if pending(domain.FieldTotal) || pending(domain.FieldCurrency) {
		key.Totals = slices.Clone(key.Totals)
		for _, amount := range facts.RiskOf(history, country.OfField).Amounts {
			if !slices.Contains(key.Totals, amount.Minor) {
				key.Totals = append(key.Totals, amount.Minor)
			}
		}
	}
	return key
}

// comparedKey returns documentKeyOf with what waits for a second person. asserted is the history of the
// case; nil reads it if values differ.
func comparedKey(
	ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field, present *command,
	asserted facts.History,
) (rules.DocumentKey, error) {
	key := documentKeyOf(c, fields)
	differs := slices.ContainsFunc(
		[]string{domain.FieldDate, domain.FieldTotal, domain.FieldCurrency},
		func(field string) bool { return slices.Contains(c.DifferingFields, field) })
	if !differs {
		return key, nil
	}
	if asserted == nil {
		var err error
		if asserted, err = assertedHistory(ctx, r, c, present); err != nil {
			return key, err
		}
	}
	return withPending(key, asserted), nil
}

func candidateKey(candidate store.DuplicateCandidate) rules.DocumentKey {
	key := rules.DocumentKey{Type: candidate.Type, Kind: candidate.Kind,
		Numbers: without(candidate.Numbers, ""), Time: candidate.Time, Totals: candidate.Totals,
		Image:        uint64(candidate.Image), //nolint:gosec // all bits count
		NumberUnsure: candidate.NumberConfidence < rules.SureNumber}
	if candidate.Date != "" {
		key.Dates = []string{candidate.Date}
	}
	return key
}

// comparedHash is the hash of what two documents state. A reviewer's answer that they are no
// duplicates holds while it does not change.
func comparedHash(a, b rules.DocumentKey) (string, error) {
	texts := make([]string, 0, 2)
	for _, key := range []rules.DocumentKey{a, b} {
		key.Numbers = slices.Sorted(slices.Values(key.Numbers))
		key.Totals = slices.Sorted(slices.Values(key.Totals))
		text, err := domain.CanonicalJSON(key)
		if err != nil {
			return "", err
		}
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	hash := sha256.Sum256([]byte(strings.Join(texts, "\n")))
	return hex.EncodeToString(hash[:]), nil
}

// duplicateHits returns the candidates that are duplicates of the case and for which it is to have
// the finding: no reviewer has cleared the pair, and the other case does not have the finding. If that
// case was approved in spite of it, this one has the finding, so that both pass only by two reasons.
// While it is undecided, this one is to say that the document was submitted again, by the oldest of them.
func duplicateHits(
	c domain.Case, fields []domain.Field, key rules.DocumentKey, candidates []store.DuplicateCandidate,
) ([]rules.DuplicateHit, error) {
	var hits []rules.DuplicateHit
	copies := 0
	for _, candidate := range candidates {
		if !isUnread(c) && candidate.Carrier == domain.NoID && candidate.Unread() &&
			bytes.Compare(candidate.ID[:], c.ID[:]) > 0 {
			continue // the later case, which is assessed after this one, finds it and has the finding
		}
		carried := candidate.Carrier != domain.NoID && !candidate.Cleared &&
			candidate.Carrier != c.ID && !candidate.Passed()
		kinds := duplicateKinds(key, candidate)
		if relation := copyRelation(kinds); carried && copies < maxNamedCopies && relation != rules.NoDuplicate {
			copies++
			hits = append(hits, rules.DuplicateHit{Kind: rules.SubmittedAgain, CaseID: candidate.ID,
				Reference: candidate.Reference, Relation: relation})
		}
		if carried || len(kinds) == 0 {
			continue
		}
		if candidate.Cleared {
			compared, err := comparedHash(documentKeyOf(c, fields), candidateKey(candidate))
			if err != nil {
				return nil, err
			}
			if compared == candidate.ClearedFor {
				continue
			}
		}
		for _, kind := range kinds {
			hit := rules.DuplicateHit{Kind: kind, CaseID: candidate.ID, Reference: candidate.Reference}
			if kind == rules.SameNumber {
				hit.Number = key.SharedNumber(candidateKey(candidate))
				hit.Earlier = hit.Number != c.DocumentNumber
			}
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

// duplicateKinds returns what a case and a candidate have in common. A case that was rejected or
// withdrawn is no duplicate, but the reviewer is to know of it.
func duplicateKinds(
	key rules.DocumentKey, candidate store.DuplicateCandidate,
) (kinds []rules.DuplicateKind) {
	if candidate.SameBytes {
		kinds = append(kinds, rules.SameBytes)
	}
	compare := key.CompareUnrelated
	if candidate.SameParty {
		compare = key.Compare
	}
	if kind := compare(candidateKey(candidate)); kind != rules.NoDuplicate {
		kinds = append(kinds, kind)
	}
	refused := []domain.Status{domain.Rejected, domain.Abandoned}
	if len(kinds) > 0 && (slices.Contains(refused, candidate.Status) ||
		slices.Contains(refused, candidate.Outcome)) {
		return []rules.DuplicateKind{rules.RejectedBefore}
	}
	return kinds
}

// duplicateClaims are the pairs for which a case has a finding, and those for which it had one.
type duplicateClaims struct {
	claimed  []store.PairClaim
	released []domain.ID
}

// claimsOf returns the claims of the findings: the duplicates that a finding lists. A pair with a
// case that was rejected has no finding in that case, so that it needs no claim.
func (inputs ruleInputs) claimsOf(findings []domain.Finding) duplicateClaims {
	var claims duplicateClaims
	var found []domain.ID
	for _, hit := range inputs.duplicates {
		listed := slices.ContainsFunc(findings, func(f domain.Finding) bool {
			return slices.Contains(f.NamedCases(), hit.Reference)
		})
		if listed && hit.NeedsClaim() &&
			!slices.Contains(found, hit.CaseID) {
			found = append(found, hit.CaseID)
		}
	}
	for _, other := range inputs.claimed {
		if !slices.Contains(found, other) {
			claims.released = append(claims.released, other)
		}
	}
	// Pairs that the case already has need no claim again.
	for _, candidate := range inputs.candidates {
		if !slices.Contains(found, candidate.ID) || slices.Contains(inputs.claimed, candidate.ID) {
			continue
		}
		claim := store.PairClaim{Other: candidate.ID}
		if candidate.Cleared {
			claim.Compared, _ = hex.DecodeString(candidate.ClearedFor)
		}
		claims.claimed = append(claims.claimed, claim)
	}
	return claims
}

func (t *transition) applyClaims(claims duplicateClaims) {
	t.change.Claims, t.change.ReleasedClaims = claims.claimed, claims.released
}
