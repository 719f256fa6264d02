package casework

import (
	"countersign/domain"
)

// setOutcome tells what setting fields has led to.
type setOutcome struct {
	// fallen are the reviews whose votes no longer hold.
	fallen    []domain.Review
	ownAmount bool // the amount is now one that neither the submitter declared nor the machine read
	ownPayee  bool // so is the vendor or the account that is paid to
}

// own reports whether whoever set the fields has an interest from now on.
func (s setOutcome) own() bool { return s.ownAmount || s.ownPayee }

func (s setOutcome) what() string {
	if s.ownAmount {
		return "an amount"
	}
	return "a payee"
}

// interested bars the actor from judging the case by what they set themselves.
func (c *command) interested(set setOutcome) {
	for reason, own := range map[domain.InterestReason]bool{domain.InterestSetAmount: set.ownAmount, domain.InterestSetPayee: set.ownPayee} {
		if own {
			c.change.Interests = append(c.change.Interests, domain.Interest{CaseID: c.before.ID, Person: c.actor.UserID, Reason: reason})
		}
	}
}

// ownValues works out which of the key values that the actor has changed are the actor's own.
func (c *command) ownValues(before, after []domain.Field) (setOutcome, error) {
	kase := c.change.Case
	amount := kase.AmountKnown && kase.Amount != c.before.Amount && kase.Amount != c.before.DeclaredAmount
	payee := ""
	for _, name := range []string{domain.FieldVendor, domain.FieldIBAN} {
		if value := payeeKey(name, after); value != "" && value != payeeKey(name, before) {
			payee = name
		}
	}
	if !amount && payee == "" {
		return setOutcome{}, nil
	}
	read, err := c.machineRead()
	if err != nil {
		return setOutcome{}, err
	}
	set := setOutcome{}
	if amount {
		machine, ok := amountOf(domain.Case{DeclaredAmount: domain.Money{Currency: c.before.DeclaredAmount.Currency}}, read)
		set.ownAmount = !ok || machine != kase.Amount
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

// machineRead are the fields as the machine reads them from the kept pages; none where nothing was read or can be.
func (c *command) machineRead() ([]domain.Field, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil || document.ReadAt.IsZero() {
		return nil, err
	}
	pages, told, err := c.hall.reading(c.ctx, c.tx.Reader, document)
	if err != nil {
		return nil, err
	}
	read, err := machineFields(pages, told, c.before)
	if err != nil {
		return nil, nil //nolint:nilerr // an unreadable e-invoice has read nothing
	}
	return read, nil
}
