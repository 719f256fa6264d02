package facts

import (
	"slices"
	"strings"

	"countersign/domain"
)

// OrderFields are the fields that a payment order states, in display order.
var OrderFields = []string{domain.FieldPayer, domain.FieldVendor, domain.FieldIBAN,
	domain.FieldBIC, domain.FieldCountry, domain.FieldTotal, domain.FieldCurrency,
	domain.FieldPurpose, domain.FieldReference}

// StatedByOrder returns the fields that the payment order of the case states, nil if it has none.
func StatedByOrder(c domain.Case) []string {
	if c.OrderRevision == 0 {
		return nil
	}
	return OrderFields
}

// OrderAssertions returns the assertions that a payment order makes.
func OrderAssertions(o domain.Order) []domain.Assertion {
	values := map[string]string{domain.FieldPayer: o.Payer, domain.FieldVendor: o.Payee,
		domain.FieldIBAN: o.Account, domain.FieldBIC: o.BIC, domain.FieldCountry: o.Country,
		domain.FieldTotal: o.Amount.Decimal(), domain.FieldCurrency: o.Amount.Currency,
		domain.FieldPurpose: o.Purpose, domain.FieldReference: o.Reference}
	assertions := make([]domain.Assertion, 0, len(OrderFields))
	for _, field := range OrderFields {
		if field == domain.FieldBIC && o.BIC == "" && o.Revision <= 1 {
			continue
		}
		assertions = append(assertions, domain.Assertion{Field: field, Raw: values[field],
			Value: values[field], Confidence: 1, Order: true})
	}
	return assertions
}

// Order returns the payment order in force: its newest revision. ok is false if the case has none.
func (h History) Order() (order domain.Order, ok bool) {
	if !h.hasOrder() {
		return order, false
	}
	value := func(field string) string {
		entries := h.orderEntries(field)
		if len(entries) == 0 {
			return ""
		}
		return entries[len(entries)-1].Value
	}
	order = domain.Order{Payer: value(domain.FieldPayer), Payee: value(domain.FieldVendor),
		Account: value(domain.FieldIBAN), BIC: value(domain.FieldBIC),
		Country: value(domain.FieldCountry), Purpose: value(domain.FieldPurpose),
		Reference: value(domain.FieldReference)}
	amount, err := domain.ParseMoney(value(domain.FieldTotal), value(domain.FieldCurrency))
	if err == nil {
		order.Amount = amount
	}
	return order, true
}

// hasOrder reports whether a payment order was stated.
func (h History) hasOrder() bool {
	return slices.ContainsFunc(h, func(set domain.AssertionSet) bool {
		return set.Source != domain.SourceLLM && slices.ContainsFunc(set.Assertions, isOfOrder)
	})
}

// orderEntries returns the assertions of a payment order about a field, oldest first.
func (h History) orderEntries(field string) []Entry {
	var found []Entry
	for _, entry := range h.entries(field) {
		if entry.Order {
			found = append(found, entry)
		}
	}
	return found
}

// Restated returns the fields of the payment order for which an earlier revision still counts,
// because no reviewer has accepted the newer value.
func (h History) Restated() []string {
	var fields []string
	for _, field := range OrderFields {
		if len(h.earlierValues(field)) > 0 {
			fields = append(fields, field)
		}
	}
	return fields
}

// Evidence returns what was asserted about the document alone, without the payment order.
func (h History) Evidence() History {
	return h.without(isOfOrder)
}

// without returns the history without some assertions.
func (h History) without(dropped func(domain.Assertion) bool) History {
	others := make(History, 0, len(h))
	for _, set := range h {
		if slices.ContainsFunc(set.Assertions, dropped) {
			set.Assertions = slices.DeleteFunc(slices.Clone(set.Assertions), dropped)
		}
		others = append(others, set)
	}
	return others
}

func isOfOrder(a domain.Assertion) bool { return a.Order }

func isPending(a domain.Assertion) bool { return a.Pending != "" }

// OrderCheck compares a payment order with its evidence: every unresolved value of the document
// that is another one than the order's.
type OrderCheck struct {
	Order domain.Order
	// Amounts are all unresolved amounts of the evidence, OtherAmounts those that differ.
	Amounts, OtherAmounts []domain.Money
	// NoAmount says that the evidence states no amount. One that waits for a second person does not
	// count.
	NoAmount bool
	// Payees and Accounts are those of the evidence that are not resolved.
	Payees, OtherPayees     []string
	Accounts, OtherAccounts []string
	// Grounds are the confirmed grounds that explain the present differences.
	Grounds []domain.OrderGround
}

// CheckOrder compares the order in force with its evidence. What a language model found supports no
// order and speaks against none. ok is false if the case has no order.
func CheckOrder(h History, grounds []domain.OrderGround) (check OrderCheck, ok bool) {
	if check.Order, ok = h.Order(); !ok {
		return check, false
	}
	evidence := h.Evidence().WithoutModels()
	check.Amounts = evidence.amounts()
	for _, amount := range check.Amounts {
		if amount != check.Order.Amount {
			check.OtherAmounts = append(check.OtherAmounts, amount)
		}
	}
	check.NoAmount = len(evidence.without(isPending).amounts()) == 0
	payee := domain.PartyKey(check.Order.Payee)
	check.Payees = evidence.payees()
	check.Accounts = evidence.Values(domain.FieldIBAN)
	for _, name := range check.Payees {
		if domain.PartyKey(name) != payee {
			check.OtherPayees = append(check.OtherPayees, name)
		}
	}
	for _, account := range check.Accounts {
		if account != check.Order.Account {
			check.OtherAccounts = append(check.OtherAccounts, account)
		}
	}
	for _, ground := range grounds {
		if ground.Confirmed() && check.Matches(ground) {
			check.Grounds = append(check.Grounds, ground)
		}
	}
	return check, true
}

// payees returns the unresolved names of the evidence. A doubtful reading says nothing about the payee
// once a person has named it and needs no second person; it still counts for duplicates and conflicts.
func (h History) payees() []string {
	var names []string
	named := false
	for _, entry := range slices.Backward(h.Unresolved(domain.FieldVendor)) {
		named = named || entry.Set.Source == domain.SourceHuman && entry.Value != "" &&
			entry.Pending == ""
		if entry.Value != "" && !(named && entry.doubtful()) {
			names = append(names, entry.Value)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// AmountDiffers reports whether the evidence states another amount or currency, or none.
func (c OrderCheck) AmountDiffers() bool { return len(c.OtherAmounts) > 0 || c.NoAmount }

// PayeeDiffers reports whether the evidence states another payee or account.
func (c OrderCheck) PayeeDiffers() bool {
	return len(c.OtherPayees) > 0 || len(c.OtherAccounts) > 0
}

// AmountCovered reports whether the amount equals the evidence, or a ground explains why not.
func (c OrderCheck) AmountCovered() bool { return !c.AmountDiffers() || c.hasGround(false) }

// PayeeCovered reports whether payee and account equal the evidence, or a ground explains why not.
func (c OrderCheck) PayeeCovered() bool { return !c.PayeeDiffers() || c.hasGround(true) }

// Covered reports whether the evidence supports the order.
func (c OrderCheck) Covered() bool { return c.AmountCovered() && c.PayeeCovered() }

func (c OrderCheck) hasGround(aboutPayee bool) bool {
	return slices.ContainsFunc(c.Grounds,
		func(g domain.OrderGround) bool { return g.Kind.AboutPayee() == aboutPayee })
}

// Matches reports whether the ground is about the present difference. One that was stated before the
// document was read is about what its confirmation sees.
func (c OrderCheck) Matches(ground domain.OrderGround) bool {
	unread := ground.Covers == "" && !ground.Confirmed()
	return c.Explains(ground.Kind) &&
		(unread || ground.Covers == c.Difference(ground.Kind.AboutPayee()))
}

// Explains reports whether a ground of the kind can explain the present differences.
func (c OrderCheck) Explains(kind domain.GroundKind) bool {
	larger := func(amount domain.Money) bool {
		return amount.Currency == c.Order.Amount.Currency && amount.Minor > c.Order.Amount.Minor
	}
	switch kind {
	case domain.GroundOtherPayee:
		return c.PayeeDiffers()
	case domain.GroundNoAmount:
		return c.NoAmount
	case domain.GroundPartPayment:
		return len(c.OtherAmounts) > 0 && !slices.ContainsFunc(c.Amounts,
			func(amount domain.Money) bool { return !larger(amount) })
	case domain.GroundSeveralInvoices:
		return len(c.OtherAmounts) > 0 && !slices.ContainsFunc(c.Amounts, larger)
	case domain.GroundOtherCurrency:
		return slices.ContainsFunc(c.OtherAmounts, func(amount domain.Money) bool {
			return amount.Currency != c.Order.Amount.Currency
		})
	case domain.GroundCharges:
		return len(c.OtherAmounts) > 0
	}
	return false
}

// Difference describes a difference between order and evidence, for the ground that explains it.
func (c OrderCheck) Difference(ofPayee bool) string {
	parts := []string{c.Order.Amount.String()}
	if ofPayee {
		parts = append([]string{c.Order.Payee, c.Order.Account}, c.OtherPayees...)
		parts = append(append(parts, ""), c.OtherAccounts...)
	} else {
		for _, amount := range c.Amounts {
			parts = append(parts, amount.String())
		}
	}
	return strings.Join(parts, "\n")
}

// Smallest returns the smallest amount of the evidence in the base currency, which base computes.
// ok is false if the evidence states none.
func (c OrderCheck) Smallest(base func(domain.Money) int64) (smallest domain.Money, ok bool) {
	for _, amount := range c.Amounts {
		if !ok || base(amount) < base(smallest) {
			smallest, ok = amount, true
		}
	}
	return smallest, ok
}

// Against lists the values of the evidence that speak against the order, as texts. A correction
// that removes one makes it easier for the order to pass.
func (c OrderCheck) Against() []string {
	against := slices.Concat(c.OtherPayees, c.OtherAccounts)
	for _, amount := range c.OtherAmounts {
		against = append(against, amount.String())
	}
	if c.NoAmount {
		against = append(against, "no amount")
	}
	return against
}

// Taken returns what the order takes from its evidence: its amount, or no more than the evidence if
// a ground says that the rest is for something else.
func (c OrderCheck) Taken(smallest domain.Money) domain.Money {
	beyond := slices.ContainsFunc(c.Grounds, func(g domain.OrderGround) bool {
		return g.Kind == domain.GroundSeveralInvoices || g.Kind == domain.GroundCharges
	})
	if beyond && smallest.Currency == c.Order.Amount.Currency && smallest.Minor > 0 &&
		smallest.Minor < c.Order.Amount.Minor {
		return smallest
	}
	return c.Order.Amount
}

// EvidenceKeys identify the document as evidence of orders: the hash of the file, and each name
// with each number that was asserted about it and is not resolved.
func (h History) EvidenceKeys(sha256 string) []string {
	keys := []string{"file " + sha256}
	evidence := h.Evidence()
	for _, number := range evidence.Values(domain.FieldNumber) {
		for _, name := range h.Values(domain.FieldVendor) {
			if party := domain.PartyKey(name); party != "" {
				keys = append(keys, "number "+party+" "+domain.OrderReferenceKey(number))
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
