package extraction

import (
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// typeWord matches the words by which an invoice, a receipt or a credit note names itself, in the
// languages that the labels of amounts have.
var typeWord = regexp.MustCompile(
	`(?i)\b(e?-?(tax\s*)?inv[o0][il1]ces?|receipts?|cash\s*(bill|sales?)|credit\s*notes?|bill\s*(no|number|date)|(bar)?rechnung(snummer|sdatum|sbetrag)?|gutschrift|quittung|kassen(bon|beleg)|beleg(nr|nummer|datum)?|facture|avoir|re[çc]u|ticket\s*de\s*caisse|factuur(nummer|datum)?|creditnota|kassabon|fattura|ricevuta|scontrino|documento\s*commerciale|factura|recibo|fatura|faktura|kvitto|paragon(\s*fiskalny)?|rachunek|resit|invois)\b|发票|發票|收据|收據|小票|請求書|领収書|領収書`)

// partyMark matches what identifies the issuer besides a legal form: tax and register numbers.
var partyMark = regexp.MustCompile(
	`(?i)\b(vat|gst|sst|ust|mwst|btw|tva|kvk|siret|gstin|abn|ein|co)[\s.-]*(id|idnr|reg|no|nr|number|nummer|registration)?[\s.:#-]*(no|nr|id|number)?[\s.:#(-]*[A-Z]{0,3}\d{4,}|纳税人识别号`)

// taxNumberMark matches the label of a tax or register number with its digits, which may be in groups.
var taxNumberMark = regexp.MustCompile(
	`(?i)\b(?:p\.?\s?iva|partita\s+iva|cod(?:ice)?\.?\s*fisc(?:ale)?|c\.f|cif|nif|nip|siren|siret|rfc|cnpj|cuit|rut|uid|uen|trn|` +
		`vat|gst|hst|pst|qst|tps|tvq|tva|mwst|ust|abn|moms|org|steuer|st|tax|business|register)` +
		`[\s./-]*(?:id|nr|no|nummer|number|reg|intra)?[\s.:#№°(-]*((?:[A-Z]{1,3}[\s-]?)?\d[\d ./-]{5,}\d|[A-Z]{3,4}\d{6}[A-Z0-9]{3})`)

// minRegisterDigits is the number of digits from which a number is that of a register: a rate with an
// amount has fewer.
const minRegisterDigits = 8

// hasRegisterNumber reports whether the pages state a tax or register number.
func (s *documentLayout) hasRegisterNumber() bool {
	if partyMark.MatchString(s.text) {
		return true
	}
	for _, found := range taxNumberMark.FindAllStringSubmatch(s.text, -1) {
		if len(onlyDigits(found[1])) >= minRegisterDigits {
			return true
		}
	}
	return false
}

// features returns the features of an invoice or receipt that the document has, given its labelled
// amounts, all its amounts and its fields.
func (s *documentLayout) features(
	candidates []*candidate, amounts []*amount, fields []domain.Field,
) []string {
	has := func(name string) bool { return hasValue(fields, name) }
	found := []string{}
	add := func(feature string, present bool) {
		if present {
			found = append(found, feature)
		}
	}
	add(domain.FeatureTypeWord, typeWord.MatchString(s.text))
	add(domain.FeatureAmount, slices.ContainsFunc(candidates, isLabelledTotal))
	add(domain.FeatureDate, has(domain.FieldDate))
	add(domain.FeatureParty, has(domain.FieldVATID) || has(domain.FieldIBAN) ||
		s.hasRegisterNumber() || strongForm.MatchString(s.text))
	add(domain.FeatureDemand, demandsPayment(fields))
	add(domain.FeatureTender, s.hasTender(candidates))
	add(domain.FeatureNewAccount, s.announcesAccount())
	add(domain.FeatureProse, s.isProse())
	add(domain.FeatureMoney, slices.ContainsFunc(candidates, isLabelledTotal) ||
		slices.ContainsFunc(amounts, isMoney))
	if kind := s.documentKind().value; kind != "" {
		found = append(found, domain.FeatureOfKind(kind))
	}
	return found
}

// isMoney reports whether a number is printed as an amount of money: with a currency, or with the
// usual decimals.
func isMoney(a *amount) bool {
	return a.milli != 0 && (a.currency != "" || !a.ambiguous && !a.uncertain)
}

// FeaturesOfInvoice returns the features of a file with an e-invoice, whose type is certain; shown are those
// of its pages, of which the announcement of another account and the name of a credit note count, and fields
// are those of the e-invoice and of its pages.
func FeaturesOfInvoice(fields []domain.Field, shown []string) []string {
	found := []string{domain.FeatureTypeWord, domain.FeatureAmount, domain.FeatureDate,
		domain.FeatureParty, domain.FeatureMoney}
	for _, field := range fields {
		if field.Name == domain.FieldKind && field.Normalised != "" &&
			field.Normalised != domain.KindOther { // a type code that is not listed speaks against nothing
			found = append(found, domain.FeatureOfKind(field.Normalised))
			break
		}
	}
	if demandsPayment(fields) {
		found = append(found, domain.FeatureDemand)
	}
	for _, feature := range []string{domain.FeatureNewAccount, domain.FeatureOfKind(domain.KindCreditNote)} {
		if slices.Contains(shown, feature) && !slices.Contains(found, feature) {
			found = append(found, feature)
		}
	}
	return found
}

// demandsPayment reports whether the document names an account or a due date.
func demandsPayment(fields []domain.Field) bool {
	return hasValue(fields, domain.FieldIBAN) || hasValue(fields, domain.FieldDueDate)
}

func hasValue(fields []domain.Field, name string) bool {
	return slices.ContainsFunc(fields,
		func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
}

// isProse reports whether most of the longer rows are running text: ten rows at least, of eight or
// more words that are nearly all in small letters.
func (s *documentLayout) isProse() bool {
	long, prose := 0, 0
	for _, r := range s.rows {
		if len(r.words) < 4 {
			continue
		}
		long++
		small := 0
		for _, w := range r.words {
			if first, _ := utf8.DecodeRuneInString(w.Text); unicode.IsLower(first) {
				small++
			}
		}
		if len(r.words) >= 8 && small*3 >= len(r.words)*2 {
			prose++
		}
	}
	return prose >= 10 && prose*2 >= long
}

// isLabelledTotal reports whether an amount has a label of a total.
func isLabelledTotal(c *candidate) bool {
	return (c.role == roleTotal || c.role == roleGrand || c.role == roleDue) && c.milli != 0
}
