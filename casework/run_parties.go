package casework

import (
	"context"
	"maps"
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/store"
)

// orderHistory returns everything asserted about a case with a payment order, with what the present
// command asserts; nil for other cases.
func orderHistory(
	ctx context.Context, r store.Reader, c domain.Case, present *command,
) (facts.History, error) {
	if c.OrderRevision == 0 {
		return nil, nil
	}
	return assertedHistory(ctx, r, c, present)
}

// assertedHistory returns everything asserted about a case, with what the present command asserts.
func assertedHistory(
	ctx context.Context, r store.Reader, c domain.Case, present *command,
) (facts.History, error) {
	if present == nil {
		return r.Assertions(ctx, c.ID)
	}
	sets, err := present.storedAssertions()
	return withSets(sets, present.change.Assertions...), err
}

// loadComparedParties returns the history of orderHistory with the parties by which the case is compared
// with others.
func loadComparedParties(
	ctx context.Context, r store.Reader, c domain.Case, present *command,
) (facts.History, []domain.ID, error) {
	history, err := orderHistory(ctx, r, c, present)
	if err != nil {
		return nil, nil, err
	}
	parties, err := comparedParties(ctx, r, c, history)
	return history, parties, err
}

// comparedParties returns the parties by which a case is compared with others, for duplicates and sums:
// those of its risk basis, except who is named only as the payer of its order. A payer has orders to
// many payees, and equal numbers of two payees are no duplicate. A party that any source names
// as counterparty, or by tax id, is compared, even if the order also names it as payer.
func comparedParties(
	ctx context.Context, r store.Reader, c domain.Case, history facts.History,
) ([]domain.ID, error) {
	parties := c.Parties()
	counterparties := partyKeysOf(history, domain.FieldVendor, domain.FieldVATID)
	payers := slices.DeleteFunc(partyKeysOf(history, domain.FieldPayer),
		func(key string) bool { return slices.Contains(counterparties, key) })
	if len(payers) == 0 {
		return parties, nil
	}
	found, err := r.PartiesByKey(ctx, payers)
	if err != nil {
		return nil, err
	}
	only := slices.Collect(maps.Values(found))
	return slices.DeleteFunc(slices.Clone(parties), func(party domain.ID) bool {
		return party != c.PartyID && slices.Contains(only, party)
	}), nil
}

// partyKeysOf returns the keys of all values ever asserted for the fields, without suggestions.
func partyKeysOf(history facts.History, fields ...string) []string {
	var keys []string
	for _, field := range fields {
		for _, entry := range history.Of(field) {
			if key := PartyKey(entry.Value); key != "" && !entry.IsSuggestion() {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
