package riskmodel

import (
	"slices"

	"countersign/domain"
)

// amounts are the totals in the currency that their page states, or in any of their set. A currency that is
// not that of a total of its set may be that of every one. A total or currency that was asserted alone is
// combined with every other one.
func (m *Model) amounts() (found []domain.Money) {
	totals, currencies := m.Counting[domain.FieldTotal], m.Counting[domain.FieldCurrency]
	for _, total := range totals {
		stated, err := domain.ParseMoney(total.Value, total.Currency)
		if err == nil {
			found = append(found, stated)
		}
		for _, currency := range currencies {
			amount, noAmount := domain.ParseMoney(total.Value, currency.Value)
			if noAmount != nil {
				continue
			}
			mayBe := err != nil || currency.Value == total.Currency || !currency.isOf(totals)
			if total.set == currency.set && mayBe || total.alone && err != nil || currency.alone {
				found = append(found, amount)
			}
		}
	}
	return found
}

// isOf reports whether a currency was read as that of totals of its set.
func (c Counted) isOf(totals []Counted) bool {
	return c.OfTotals && slices.ContainsFunc(totals, func(total Counted) bool {
		_, err := domain.ParseMoney(total.Value, total.Currency)
		return err == nil && total.set == c.set && total.Currency == c.Value
	})
}

// separate makes totals count in every currency, because a person decided which one the document has.
func (m *Model) separate() {
	totals := m.Counting[domain.FieldTotal]
	for i := range totals {
		totals[i].Currency = ""
	}
}
