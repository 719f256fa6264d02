package rules

import (
	"math"
	"slices"
	"strings"
	"time"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/expr"
)

// facts computes the facts declared by expr.RuleFacts. An unknown fact has no value.
func (s *inputIndex) facts() expr.Facts {
	facts := expr.Facts{
		"document_type":   s.DocumentType,
		"country":         s.Country,
		"country_risk":    s.CountryRisk,
		"risk_country":    s.RiskCountry,
		"differing":       append([]string{}, s.Differing...),
		"currency":        s.currency,
		"today":           s.today().Format(time.DateOnly),
		"lines":           int64(max(s.Lines, 1)),
		"amount_known":    s.AmountKnown,
		"minor_per_major": s.perMajor(),
		"vendor_looked":   s.Vendor.Known,
		"vendor_approved": int64(s.Vendor.Cases),
		"declared_known":  s.Declared.Currency != "",
		"features":        append([]string{}, s.Features...),
		"features_known":  s.Features != nil,
		"kind_mismatch":   s.kindMismatch(),
		"not_printed":     append([]string{}, s.NotPrinted...),
		"parts":           partCodes(s.Parts),
		"part_fields":     partFields(s.Parts),
		"part_values":     partValues(s.Parts),
	}
	if s.AmountKnown {
		facts["amount_minor"] = s.Amount.Minor
		facts["amount_text"] = s.Amount.String()
		facts["base_minor"] = s.BaseMinor
		facts["base_text"] = domain.Money{
			Minor: s.BaseMinor, Currency: domain.BaseCurrency,
		}.String()
	}
	if s.Declared.Currency != "" {
		facts["declared_minor"] = s.Declared.Minor
		facts["declared_currency"] = s.Declared.Currency
		facts["declared_text"] = s.Declared.String()
	}
	facts["required"], facts["type_fields"] = s.requiredFields(), s.documentType().FieldNames()
	facts["line_sum_known"] = s.LineSum.Currency != "" && s.LineSum.Currency == s.currency
	facts["line_sum_minor"], facts["line_sum_text"] = s.LineSum.Minor, s.LineSum.Decimal()
	s.addCorrectedLines(facts)
	s.addAmounts(facts)
	s.addTexts(facts)
	s.addDates(facts)
	s.addCodes(facts)
	s.addHistory(facts)
	s.addOrder(facts)
	return facts
}

// addCorrectedLines adds what a person made of the line items, beside the sum that was read.
func (s *inputIndex) addCorrectedLines(facts expr.Facts) {
	lines := s.CorrectedLines
	facts["lines_corrected"], facts["corrected_sum_known"] = lines != nil, false
	facts["corrected_sum_minor"], facts["corrected_sum_text"] = int64(0), ""
	if lines == nil {
		return
	}
	if minor, ok := lines.CertainSum(); ok {
		sum := domain.Money{Minor: minor, Currency: lines.Currency}
		facts["corrected_sum_known"] = lines.Currency == s.currency
		facts["corrected_sum_minor"], facts["corrected_sum_text"] = minor, sum.String()
	}
}

// requiredFields returns the required fields of the document type in the country of the case. The
// amount has its own rule.
func (s *inputIndex) requiredFields() []string {
	return slices.DeleteFunc(RequiredIn(s.documentType(), s.Country),
		func(name string) bool { return name == domain.FieldTotal })
}

func (s *inputIndex) documentType() *domain.DocumentType {
	if s.Type != nil {
		return s.Type
	}
	return domain.UndefinedDocumentType(s.DocumentType)
}

// addOrder adds the payment order beside its evidence.
func (s *inputIndex) addOrder(facts expr.Facts) {
	order := s.Order
	if facts["order_known"] = order != nil; order == nil {
		order = &OrderInput{AmountCovered: true, PayeeCovered: true}
	} else {
		facts["order_amount_text"] = order.Amount.String()
	}
	facts["order_payee"], facts["order_account"] = order.Payee, order.Account
	facts["order_amount_differs"] = order.AmountDiffers
	facts["order_amount_unknown"] = order.NoAmount
	facts["order_evidence_text"] = order.OtherAmounts
	facts["order_other_payees"] = append([]string{}, order.OtherPayees...)
	facts["order_other_accounts"] = append([]string{}, order.OtherAccounts...)
	facts["order_amount_covered"] = order.AmountCovered
	facts["order_payee_covered"] = order.PayeeCovered
	facts["order_exceeded"], facts["order_sum_text"] = order.Exceeded, order.Sum
	facts["order_cases"] = append([]string{}, order.OnEvidence...)
	facts["order_limit_text"] = order.Evidence
}

// account returns the account that will be paid: the order's, else the document's.
func (s *inputIndex) account() string {
	if s.Order != nil {
		return s.Order.Account
	}
	return s.text(domain.FieldIBAN)
}

// perMajor returns the number of minor units in one unit of the amount's currency.
func (s *inputIndex) perMajor() int64 {
	digits, _ := domain.Exponent(s.Amount.Currency)
	units := int64(1)
	for range digits {
		units *= 10
	}
	return units
}

// addAmounts adds the amounts on the document.
func (s *inputIndex) addAmounts(facts expr.Facts) {
	known := map[string]domain.Money{}
	for _, name := range []string{domain.FieldNet, domain.FieldTax, domain.FieldTotal} {
		amount, ok := s.money(name)
		facts[name+"_known"] = ok
		if ok {
			known[name] = amount
			facts[name+"_minor"], facts[name+"_text"] = amount.Minor, amount.Decimal()
		}
	}
	if len(known) == 3 {
		difference := totalDifference(
			known[domain.FieldTotal].Minor, known[domain.FieldNet].Minor,
			known[domain.FieldTax].Minor,
		)
		facts["difference_minor"] = difference
		facts["difference_text"] = domain.Money{Minor: difference, Currency: s.currency}.Decimal()
	}
	s.addPayable(facts, known)
	facts["total_source"] = ""
	if total := s.fields[domain.FieldTotal]; total != nil {
		facts["total_source"] = string(total.Source)
	}
}

// totalDifference returns total - net - tax, clamped so that it does not overflow.
func totalDifference(total, net, tax int64) int64 {
	exact := float64(total) - float64(net) - float64(tax)
	switch {
	case exact > math.MaxInt64/2:
		return math.MaxInt64
	case exact < math.MinInt64/2:
		return math.MinInt64 + 1
	}
	return total - net - tax
}

// addTexts adds the fields as text, and what is known about how they were read.
func (s *inputIndex) addTexts(facts expr.Facts) {
	normalised, raw := make(
		map[string]string, len(s.fields),
	), make(
		map[string]string, len(s.fields),
	)
	present, guessed, confidence := map[string]bool{}, map[string]bool{}, map[string]float64{}
	for name, field := range s.fields {
		normalised[name], raw[name] = field.Normalised, field.Raw
		if s.hasValue(name) && !field.IsOnlyOfModel() { // otherwise a required field would not be missed
			present[name] = true
		}
		if s.isGuess(name) {
			guessed[name] = true
		}
		// An assumed currency has a rule of its own.
		if certainty, read := s.certainty(name); read &&
			(name != domain.FieldCurrency || !s.isCurrencyAssumed()) {
			confidence[name] = certainty
		}
	}
	facts["currency_assumed"] = s.isCurrencyAssumed()
	facts["fields"], facts["raw"] = normalised, raw
	facts["present"], facts["guessed"], facts["confidence"] = present, guessed, confidence
	facts["unreadable"] = s.unreadable()
	written := s.text(domain.FieldCurrency)
	if field := s.fields[domain.FieldCurrency]; written == "" && field != nil {
		written = field.Raw
	}
	facts["currency_written"], facts["currency_known"] = written, domain.KnownCurrency(written)
}

// unreadable returns the names of dates and amounts that were found but could not be parsed.
func (s *inputIndex) unreadable() []string {
	names := []string{}
	for _, name := range domain.FieldNamesOf(domain.FieldTypeDate) {
		if _, ok := s.date(name); s.hasValue(name) && !ok {
			names = append(names, name)
		}
	}
	for _, name := range domain.FieldNamesOf(domain.FieldTypeMoney) {
		// Without a currency no amount can be parsed; another rule reports the missing currency.
		if _, ok := s.money(name); s.hasValue(name) && !ok &&
			(s.currency != "" || s.text(name) == "") {
			names = append(names, name)
		}
	}
	return names
}

// addDates adds the age of the document and the days until it is due.
func (s *inputIndex) addDates(facts expr.Facts) {
	date, dateOK := s.date(domain.FieldDate)
	due, dueOK := s.date(domain.FieldDueDate)
	facts["date_known"], facts["due_known"] = dateOK, dateOK && dueOK
	if dateOK {
		facts["date_age"] = int64(s.today().Sub(date) / (24 * time.Hour))
	}
	if dateOK && dueOK {
		facts["due_after"] = int64(due.Sub(date) / (24 * time.Hour))
	}
}

// addCodes adds the problems of IBAN and VAT id.
func (s *inputIndex) addCodes(facts expr.Facts) {
	written := s.text(domain.FieldIBAN)
	if field := s.fields[domain.FieldIBAN]; written == "" && field != nil &&
		s.hasValue(domain.FieldIBAN) {
		written = field.Raw
	}
	iban := normalizeCode(written)
	facts["iban"], facts["iban_country"], facts["iban_fault"] = written, "", ""
	facts["iban_length"], facts["iban_length_due"] = int64(len(iban)), int64(0)
	if strings.TrimSpace(written) != "" {
		problem, _ := ibanProblem(written)
		facts["iban_fault"] = problem
		if len(iban) > 1 {
			facts["iban_country"], facts["iban_length_due"] = iban[:2], int64(country.AccountLength(iban[:2]))
		}
	}
	bank, _ := country.OfBIC(s.text(domain.FieldBIC))
	facts["bic_country"] = bank
	facts["country_has_ibans"] = hasIBANs(s.Country)
	facts["vat_fault"] = VATProblem(s.text(domain.FieldVATID))
}

// duplicateFacts are the facts that list the duplicates of each kind.
var duplicateFacts = map[DuplicateKind]string{SameNumber: "same_number", SameBytes: "same_bytes",
	SimilarNumber: "similar_number", SameContent: "same_content", SimilarImage: "similar_image",
	RejectedBefore: "rejected_before", LinkedDocument: "linked_cases"}

// sharedNumbers returns the numbers of the document that its duplicates by number have too, and those of them
// that are not in force, but were read or stated before.
func (s *inputIndex) sharedNumbers() (numbers, earlier string) {
	var all, before []string
	for _, hit := range s.Duplicates {
		if hit.Kind != SameNumber {
			continue
		}
		number := hit.Number
		if number == "" {
			number = s.text(domain.FieldNumber)
		}
		if slices.Contains(all, number) {
			continue
		}
		all = append(all, number)
		if hit.Earlier {
			before = append(before, number)
		}
	}
	return strings.Join(all, ", "), strings.Join(before, ", ")
}

// addHistory adds facts about other cases: duplicates and the vendor's earlier documents.
func (s *inputIndex) addHistory(facts expr.Facts) {
	for kind, name := range duplicateFacts {
		references := []string{}
		for _, hit := range s.Duplicates {
			if hit.Kind == kind {
				references = append(references, hit.Reference)
			}
		}
		facts[name] = references
	}
	var copies []Copy
	for _, hit := range s.Duplicates {
		if hit.Kind == SubmittedAgain {
			copies = append(copies, Copy{hit.Reference, hit.Relation})
		}
	}
	addCopies(facts, copies)
	facts["same_number_text"], facts["same_number_earlier"] = s.sharedNumbers()
	crossing{}.addTo(facts)
	facts["sum_at"] = s.Today.UTC().Format(momentLayout)
	facts["split_cases"] = append([]string{}, s.Vendor.Recent...)
	facts["split_count"] = int64(s.Vendor.RecentCount)
	sum := s.Vendor.RecentSum
	if s.AmountKnown && sum <= math.MaxInt64/2 && s.BaseMinor <= math.MaxInt64/2 {
		sum += s.BaseMinor
	}
	facts["split_base_minor"] = sum
	account, before := normalizeCode(s.account()), normalizeCode(s.Vendor.Account)
	facts["account"], facts["account_country"] = s.account(), ""
	if problem, _ := ibanProblem(account); problem == "" {
		facts["account_country"] = account[:2]
	}
	facts["account_before"] = s.Vendor.Account
	facts["account_changed"] = s.Vendor.Account != "" && account != "" && account != before
	facts["account_new"] = s.Vendor.Known && s.Vendor.Account == "" && account != ""
	s.addSharedAccount(facts, account)
}
