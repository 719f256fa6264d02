package casework

import (
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/store"
)

// fieldsOutcome is the result of setting fields.
type fieldsOutcome struct {
	// revokedReviews are the reviews whose votes were revoked.
	revokedReviews []domain.Review
	ownAmount      bool // the amount was neither declared by the submitter nor read by the machine
	ownPayee       bool // the same for the vendor or the account to be paid
	ownCountry     bool // the same for a country that was missing
}

// hasInterest reports whether the user who set the fields has an interest in the case.
func (s fieldsOutcome) hasInterest() bool { return s.ownAmount || s.ownPayee || s.ownCountry }

func (s fieldsOutcome) interestSubject() string {
	switch {
	case s.ownAmount:
		return "an amount"
	case s.ownPayee:
		return "a payee"
	}
	return "a country"
}

// interests names what the actor set of their own, for the page that asks to confirm it.
func (s fieldsOutcome) interests() []string {
	var set []string
	for _, one := range []struct {
		name string
		own  bool
	}{{"amount", s.ownAmount}, {"payee", s.ownPayee}, {"country", s.ownCountry}} {
		if one.own {
			set = append(set, one.name)
		}
	}
	return set
}

// recordInterests excludes the actor, and the delegator, from deciding about values that they set.
func (c *command) recordInterests(set fieldsOutcome) {
	for reason, own := range map[domain.InterestReason]bool{domain.InterestSetAmount: set.ownAmount,
		domain.InterestSetPayee: set.ownPayee, domain.InterestSetCountry: set.ownCountry} {
		if own {
			c.recordInterest(reason)
		}
	}
}

// recordInterest excludes everybody who acts from deciding about the case.
func (c *command) recordInterest(reason domain.InterestReason) {
	for _, person := range c.personIDs() {
		c.change.Interests = append(c.change.Interests,
			domain.Interest{CaseID: c.before.ID, Person: person, Reason: reason})
	}
}

// requireOtherReviewer refuses a correction by which the actor gets an interest if no other reviewer
// could decide the review then, because the case could not continue.
func (c *command) requireOtherReviewer(review domain.Review, set fieldsOutcome) error {
	eligible, err := c.otherReviewerRemains(review)
	if err != nil || eligible {
		return err
	}
	return domain.Errorf(domain.FourEyes,
		"You are setting %s that was neither declared nor read, and no other reviewer could decide.",
		set.interestSubject()).
		WithRemedy("Return the case to its submitter, or do not save the value.")
}

// requireOtherOverrider refuses an override after which the actor may not decide if no other
// reviewer could decide the review then.
func (c *command) requireOtherOverrider(review domain.Review) error {
	eligible, err := c.otherReviewerRemains(review)
	if err != nil || eligible {
		return err
	}
	return domain.Errorf(domain.FourEyes,
		"A second reviewer must override the finding, and no other reviewer could decide.").
		WithRemedy("Return or reject the case, or ask an administrator to add a reviewer.")
}

// otherReviewerRemains reports whether anyone could decide the review if everybody who acts had an
// interest in the case.
func (c *command) otherReviewerRemains(review domain.Review) (bool, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return false, err
	}
	after := *exclusions
	after.Interested = append(slices.Clone(after.Interested), c.personIDs()...)
	return c.anyoneEligible(review, after)
}

// requireHigherReviewer refuses an escalation that no reviewer could decide.
func (c *command) requireHigherReviewer(review domain.Review) error {
	node, ok := c.def.Node(review.Node)
	if !ok || node.EscalateTo == "" {
		return nil // the process refuses it
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	after := *exclusions
	after.Votes = slices.Clone(after.Votes)
	for _, person := range c.personIDs() {
		after.Votes = append(after.Votes, domain.Vote{Duty: review.Duty, Person: person})
	}
	review.Queue, review.Level = node.EscalateTo, node.EscalateLevel
	eligible, err := c.anyoneEligible(review, after)
	if err != nil || eligible {
		return err
	}
	return domain.Errorf(domain.FourEyes, "No reviewer of a higher level could decide.").
		WithRemedy("Decide the review, or return the case to its submitter.")
}

// anyoneEligible reports whether any person could claim the review if it were unclaimed, also one
// who cannot decide it if the amount is above the limits of who acts as well, and so above every limit.
// Votes that the command revokes exclude no person.
func (c *command) anyoneEligible(review domain.Review, after store.Exclusions) (bool, error) {
	after.Votes = slices.DeleteFunc(slices.Clone(after.Votes),
		func(v domain.Vote) bool { return slices.Contains(c.change.RevokedVotes, v) })
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return false, err
	}
	facts := store.NewReviewFacts(c.change.Case, review, after, c.def.HasAmount, c.now)
	authorizer := c.snapshot.authorizer
	if len(authorizer.Eligible(users, domain.ActClaim, asUnclaimed(facts))) > 0 {
		return true, nil
	}
	if len(c.persons) > 0 && c.mayDecide(c.change.Case.BaseMinor) {
		return false, nil
	}
	return len(authorizer.EligibleAboveLimits(users, facts)) > 0, nil
}

// detectOwnValues determines which of the changed key values were introduced by the actor. An
// amount or a vendor that the page shows was not; an account is, unless the machine had read it,
// because a page may show several.
func (c *command) detectOwnValues(
	before, after []domain.Field, set domain.AssertionSet,
) (fieldsOutcome, error) {
	record := c.change.Case
	amount := record.AmountKnown && record.Amount != c.before.Amount &&
		record.Amount != c.before.DeclaredAmount && !amountOnPage(before, after, set)
	var payees []string
	for _, name := range []string{domain.FieldVendor, domain.FieldIBAN} {
		if value := payeeKey(name, after); value != "" && value != payeeKey(name, before) &&
			(name == domain.FieldIBAN || !onPage(set, name) && !countedBeside(set, name)) {
			payees = append(payees, name)
		}
	}
	country := c.ownCountry(after, nil, set)
	if !amount && len(payees) == 0 && !country {
		return fieldsOutcome{}, nil
	}
	read, err := c.machineReadFields()
	if err != nil {
		return fieldsOutcome{}, err
	}
	own := fieldsOutcome{ownCountry: country && c.ownCountry(after, read, set)}
	if amount {
		machine, ok := amountOf(
			domain.Case{DeclaredAmount: domain.Money{
				Currency: c.before.DeclaredAmount.Currency}}, read)
		own.ownAmount = !ok || machine != record.Amount
	}
	own.ownPayee = slices.ContainsFunc(payees,
		func(name string) bool { return payeeKey(name, after) != payeeKey(name, read) })
	return own, nil
}

// amountOnPage reports whether the page shows the corrected total, and the currency if it changed.
func amountOnPage(before, after []domain.Field, set domain.AssertionSet) bool {
	sameCurrency := fieldValue(before, domain.FieldCurrency) == fieldValue(after,
		domain.FieldCurrency)
	return onPage(set, domain.FieldTotal) && (sameCurrency || onPage(set, domain.FieldCurrency))
}

// countedBeside reports whether the set asserts a value that replaces a misreading, and counts beside it.
func countedBeside(set domain.AssertionSet, field string) bool {
	return slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool {
		return a.Field == field && !a.Resolves && a.Pending == string(facts.NoSecondPerson)
	})
}

// onPage reports whether the page shows the value that the set asserts for the field.
func onPage(set domain.AssertionSet, field string) bool {
	return slices.ContainsFunc(set.Assertions,
		func(a domain.Assertion) bool { return a.Field == field && a.Grounded })
}

// payeeKey returns a field that identifies the payee, normalised for comparison.
func payeeKey(name string, fields []domain.Field) string {
	if name == domain.FieldVendor {
		return PartyKey(fieldValue(fields, name))
	}
	return fieldValue(fields, name)
}

// machineReadFields returns the fields that machines read from the newest document. Those of a case
// from before assertions were stored are extracted again from the stored pages; there are none if
// the document was not read or is unreadable.
func (c *command) machineReadFields() ([]domain.Field, error) {
	read, stored, err := c.machineReadings()
	if err != nil || stored {
		return read, err
	}
	document, err := c.newestDocument()
	if err != nil || document.ReadAt.IsZero() {
		return nil, err
	}
	pages, invoice, err := c.svc.storedPages(c.ctx, c.tx.Reader, document)
	if err != nil {
		return nil, err
	}
	kind, err := c.documentType()
	if err != nil {
		return nil, err
	}
	if read, _, err = extractFields(pages, invoice, c.before, kind, nil); err != nil {
		return nil, nil //nolint:nilerr // nothing was read from an unreadable e-invoice
	}
	return read, nil
}
