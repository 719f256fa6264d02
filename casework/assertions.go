package casework

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"countersign/audit"
	"countersign/domain"
	"countersign/facts"
	"countersign/store"
)

// sealSet encodes the assertions of a set and hashes them with a salt.
func sealSet(set *domain.AssertionSet, salts io.Reader) error {
	body, err := domain.CanonicalJSON(set.Assertions)
	if err != nil {
		return fmt.Errorf("casework: encode assertions: %w", err)
	}
	set.Body, set.Salt = body, make([]byte, audit.SaltSize)
	if _, err := io.ReadFull(salts, set.Salt); err != nil {
		return fmt.Errorf("casework: salt of assertions: %w", err)
	}
	hash := audit.BodyHash(set.Salt, set.Body)
	set.Hash = hash[:]
	return nil
}

// assertSealed adds sealed sets to the change, as those of its facts revision.
func (t *transition) assertSealed(sets ...domain.AssertionSet) {
	for _, set := range sets {
		set.CaseID, set.Revision, set.At = t.change.Case.ID, t.change.Case.FactsRevision, t.now
		t.change.Assertions = append(t.change.Assertions, set)
	}
}

// assert seals a set and adds it to the change. A set without assertions is left out.
func (t *transition) assert(set domain.AssertionSet, salts io.Reader) error {
	if len(set.Assertions) == 0 {
		return nil
	}
	if err := sealSet(&set, salts); err != nil {
		return err
	}
	t.assertSealed(set)
	return nil
}

// assertionHashes returns the hashes of the sets that the change adds, for its event.
func assertionHashes(sets []domain.AssertionSet) []string {
	hashes := make([]string, 0, len(sets))
	for i := range sets {
		hashes = append(hashes, hex.EncodeToString(sets[i].Hash))
	}
	return hashes
}

// historyOf returns everything asserted about a case whose present fields are given. At the first
// revision that is what its row declares, which saves a query for each new document without an
// order.
func historyOf(
	ctx context.Context, r store.Reader, c domain.Case, present []domain.Field,
) (facts.History, error) {
	var sets []domain.AssertionSet
	if c.FactsRevision > 1 || c.OrderRevision > 0 {
		var err error
		if sets, err = r.Assertions(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	return facts.HistoryOf(c, sets, present), nil
}

// withSets returns the history with further sets. Sets without assertions are left out.
func withSets(history facts.History, sets ...domain.AssertionSet) facts.History {
	all := append(make(facts.History, 0, len(history)+len(sets)), history...)
	for _, set := range sets {
		if len(set.Assertions) > 0 {
			all = append(all, set)
		}
	}
	return all
}

// readingSets returns the sealed assertions of one reading of the document, one set for each source.
// The values that another engine read instead precede those of the fields, so that the latter are in
// force.
func readingSets(
	fields, other []domain.Field, revision int64, documentRevision int, salts io.Reader,
) ([]domain.AssertionSet, error) {
	sets := facts.BySource(slices.Concat(other, fields), revision)
	for i := range sets {
		sets[i].DocumentRevision = documentRevision
		if err := sealSet(&sets[i], salts); err != nil {
			return nil, err
		}
	}
	return sets, nil
}
