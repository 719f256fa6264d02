package extraction_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/reading/extraction"
)

// certain is the confidence from which no person has to look, as in package rules.
const certain = 0.6

// receipt is a page of a vendor, read by OCR with little confidence.
func receipt(name string, rest ...string) domain.Page {
	lines := append([]string{name, "Reg 860671 D", "Jalan Meranti 12", "Permas Jaya 81750",
		"Tel 07 3880123", "Receipt no 4711", "Date 03/02/2018"}, rest...)
	page := pageOfText(strings.Join(lines, "\n"), domain.SourceOCR)
	for i := range page.Words {
		page.Words[i].Confidence = 0.7
	}
	return page
}

var bread = []string{"Bread RM 12.00", "Total RM 12.00"}

func confirmedAs(values map[string]string) []domain.Field {
	var fields []domain.Field
	for name, value := range values {
		fields = append(fields, domain.Field{Name: name, Normalised: value})
	}
	return fields
}

func lessonOf(t *testing.T, page domain.Page, values map[string]string) domain.Lesson {
	t.Helper()
	lesson, ok := extraction.Learn([]domain.Page{page}, confirmedAs(values))
	if !ok {
		t.Fatalf("nothing is learned from %v", values)
	}
	lesson.Case = domain.ID{9}
	return lesson
}

func examined(page domain.Page, lessons ...domain.Lesson) extraction.Examination {
	return extraction.Examine([]domain.Page{page}, extraction.Hints{Lessons: lessons}, nil)
}

func named(t *testing.T, name string) domain.Lesson {
	t.Helper()
	return lessonOf(t, receipt(name, bread...), map[string]string{domain.FieldVendor: name})
}

// A name that was read with a wrong letter is repaired to the confirmed one. It is not certain, it
// names the case, and what was read stays.
func TestKnownNameIsRepaired(t *testing.T) {
	t.Parallel()
	known := named(t, "PERNIAGAAN MUTIARA SDN BHD")
	found := examined(receipt("PERNTAGAAN MUTIARA SDN BHD", bread...), known)
	at := slices.IndexFunc(found.Fields,
		func(f domain.Field) bool { return f.Name == domain.FieldVendor })
	field := found.Fields[at]
	if field.Normalised != known.Name || field.Confidence >= certain ||
		field.LearnedFrom != known.Case || field.Grounded {
		t.Errorf("repaired to %+v", field)
	}
	if got := value(found.Unaided, domain.FieldVendor); got != "PERNTAGAAN MUTIARA SDN BHD" {
		t.Errorf("what was read is kept as %q", got)
	}
}

// Digits that look like letters, and what follows the legal form, do not hide a known name.
func TestKnownNameWithLookalikes(t *testing.T) {
	t.Parallel()
	known := named(t, "PERNIAGAAN MUTIARA SDN BHD")
	for _, read := range []string{"PERN1AGAAN MUT1ARA 5DN 8HD", "PERN1AGAAN MUTIARA SDN BHD(306295-X) FKA BISON"} {
		if got := value(examined(receipt(read, bread...), known).Fields,
			domain.FieldVendor); got != known.Name {
			t.Errorf("%q is read as %q", read, got)
		}
	}
}

// Names that memory must leave as they were read.
func TestMemoryLeavesOtherNamesAlone(t *testing.T) {
	t.Parallel()
	known := named(t, "PERNIAGAAN MUTIARA SDN BHD")
	elsewhere := func(name string) domain.Page {
		page := pageOfText(strings.Join([]string{name, "Reg 113355 X", "Lorong Kenanga 4", "Ipoh 31400",
			"Total RM 9.00"}, "\n"), domain.SourceOCR)
		for i := range page.Words {
			page.Words[i].Confidence = 0.7
		}
		return page
	}
	certain := receipt("PERNIAGAAN MUTIARE SDN BHD", bread...)
	for i := range certain.Words {
		certain.Words[i].Confidence = 0.99
	}
	for name, test := range map[string]struct {
		page    domain.Page
		lessons []domain.Lesson
	}{
		"two known names are one letter apart": {receipt("PERNIAGAAN MUTIARO SDN BHD", bread...),
			[]domain.Lesson{known, named(t, "PERNIAGAAN MUTIARI SDN BHD")}},
		"two vendors have the same header": {receipt("~~ ~~~", bread...),
			[]domain.Lesson{known, named(t, "KEDAI BUNGA RAYA SDN BHD")}},
		"another name":                  {elsewhere("SINAR HARAPAN TRADING"), []domain.Lesson{known}},
		"three letters differ":          {elsewhere("PERNIAGAAN MUSTIKE SDN BHD"), []domain.Lesson{known}},
		"legible, with the same header": {receipt("SINAR HARAPAN TRADING SDN BHD", bread...), []domain.Lesson{known}},
		"read with certainty":           {certain, []domain.Lesson{known}},
		"the known name is the buyer": {pageOfText("SINAR\nBill to\nPERNIAGAAN MUTIARA SDN BHD\nTotal RM 9.00",
			domain.SourceOCR), []domain.Lesson{known}},
		"nothing is known": {receipt("PERNTAGAAN MUTIARA SDN BHD", bread...), nil},
	} {
		plain, found := examined(test.page), examined(test.page, test.lessons...)
		if a, b := value(plain.Fields, domain.FieldVendor), value(found.Fields,
			domain.FieldVendor); a != b || len(found.Unaided) > 0 {
			t.Errorf("%s: read %q, with memory %q, kept %v", name, a, b, found.Unaided)
		}
	}
}

// A vendor whose name is illegible is suggested by its header; a printed tax number proves it.
func TestVendorIsKnownByItsHeader(t *testing.T) {
	t.Parallel()
	tax := "Tax ID DE136695976"
	known := lessonOf(t, receipt("PERNIAGAAN MUTIARA SDN BHD", append([]string{tax}, bread...)...),
		map[string]string{domain.FieldVendor: "PERNIAGAAN MUTIARA SDN BHD",
			domain.FieldVATID: "DE136695976"})
	for name, test := range map[string]struct {
		page domain.Page
		sure bool
	}{"header only": {receipt("F~RN", bread...), false},
		"header and tax number": {receipt("F~RN", append([]string{tax}, bread...)...), true}} {
		fields := examined(test.page, known).Fields
		at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == domain.FieldVendor })
		if at < 0 || fields[at].Normalised != known.Name || fields[at].Grounded ||
			fields[at].Confidence >= certain != test.sure {
			t.Errorf("%s: %+v", name, fields)
		}
	}
}

// The place of the confirmed date and number on an earlier document decides between two printed ones.
func TestPlaceOfEarlierValues(t *testing.T) {
	t.Parallel()
	lines := func(date, other string) domain.Page {
		page := receipt("PERNIAGAAN MUTIARA SDN BHD", "Posted "+date, "Total RM 12.00")
		for i := range page.Words {
			if strings.HasPrefix(page.Words[i].Text, "03/02") {
				page.Words[i].Text = other
			}
		}
		return page
	}
	known := lessonOf(t, lines("21/05/2018", "17/04/2018"), map[string]string{
		domain.FieldVendor: "PERNIAGAAN MUTIARA SDN BHD", domain.FieldDate: "2018-05-21"})
	page := lines("25/06/2018", "23/06/2018")
	found := examined(page, known)
	if got := value(found.Fields, domain.FieldDate); got != "2018-06-25" {
		t.Errorf("date %q", got)
	}
	if got := value(found.Unaided, domain.FieldDate); got != "2018-06-23" {
		t.Errorf("the date without memory is kept as %q", got)
	}
}

// What is remembered has no account and no amount.
func TestLessonHasNoAccount(t *testing.T) {
	t.Parallel()
	const iban = "DE89370400440532013000"
	page := receipt("PERNIAGAAN MUTIARA SDN BHD", "IBAN DE89 3704 0044 0532 0130 00", iban,
		"Konto 532013000", "Total RM 7731.00")
	lesson := lessonOf(t, page, map[string]string{domain.FieldVendor: "PERNIAGAAN MUTIARA SDN BHD",
		domain.FieldIBAN: iban, domain.FieldTotal: "7731.00", domain.FieldCurrency: "MYR"})
	text, err := json.Marshal(lesson)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"3704", "532013000", "7731"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is remembered: %s", secret, text)
		}
	}
}

// Memory never takes a reading away, never changes other fields, and never makes a value certain
// without a tax number, whatever was learned.
func TestMemoryNeverTakesAway(t *testing.T) {
	t.Parallel()
	changeable := []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldTotal}
	rapid.Check(t, func(t *rapid.T) {
		var lessons []domain.Lesson
		page := drawPage(t)
		for range rapid.IntRange(0, 4).Draw(t, "lessons") {
			source := rapid.SampledFrom([]domain.Page{page, drawPage(t)}).Draw(t, "page")
			values := map[string]string{domain.FieldVendor: rapid.SampledFrom([]string{
				"Muster GmbH", "Mustor GmbH", "Beispiel AG & Co. KG"}).Draw(t, "name")}
			for _, f := range extraction.Extract([]domain.Page{source}, extraction.Hints{}) {
				if f.Name != domain.FieldVendor && f.Name != domain.FieldVATID {
					values[f.Name] = f.Normalised
				}
			}
			if lesson, ok := extraction.Learn([]domain.Page{source}, confirmedAs(values)); ok {
				lessons = append(lessons, lesson)
			}
		}
		plain, found := examined(page), examined(page, lessons...)
		for _, field := range plain.Fields {
			same := func(f domain.Field) bool {
				return f.Name == field.Name && f.Normalised == field.Normalised
			}
			if !slices.ContainsFunc(found.Fields, same) && !slices.ContainsFunc(found.Unaided, same) {
				t.Fatalf("%+v is lost", field)
			}
		}
		for _, field := range found.Fields {
			before := slices.IndexFunc(plain.Fields,
				func(f domain.Field) bool { return f.Name == field.Name })
			if before >= 0 && plain.Fields[before].Normalised == field.Normalised {
				continue
			}
			if !slices.Contains(changeable, field.Name) || field.Confidence >= certain {
				t.Fatalf("%+v came from memory", field)
			}
		}
	})
}
