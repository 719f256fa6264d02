package casework

import (
	"countersign/domain"
)

// fieldsOutcome tells what setting fields has led to.
type fieldsOutcome struct {
	// revokedReviews are the reviews whose votes no longer hold.
	revokedReviews []domain.Review
	ownAmount      bool // the amount is now one that neither the submitter declared nor the machine read
	ownPayee       bool // so is the vendor or the account that is paid to
}

// hasInterest reports whether whoever set the fields has an interest from now on.
func (s fieldsOutcome) hasInterest() bool { return s.ownAmount || s.ownPayee }

func (s fieldsOutcome) interestSubject() string {
	if s.ownAmount {
		return "an amount"
	}
	return "a payee"
}

// recordInterests bars the actor from judging the case by what they set themselves.
func (c *command) recordInterests(set fieldsOutcome) {
	for reason, own := range map[domain.InterestReason]bool{domain.InterestSetAmount: set.ownAmount, domain.InterestSetPayee: set.ownPayee} {
		if own {
			c.change.Interests = append(c.change.Interests, domain.Interest{CaseID: c.before.ID, Person: c.actor.UserID, Reason: reason})
		}
	}
}

// detectOwnValues works out which of the key values that the actor has changed are the actor's own.
func (c *command) detectOwnValues(before, after []domain.Field) (fieldsOutcome, error) {
	record := c.change.Case
	amount := record.AmountKnown && record.Amount != c.before.Amount && record.Amount != c.before.DeclaredAmount
	payee := ""
	for _, name := range []string{domain.FieldVendor, domain.FieldIBAN} {
		if value := payeeKey(name, after); value != "" && value != payeeKey(name, before) {
			payee = name
		}
	}
	if !amount && payee == "" {
		return fieldsOutcome{}, nil
	}
	read, err := c.machineReadFields()
	if err != nil {
		return fieldsOutcome{}, err
	}
	set := fieldsOutcome{}
	if amount {
		machine, ok := amountOf(domain.Case{DeclaredAmount: domain.Money{Currency: c.before.DeclaredAmount.Currency}}, read)
		set.ownAmount = !ok || machine != record.Amount
	}
	for _, name := range []string{domain.FieldVendor, domain.FieldIBAN} {
		value := payeeKey(name, after)
		set.ownPayee = set.ownPayee || value != "" && value != payeeKey(name, before) && value != payeeKey(name, read)
	}
	return set, nil
}

// payeeKey is the value of a field that names the payee, in the form in which two of them are compared.
func payeeKey(name string, fields []domain.Field) string {
	if name == domain.FieldVendor {
		return PartyKey(fieldValue(fields, name))
	}
	return fieldValue(fields, name)
}

// machineReadFields are the fields as the machine reads them from the kept pages; none where nothing was read or can be.
func (c *command) machineReadFields() ([]domain.Field, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil || document.ReadAt.IsZero() {
		return nil, err
	}
	pages, told, err := c.svc.storedPages(c.ctx, c.tx.Reader, document)
	if err != nil {
		return nil, err
	}
	read, err := extractFields(pages, told, c.before)
	if err != nil {
		return nil, nil //nolint:nilerr // an unreadable e-invoice has read nothing
	}
	return read, nil
}
