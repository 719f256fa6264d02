package rules

import (
	"strings"

	"countersign/domain"
)

// duplicateOf makes the rule for one kind of duplicate.
func duplicateOf(kind DuplicateKind) func(*sheet) *sighting {
	return func(s *sheet) *sighting {
		var others []string
		for _, hit := range s.Duplicates {
			if hit.Kind == kind {
				others = append(others, hit.Reference)
			}
		}
		if len(others) == 0 {
			return nil
		}
		if kind == SameBytes {
			return saw([]string{"cases", strings.Join(others, ",")}, "The same file was submitted before as %s.", someOf(others))
		}
		number, vendor := s.text(domain.FieldNumber), s.text(domain.FieldVendor)
		return saw([]string{"cases", strings.Join(others, ","), "number", number, "vendor", vendor},
			"Number %s of %s was submitted before as %s.", shorten(number), shorten(vendor), someOf(others))
	}
}

// someOf names the first few of many.
func someOf(references []string) string {
	if len(references) > 3 {
		return strings.Join(references[:3], ", ") + " and others"
	}
	return strings.Join(references, ", ")
}

func declaredDiffers(s *sheet) *sighting {
	read, ok := s.money(domain.FieldTotal)
	if field := s.fields[domain.FieldTotal]; !ok || s.Declared.Currency == "" || field.Source == domain.SourceDeclared || s.Declared == read {
		return nil
	}
	return saw([]string{"declared", s.Declared.String(), "read", read.String()},
		"The submitter declared %s, the document says %s.", s.Declared, read)
}

func ibanCountry(s *sheet) *sighting {
	iban := s.text(domain.FieldIBAN)
	if s.Country == "" || IBANFault(iban) != "" || iban[:2] == s.Country {
		return nil
	}
	return saw([]string{"iban_country", iban[:2], "vendor_country", s.Country},
		"The account is in %s, but the vendor is in %s.", iban[:2], s.Country)
}

func roundAmount(s *sheet) *sighting {
	digits, ok := domain.Exponent(s.Amount.Currency)
	if !s.AmountKnown || !ok || s.BaseMinor < roundFromMinor {
		return nil
	}
	step := int64(roundMajor)
	for range digits {
		step *= 10
	}
	if s.Amount.Minor%step != 0 {
		return nil
	}
	return saw([]string{"amount", s.Amount.String()}, "The amount %s is a conspicuously round one.", s.Amount)
}

func newVendor(s *sheet) *sighting {
	if !s.Vendor.Looked || s.Vendor.Cases > 0 {
		return nil
	}
	vendor := s.text(domain.FieldVendor)
	return saw([]string{"vendor", vendor}, "No document of this vendor was approved before.")
}

func highAmount(s *sheet) *sighting {
	if !s.AmountKnown || s.BaseMinor < highBaseMinor {
		return nil
	}
	base := domain.Money{Minor: s.BaseMinor, Currency: domain.BaseCurrency}
	mark := domain.Money{Minor: highBaseMinor, Currency: domain.BaseCurrency}
	return saw([]string{"base", base.String(), "mark", mark.String()}, "The amount is high: %s, from %s on a person always looks.", base, mark)
}
