package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// keyFacts are the facts of a case that limits, conflicts and queues stand on.
type keyFacts struct {
	counterparty   string
	party          domain.ID
	documentNumber string
	country        string
	amount         domain.Money
	amountKnown    bool
	baseMinor      int64
	rateID         domain.ID
	newParty       bool
}

// keyFactsOf works out the key facts that the fields say. What is not on the document is taken as declared. Errors:
// RateMissing when the currency has no rate.
func keyFactsOf(ctx context.Context, tx *store.Tx, c domain.Case, fields []domain.Field, now time.Time) (keyFacts, error) {
	value := func(name string) string { return fieldValue(fields, name) }
	facts := keyFacts{counterparty: value(domain.FieldVendor), documentNumber: value(domain.FieldNumber), country: c.Country}
	if country := value(domain.FieldCountry); country != "" {
		facts.country = country
	}
	if key := PartyKey(facts.counterparty); key != "" {
		var err error
		if facts.party, facts.newParty, err = tx.EnsureParty(ctx, key, facts.counterparty); err != nil {
			return facts, err
		}
	}
	facts.amount, facts.amountKnown = amountOf(c, fields)
	if !facts.amountKnown {
		return facts, nil
	}
	if facts.amount.Currency == c.Amount.Currency && facts.amount.Minor == c.Amount.Minor && c.AmountKnown {
		facts.baseMinor, facts.rateID = c.BaseMinor, c.RateID // frozen when the amount was set
		return facts, nil
	}
	rate, err := tx.RateAt(ctx, facts.amount.Currency, now)
	if err != nil {
		return facts, err
	}
	facts.baseMinor, facts.rateID = absoluteAmount(facts.amount).ToBase(rate.Micros), rate.ID
	return facts, nil
}

// absoluteAmount drops the sign: a credit of a million needs the same authority as a debit.
func absoluteAmount(m domain.Money) domain.Money {
	if m.Minor < 0 {
		m.Minor = -m.Minor
	}
	return m
}

// amountOf is the total as read, in the currency as read or declared; without a total, what was declared.
func amountOf(c domain.Case, fields []domain.Field) (domain.Money, bool) {
	currency := fieldValue(fields, domain.FieldCurrency)
	if currency == "" {
		currency = c.DeclaredAmount.Currency
	}
	if total := fieldValue(fields, domain.FieldTotal); total != "" && currency != "" {
		if amount, err := domain.ParseMoney(total, currency); err == nil {
			return amount, true
		}
	}
	return c.DeclaredAmount, c.DeclaredAmount.Currency != ""
}

func fieldValue(fields []domain.Field, name string) string {
	for i := range fields {
		if fields[i].Name == name {
			return fields[i].Normalised
		}
	}
	return ""
}

// applyTo writes the key facts into the case and reports whether any that votes stand on has changed.
func (f keyFacts) applyTo(c *domain.Case) bool {
	changed := c.Counterparty != f.counterparty || c.PartyID != f.party || c.AmountKnown != f.amountKnown || c.Amount != f.amount
	c.Counterparty, c.PartyID, c.DocumentNumber, c.Country = f.counterparty, f.party, f.documentNumber, f.country
	c.Amount, c.AmountKnown, c.BaseMinor, c.RateID = f.amount, f.amountKnown, f.baseMinor, f.rateID
	return changed
}

// keyFieldsDiffer reports whether a field on which votes stand has another value: the account, and what the definition names.
func keyFieldsDiffer(def *workflow.Definition, before, after []domain.Field) bool {
	for _, name := range append([]string{domain.FieldIBAN}, def.KeyFields()...) {
		if fieldValue(before, name) != fieldValue(after, name) {
			return true
		}
	}
	return false
}
