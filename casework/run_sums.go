package casework

import (
	"maps"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// countsInSums reports whether the amount of a case counts in the sums by which split documents are
// found: it is known, and the case is not refused. One that is being closed as abandoned does not count
// either, so that a file that was split does not count beside its parts.
func countsInSums(c *domain.Case) bool {
	return c.AmountKnown && c.Status != domain.Rejected && c.Status != domain.Abandoned &&
		c.Outcome != domain.Abandoned
}

// sumKeys returns the sums that contain the amount at risk of a case.
func sumKeys(c *domain.Case) []store.SumKey {
	if !c.Summed {
		return nil
	}
	hour := c.CreatedAt.UTC().Truncate(time.Hour)
	band := domain.SumBand(c.BaseMinor)
	keys := []store.SumKey{{Kind: store.SumSubmitter, Subject: c.Submitter.String(), Hour: hour,
		Band: band}}
	for _, party := range c.Parties() {
		keys = append(keys, store.SumKey{Kind: store.SumCounterparty, Subject: party.String(),
			Hour: hour, Band: band})
	}
	for _, account := range c.Accounts {
		keys = append(keys, store.SumKey{Kind: store.SumAccount, Subject: account, Hour: hour,
			Band: band})
	}
	return keys
}

// sumChanges returns how the sums change with the case.
func sumChanges(before, after *domain.Case) []store.SumChange {
	if before.Summed == after.Summed && before.BaseMinor == after.BaseMinor &&
		sameSubjects(before, after) {
		return nil
	}
	changes := map[store.SumKey]*store.SumChange{}
	add := func(c *domain.Case, sign int) {
		for _, key := range sumKeys(c) {
			change := changes[key]
			if change == nil {
				change = &store.SumChange{CaseID: after.ID, Key: key}
				changes[key] = change
			}
			change.BaseMinor += int64(sign) * c.BaseMinor
			change.Documents += sign
		}
	}
	add(before, -1)
	add(after, 1)
	var all []store.SumChange
	for _, change := range changes {
		if change.BaseMinor != 0 || change.Documents != 0 {
			all = append(all, *change)
		}
	}
	return all
}

func sameSubjects(a, b *domain.Case) bool {
	return a.PartyID == b.PartyID && slices.Equal(a.OtherPartyIDs, b.OtherPartyIDs) &&
		slices.Equal(a.Accounts, b.Accounts)
}

// updateSums sets the changes of sums of the transition.
func (t *transition) updateSums() {
	after := &t.change.Case
	after.Summed = countsInSums(after)
	t.change.Sums = sumChanges(&t.before, after)
}

// sumsCommitted reports whether the sums contain the case as it is after a change. Only then may rules
// judge it, so that of two documents that together reach a mark at least one finds the other.
func sumsCommitted(before, after *domain.Case) bool {
	return before.Summed == countsInSums(after) && before.BaseMinor == after.BaseMinor &&
		sameSubjects(before, after)
}

// accountsOf returns the distinct accounts as they are compared.
func accountsOf(accounts []string) []string {
	distinct := map[string]bool{}
	for _, account := range accounts {
		if key := strings.ToUpper(strings.Join(strings.Fields(account), "")); key != "" {
			distinct[key] = true
		}
	}
	if len(distinct) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(distinct))
}
