package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// keyFacts are the facts of a case that limits, conflicts and queues depend on: those in force, and
// the risk basis.
type keyFacts struct {
	counterparty   string
	party          domain.ID
	documentNumber string
	country        string
	amount         domain.Money
	amountKnown    bool
	baseMinor      int64 // the amount at risk
	rateID         domain.ID
	atRisk         domain.Money // Currency "" if it is amount
	otherCountries []string
	otherParties   []domain.ID
	otherNumbers   []string
	accounts       []string
	differing      []string
	missing        []string
	unstated       []string
	newParty       bool
}

// keyFacts derives the key facts of the command's case, in the given state.
func (c *command) keyFacts(
	record domain.Case, fields []domain.Field, history facts.History,
) (keyFacts, error) {
	kind, err := c.documentType()
	if err != nil {
		return keyFacts{}, err
	}
	return keyFactsOf(c.ctx, c.tx, c.def, kind, record, fields, history, c.now)
}

// keyFactsOf derives the key facts from the fields in force and from everything asserted. Those of a
// payment order are what will be paid. Without one, for fields that the document lacks, it uses the
// declared values. Errors: RateMissing if a currency has
// no rate.
func keyFactsOf(
	ctx context.Context, tx *store.Tx, def *workflow.Definition, kind *domain.DocumentType,
	c domain.Case, fields []domain.Field, history facts.History, now time.Time,
) (keyFacts, error) {
	value := func(name string) string { return fieldValue(fields, name) }
	found := keyFacts{counterparty: value(domain.FieldVendor),
		documentNumber: value(domain.FieldNumber), country: value(domain.FieldCountry)}
	if declared, ok := history.InForce(domain.FieldCountry); ok && found.country == "" {
		found.country = declared.Value
	}
	order, ordered := history.Order()
	if ordered {
		found.counterparty, found.country = order.Payee, order.Country
	}
	risk := facts.RiskOf(history, country.OfField)
	found.otherCountries = without(risk.Countries, found.country)
	found.otherNumbers = without(risk.Numbers, found.documentNumber)
	found.accounts = accountsOf(append(slices.Clone(risk.Accounts), value(domain.FieldIBAN)))
	found.differing = differingFields(kind, history)
	found.missing, found.unstated = missingFacts(def, c, history)
	if err := found.resolveParties(ctx, tx, risk, history); err != nil {
		return found, err
	}
	if found.amount, found.amountKnown = amountOf(c, fields); ordered {
		found.amount, found.amountKnown = order.Amount, true
	}
	return found, found.rateAmounts(ctx, tx, c, risk.Amounts, now)
}

// resolveParties finds the parties of the counterparty in force, of the other names and of tax ids.
// A tax id that an e-invoice or a person states with a name is one more name of that party.
func (f *keyFacts) resolveParties(
	ctx context.Context, tx *store.Tx, risk facts.Risk, history facts.History,
) error {
	if key := PartyKey(f.counterparty); key != "" {
		names := store.PartyNames{Key: key, Name: f.counterparty}
		for _, taxID := range risk.TaxIDs {
			if PartyKey(taxID) == key {
				continue
			}
			names.TaxIDs = append(names.TaxIDs, PartyKey(taxID))
			names.CreateTaxIDs = len(risk.TaxIDs) == 1 &&
				history.StatesTaxID(f.counterparty, taxID)
		}
		found, err := tx.EnsureParties(ctx, names)
		if err != nil {
			return err
		}
		f.party, f.newParty, f.otherParties = found.ID, found.Created, found.Others
	}
	for _, name := range risk.Names {
		key := PartyKey(name)
		if key == "" || key == PartyKey(f.counterparty) {
			continue
		}
		party, _, err := tx.EnsureParty(ctx, key, name)
		if err != nil {
			return err
		}
		f.otherParties = append(f.otherParties, party)
	}
	slices.SortFunc(f.otherParties, domain.CompareIDs)
	f.otherParties = without(slices.Compact(f.otherParties), f.party)
	return nil
}

// rateAmounts determines the amount at risk: the largest of the amount in force and all unresolved
// ones, in the base currency.
func (f *keyFacts) rateAmounts(
	ctx context.Context, tx *store.Tx, c domain.Case, amounts []domain.Money, now time.Time,
) error {
	if f.amountKnown {
		var err error
		if f.baseMinor, f.rateID, err = baseAmount(ctx, tx, c, f.amount, now); err != nil {
			return err
		}
	}
	for _, amount := range amounts {
		if amount == f.amount {
			continue
		}
		base, rate, err := baseAmount(ctx, tx, c, amount, now)
		if err != nil {
			return err
		}
		if base > f.baseMinor || !f.amountKnown && f.atRisk.Currency == "" {
			f.baseMinor, f.rateID, f.atRisk = base, rate, amount
		}
	}
	return nil
}

// baseAmount converts an amount to the base currency. The amount that the case already has at risk
// keeps the rate with which it was converted.
func baseAmount(
	ctx context.Context, tx *store.Tx, c domain.Case, amount domain.Money, now time.Time,
) (int64, domain.ID, error) {
	if c.RateID != domain.NoID && amount == c.AmountAtRisk() {
		return c.BaseMinor, c.RateID, nil
	}
	rate, err := tx.RateAt(ctx, amount.Currency, now)
	if err != nil {
		return 0, domain.NoID, err
	}
	return absoluteAmount(amount).ToBase(rate.Micros), rate.ID, nil
}

// missingFacts returns the facts that the process of the case needs and that are missing or
// unstated.
func missingFacts(
	def *workflow.Definition, c domain.Case, history facts.History,
) (missing, unstated []string) {
	return facts.Missing(history, def.Needs, c.Submitter,
		func(code string) bool { return country.IBANLength(code) > 0 })
}

// differingFields returns the fields whose sources differ. Of the built-in fields outside the risk basis
// the newest value counts, so that only one that waits for a second person differs.
func differingFields(kind *domain.DocumentType, history facts.History) []string {
	var names []string
	compared := slices.Clone(facts.RiskFields)
	for _, name := range domain.FieldNames() {
		if _, pending := history.Pending(name); pending {
			compared = append(compared, name)
		}
	}
	for _, field := range kind.OwnFields() {
		compared = append(compared, field.Name)
	}
	for _, difference := range history.Differences(compared...) {
		names = append(names, difference.Field)
	}
	return names
}

func without[T comparable](values []T, value T) []T {
	return slices.DeleteFunc(slices.Clone(values), func(v T) bool { return v == value })
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
		c.AmountKnown != f.amountKnown || c.Amount != f.amount || c.Country != f.country ||
		c.BaseMinor < f.baseMinor || !slices.Equal(c.OtherCountries, f.otherCountries) ||
		!slices.Equal(c.OtherPartyIDs, f.otherParties)
	c.Counterparty, c.PartyID = f.counterparty, f.party
	c.DocumentNumber, c.Country = f.documentNumber, f.country
	c.Amount, c.AmountKnown, c.BaseMinor, c.RateID = f.amount, f.amountKnown, f.baseMinor, f.rateID
	c.AtRisk, c.DifferingFields = f.atRisk, f.differing
	c.OtherCountries, c.OtherPartyIDs = f.otherCountries, f.otherParties
	c.OtherNumbers, c.Accounts = f.otherNumbers, f.accounts
	c.Missing, c.Unstated = f.missing, f.unstated
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
