package casework

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/facts"
	"countersign/store"
	"countersign/workflow"
)

// OrderDocumentType is the type of documents with which a process moves money.
const OrderDocumentType = "remittance"

// OrderInput is a payment order as the submitter entered it.
type OrderInput struct {
	Payer     string
	Payee     string
	Account   string // an IBAN, or the account number of another system
	BIC       string `json:",omitempty"`
	Country   string // of the payee: code or name
	Amount    string
	Currency  string
	Purpose   string
	Reference string
	// Ground says why the order differs from the document; nil if it does not.
	Ground *GroundInput `json:",omitempty"`
}

// GroundInput is a ground as a person entered it.
type GroundInput struct {
	Kind        domain.GroundKind
	Explanation string
}

// Maximum lengths of the texts of an order, in characters.
const (
	maxOrderName      = 140
	maxOrderAccount   = 34
	maxOrderPurpose   = 500
	maxOrderReference = 70
	maxExplanation    = 1000
)

// parseOrder validates every value of an order. The errors of several values are joined; each names
// its field.
func parseOrder(in OrderInput) (domain.Order, error) {
	var order domain.Order
	var problems []error
	text := func(into *string, name, label, value string, most int) {
		var err error
		if *into, err = orderText(name, label, value, most); err != nil {
			problems = append(problems, err)
		}
	}
	text(&order.Payer, "payer", "payer", in.Payer, maxOrderName)
	text(&order.Payee, "payee", "payee", in.Payee, maxOrderName)
	text(&order.Purpose, "purpose", "purpose of the payment", in.Purpose, maxOrderPurpose)
	text(&order.Reference, "reference", "payer's reference", in.Reference, maxOrderReference)
	var accountErr, bicErr, countryErr, amountErr error
	order.Account, accountErr = parseAccount(in.Account)
	order.BIC, bicErr = parseBIC(in.BIC)
	order.Country, countryErr = parseOrderCountry(in.Country)
	order.Amount, amountErr = parseOrderAmount(in.Amount, in.Currency)
	return order, errors.Join(append(problems, accountErr, bicErr, countryErr, amountErr)...)
}

// orderText returns a required text on one line.
func orderText(name, label, value string, most int) (string, error) {
	field := "order." + name
	if err := domain.CheckText(field, value); err != nil {
		return "", err
	}
	value = strings.Join(strings.Fields(value), " ")
	seen := strings.ContainsFunc(value, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
	hidden := strings.ContainsFunc(value, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf)
	})
	switch {
	case !seen:
		return "", domain.Invalid(field, "The %s is missing.", label).
			WithDetail("reason", "missing")
	case hidden:
		return "", domain.Invalid(field, "The %s contains characters that cannot be seen.", label).
			WithRemedy("Type it again.").WithDetail("reason", "hidden")
	case domain.Longer(value, most):
		return "", tooLong(field, most)
	}
	return value, nil
}

// parseAccount returns an account in upper case without spaces. One that begins like an IBAN of a
// country that uses IBANs must be valid.
func parseAccount(text string) (string, error) {
	const field = "order.account"
	account := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if account == "" {
		return "", domain.Invalid(field, "The account is missing.").WithDetail("reason", "missing")
	}
	if len(account) > maxOrderAccount {
		return "", tooLong(field, maxOrderAccount)
	}
	for _, r := range account {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-/.", r) {
			return "", domain.Invalid(field,
				"An account consists of letters A to Z, digits, hyphens, slashes and dots.").
				WithDetail("reason", "form")
		}
	}
	if len(account) > 3 && country.IBANLength(account[:2]) > 0 && isDigits(account[2:4]) &&
		(len(account) != country.IBANLength(account[:2]) || country.IBANRemainder(account) != 1) {
		return "", domain.Invalid(field, "The IBAN %s is invalid.", account).
			WithRemedy("Compare every character with the account that the payee gave.").
			WithDetail("reason", "iban")
	}
	return account, nil
}

func isDigits(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func parseBIC(text string) (string, error) {
	bic := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if bic == "" {
		return "", nil
	}
	if _, ok := country.OfBIC(bic); !ok {
		return "", domain.Invalid("order.bic", "%.20q is not a BIC.", bic).
			WithRemedy("Enter 8 or 11 letters and digits such as DEUTDEFF, or leave it empty.").
			WithDetail("reason", "form")
	}
	return bic, nil
}

func parseOrderCountry(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", domain.Invalid("order.country", "The country of the payee is missing.").
			WithDetail("reason", "missing")
	}
	code, ok := country.Parse(text)
	if !ok {
		return "", domain.Invalid("order.country", "%.80q is not a known country.", text).
			WithRemedy("Enter a country code such as DE, or the full name.").
			WithDetail("reason", "form")
	}
	return code, nil
}

func parseOrderAmount(text, currency string) (domain.Money, error) {
	amount, err := domain.ParseMoney(text, currency)
	var known *domain.Error
	if errors.As(err, &known) {
		named := *known
		named.Field = "order.amount"
		return amount, &named
	}
	if err == nil && amount.Minor <= 0 {
		err = domain.Invalid("order.amount", "The amount of an order must be above zero.").
			WithDetail("reason", "positive")
	}
	return amount, err
}

// parseGround validates a ground.
func parseGround(in GroundInput) (domain.OrderGround, error) {
	ground := domain.OrderGround{Kind: in.Kind}
	known := false
	for _, kind := range domain.GroundKinds() {
		known = known || kind == in.Kind
	}
	if !known {
		return ground, domain.Invalid("ground.kind", "Unknown kind of ground %.40q.", in.Kind)
	}
	ground.Explanation = strings.TrimSpace(in.Explanation)
	if ground.Explanation == "" {
		return ground, domain.Invalid("ground.explanation", "The explanation is missing.").
			WithDetail("reason", "missing")
	}
	if domain.Longer(ground.Explanation, maxExplanation) {
		return ground, tooLong("ground.explanation", maxExplanation)
	}
	if err := domain.CheckExplanation("ground.explanation", ground.Explanation); err != nil {
		return ground, err
	}
	return ground, domain.CheckText("ground.explanation", ground.Explanation)
}

// declareOrder validates the order of a submission and declares its amount and country, which may
// also be given beside it if they are the same.
func (in *SubmitDocument) declareOrder() (*domain.Order, error) {
	if in.Order == nil {
		return nil, nil
	}
	if in.DocumentType != OrderDocumentType {
		return nil, domain.Invalid("order", "Only a document of the type %s can have an order.",
			OrderDocumentType).WithRemedy("Choose this document type, or omit the order.")
	}
	order, err := parseOrder(*in.Order)
	if in.Order.Ground != nil {
		_, groundErr := parseGround(*in.Order.Ground)
		err = errors.Join(err, groundErr)
		if groundErr == nil && in.Order.Ground.Kind.AboutPayee() {
			err = errors.Join(err, domain.Invalid("ground.kind",
				"Another payee or account is explained by a reviewer."))
		}
	}
	if err != nil {
		return nil, err
	}
	if in.Amount != "" || in.Currency != "" {
		declared, err := domain.ParseMoney(in.Amount, in.Currency)
		if err != nil || declared != order.Amount {
			return nil, domain.Invalid("amount", "The declared amount differs from the order's.").
				WithRemedy("Omit the declared amount.")
		}
	}
	if in.Country != "" && in.Country != order.Country {
		return nil, domain.Invalid("country", "The country differs from the order's.").
			WithRemedy("Omit the country.")
	}
	in.Amount, in.Currency = order.Amount.Decimal(), order.Amount.Currency
	in.Country = order.Country
	return &order, nil
}

// checkOrderRule refuses a submission without the order that its process requires, or with one that
// the process does not accept.
func checkOrderRule(def *workflow.Definition, order *domain.Order) error {
	switch {
	case order == nil && def.RequiresOrder():
		required := domain.NewOrderRequired(def.Key).WithRemedy(
			"Declare the payment order and submit the file again as a document of the type " +
				OrderDocumentType + ".")
		required.Field = "order"
		return required
	case order != nil && def.Order == domain.OrderRuleNone:
		return domain.Invalid("order", "The process %s does not accept payment orders.", def.Key).
			WithRemedy("Omit the order, or choose another process.")
	}
	return nil
}

// checkReference refuses an order whose reference the payer has used before. The unique index
// decides between two orders at the same time.
func (svc *Service) checkReference(ctx context.Context, order *domain.Order) error {
	if order == nil {
		return nil
	}
	first, err := svc.db.Reader().OrderWithReference(ctx, order.Payer, order.Reference)
	if domain.HasCode(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return domain.Invalid("order.reference", "The payer has already used the reference %q, in %s.",
		order.Reference, first.Reference).
		WithRemedy("Use another reference for another order.").
		WithDetail("reason", "reference_used").WithDetail("case", first.Reference)
}

// addOrder adds the order of a new case: its row, what it takes from its evidence, and the ground
// that the submitter stated.
func (c *command) addOrder(s submission) error {
	if s.order == nil {
		return nil
	}
	order := *s.order
	order.CaseID, order.Revision = c.change.Case.ID, 1
	order.StatedBy, order.StatedAt = c.actor.UserID, c.now
	c.change.Order = &order
	if s.ground != nil {
		ground := *s.ground
		ground.CaseID, ground.Number = order.CaseID, 1
		ground.StatedBy, ground.StatedAt = order.StatedBy, order.StatedAt
		c.change.Grounds = append(c.change.Grounds, ground)
	}
	base, _, err := baseAmount(c.ctx, c.tx, c.change.Case, order.Amount, c.now)
	if err != nil {
		return err
	}
	hash := hex.EncodeToString(s.document.SHA256)
	c.change.OrderUse = &domain.OrderUse{CaseID: order.CaseID,
		EvidenceKeys: facts.History{}.EvidenceKeys(hash), Amount: order.Amount, BaseMinor: base}
	return nil
}

// referenceUsed names the first order if the error says that the reference was used before.
func (svc *Service) referenceUsed(ctx context.Context, order *domain.Order, err error) error {
	if !store.IsOrderReferenceUsed(err) {
		return err
	}
	if named := svc.checkReference(ctx, order); named != nil {
		return named
	}
	return err
}
