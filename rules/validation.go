package rules

import (
	"strconv"
	"strings"

	"countersign/domain"
)

func amountMissing(s *sheet) *sighting {
	if s.AmountKnown {
		return nil
	}
	return saw([]string{"total", s.text(domain.FieldTotal)}, "The amount of the document is not known.")
}

func currencyUnknown(s *sheet) *sighting {
	if written := s.fields[domain.FieldCurrency]; written != nil && s.present(domain.FieldCurrency) {
		code := written.Normalised
		if code == "" {
			code = written.Raw
		}
		if domain.KnownCurrency(code) {
			return nil
		}
		return saw([]string{"currency", code}, "The currency %q is not known.", shorten(code))
	}
	if s.currency != "" {
		return nil
	}
	return saw(nil, "The document names no currency.")
}

func requiredMissing(s *sheet) *sighting {
	var missing []string
	for _, name := range requiredFields(s.DocumentType) {
		if !s.present(name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return saw([]string{"fields", strings.Join(missing, ",")}, "These fields were not found: %s.", labels(missing))
}

func fieldUnreadable(s *sheet) *sighting {
	var unreadable []string
	for _, name := range []string{domain.FieldDate, domain.FieldDueDate} {
		if _, ok := s.date(name); s.present(name) && !ok {
			unreadable = append(unreadable, name)
		}
	}
	for _, name := range []string{domain.FieldNet, domain.FieldTax, domain.FieldTotal} {
		// Without a currency an amount cannot be read at all; that is said by another rule.
		if _, ok := s.money(name); s.present(name) && !ok && (s.currency != "" || s.text(name) == "") {
			unreadable = append(unreadable, name)
		}
	}
	if len(unreadable) == 0 {
		return nil
	}
	evidence := []string{"fields", strings.Join(unreadable, ",")}
	for _, name := range unreadable {
		evidence = append(evidence, name, shorten(s.fields[name].Raw))
	}
	return saw(evidence, "These fields were found but could not be read: %s.", labels(unreadable))
}

func arithmetic(s *sheet) *sighting {
	net, netOK := s.money(domain.FieldNet)
	tax, taxOK := s.money(domain.FieldTax)
	total, totalOK := s.money(domain.FieldTotal)
	if !netOK || !taxOK || !totalOK || s.guessed(domain.FieldNet) || s.guessed(domain.FieldTax) {
		return nil
	}
	// Each line may have been rounded by itself.
	tolerance := int64(max(s.Lines, 1))
	off := total.Minor - net.Minor - tax.Minor
	if off <= tolerance && -off <= tolerance {
		return nil
	}
	difference := domain.Money{Minor: off, Currency: s.currency}
	return saw([]string{"net", net.Decimal(), "tax", tax.Decimal(), "total", total.Decimal(),
		"difference", difference.Decimal(), "currency", s.currency},
		"Net %s and tax %s do not add up to the total %s (difference %s).", net.Decimal(), tax.Decimal(), total, difference.Decimal())
}

func dateOrder(s *sheet) *sighting {
	date, dateOK := s.date(domain.FieldDate)
	due, dueOK := s.date(domain.FieldDueDate)
	if !dateOK || !dueOK || !due.Before(date) {
		return nil
	}
	return saw([]string{"date", s.text(domain.FieldDate), "due_date", s.text(domain.FieldDueDate)},
		"The due date %s lies before the document's date %s.", s.text(domain.FieldDueDate), s.text(domain.FieldDate))
}

func dateFuture(s *sheet) *sighting {
	date, ok := s.date(domain.FieldDate)
	if !ok || !date.After(s.today().AddDate(0, 0, futureDays)) {
		return nil
	}
	return saw([]string{"date", s.text(domain.FieldDate), "today", s.today().Format("2006-01-02")},
		"The document is dated %s, which lies in the future.", s.text(domain.FieldDate))
}

func dateOld(s *sheet) *sighting {
	date, ok := s.date(domain.FieldDate)
	if !ok || !date.Before(s.today().AddDate(0, 0, -oldestDays)) {
		return nil
	}
	return saw([]string{"date", s.text(domain.FieldDate), "limit_days", strconv.Itoa(oldestDays)},
		"The document is dated %s, more than %d days ago.", s.text(domain.FieldDate), oldestDays)
}

func ibanCheck(s *sheet) *sighting {
	field := s.fields[domain.FieldIBAN]
	if field == nil || !s.present(domain.FieldIBAN) {
		return nil
	}
	written := field.Normalised
	if written == "" {
		written = field.Raw
	}
	word, fault := ibanFault(written)
	if fault == "" {
		return nil
	}
	return saw([]string{"iban", shorten(written), "fault", word}, "The IBAN %s is not valid: %s.", shorten(written), fault)
}

func vatFormat(s *sheet) *sighting {
	written := s.text(domain.FieldVATID)
	if written == "" || VATWellFormed(written) {
		return nil
	}
	return saw([]string{"vat_id", shorten(written)}, "The VAT id %s has not the form of its country.", shorten(written))
}

func lowConfidenceFields(s *sheet) *sighting {
	var weak, evidence []string
	for _, name := range keyFields {
		field := s.fields[name]
		if field == nil || field.Source != domain.SourceOCR && field.Source != domain.SourceLLM {
			continue
		}
		if field.Confidence > 0 && field.Confidence < lowConfidence {
			weak = append(weak, name)
			evidence = append(evidence, name, strconv.FormatFloat(field.Confidence, 'f', 2, 64))
		}
	}
	if len(weak) == 0 {
		return nil
	}
	return saw(append(evidence, "fields", strings.Join(weak, ",")), "These fields were read with little confidence: %s.", labels(weak))
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
