package facts

import (
	"encoding/json"
	"maps"
	"slices"

	"countersign/domain"
)

// Coverage is what a vote covers: the risk basis when it was given, what the voter may decide, and
// the values in force of the key fields. A vote is stored with it.
type Coverage struct {
	// Revision is the facts revision that the voter saw.
	Revision int64 `json:"revision"`
	// BaseMinor is the amount at risk in the base currency, and Limit the largest amount that
	// everybody who voted may decide.
	BaseMinor int64 `json:"base"`
	Limit     int64 `json:"limit,omitempty"`
	// Amount is the amount in force, Currency "" if none was known; Others are the other amounts of
	// the risk basis.
	Amount    domain.Money   `json:"amount"`
	Others    []domain.Money `json:"others,omitempty"`
	Countries []string       `json:"countries,omitempty"`
	// PartyID is the counterparty in force; Parties are all of the risk basis.
	PartyID domain.ID   `json:"party"`
	Parties []domain.ID `json:"parties,omitempty"`
	Numbers []string    `json:"numbers,omitempty"`
	Account string      `json:"account,omitempty"`
	// Values are the values in force of the other key fields of the process.
	Values map[string]string `json:"values,omitempty"`
}

// Covers reports whether a vote that covers c still counts for a case with the present coverage: its
// risk basis is included, and no value in force that the voter saw has changed in a way that
// matters. Another account, another counterparty and another value of any other key field always
// matter. An amount matters unless it is lower in the same currency or one that the voter saw, and a
// country or number only if it is not among those that the voter saw.
func (c Coverage) Covers(present Coverage) bool {
	return c.coversAmount(present) && includes(c.Countries, present.Countries) &&
		includes(c.Parties, present.Parties) && includes(c.Numbers, present.Numbers) &&
		c.PartyID == present.PartyID && c.Account == present.Account &&
		maps.Equal(c.Values, present.Values)
}

// coversAmount compares amounts. If a rate has raised the amount at risk, the limit of the voter must
// cover it, and all amounts must be known to the voter.
func (c Coverage) coversAmount(present Coverage) bool {
	seen := append([]domain.Money{c.Amount}, c.Others...)
	inForce := slices.Contains(seen, present.Amount) ||
		c.Amount.Currency != "" && c.Amount.Currency == present.Amount.Currency &&
			magnitude(present.Amount) <= magnitude(c.Amount) &&
			(present.Amount.Minor < 0) == (c.Amount.Minor < 0)
	if !inForce {
		return false
	}
	return present.BaseMinor <= c.BaseMinor ||
		present.BaseMinor <= c.Limit && includes(seen, present.Others)
}

func magnitude(m domain.Money) int64 { return max(m.Minor, -m.Minor) }

// Encode returns the coverage as it is stored with a vote.
func (c Coverage) Encode() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// DecodeCoverage decodes the coverage of a stored vote. ok is false for a vote without one, from
// before coverages were stored.
func DecodeCoverage(text string) (c Coverage, ok bool) {
	if text == "" || json.Unmarshal([]byte(text), &c) != nil {
		return Coverage{}, false
	}
	return c, c.Revision > 0
}
