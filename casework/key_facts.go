package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// keyFacts are the facts of a case that limits, conflicts and queues depend on.
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

// keyFactsOf derives the key facts from the fields, and uses the declared values for fields that
// the document lacks. Errors: RateMissing if the currency has no rate.
func keyFactsOf(
	ctx context.Context, tx *store.Tx, c domain.Case, fields []domain.Field, now time.Time,
) (keyFacts, error) {
	value := func(name string) string { return fieldValue(fields, name) }
	facts := keyFacts{counterparty: value(domain.FieldVendor),
		documentNumber: value(domain.FieldNumber), country: c.Country}
	if country := value(domain.FieldCountry); country != "" {
		facts.country = country
	}
	if key := PartyKey(facts.counterparty); key != "" {
		var err error
		if facts.party, facts.newParty, err = tx.EnsureParty(ctx, key,
			facts.counterparty); err != nil {
			return facts, err
		}
	}
	facts.amount, facts.amountKnown = amountOf(c, fields)
	if !facts.amountKnown {
		return facts, nil
	}
	if facts.amount.Currency == c.Amount.Currency && facts.amount.Minor == c.Amount.Minor &&
		c.AmountKnown {
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

// absoluteAmount drops the sign, because a credit of a million needs the same authority as a debit.
func absoluteAmount(m domain.Money) domain.Money {
	if m.Minor < 0 {
		m.Minor = -m.Minor
	}
	return m
}

// amountOf returns the extracted total in the extracted or declared currency, or the declared
// amount if no total was found.
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

// applyTo copies the key facts into the case and reports whether one that votes depend on has
// changed.
func (f keyFacts) applyTo(c *domain.Case) bool {
	changed := c.Counterparty != f.counterparty || c.PartyID != f.party ||
		c.AmountKnown != f.amountKnown || c.Amount != f.amount
	c.Counterparty, c.PartyID = f.counterparty, f.party
	c.DocumentNumber, c.Country = f.documentNumber, f.country
	c.Amount, c.AmountKnown, c.BaseMinor, c.RateID = f.amount, f.amountKnown, f.baseMinor, f.rateID
	return changed
}

// keyFieldsDiffer reports whether a field that votes depend on has changed: the account, or a key
// field of the definition.
func keyFieldsDiffer(def *workflow.Definition, before, after []domain.Field) bool {
	for _, name := range append([]string{domain.FieldIBAN}, def.KeyFields()...) {
		if fieldValue(before, name) != fieldValue(after, name) {
			return true
		}
	}
	return false
}
