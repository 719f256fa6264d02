package extraction

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// labelled are the kinds of labels of amounts with the roles that each may give.
var labelled = []struct {
	name  string
	of    func(language) []string
	roles []role
}{
	{"grand", func(l language) []string { return l.grand }, []role{roleGrand, roleDue}},
	{"due", func(l language) []string { return l.due }, []role{roleDue, roleGrand}},
	{"sub", func(l language) []string { return l.sub }, []role{roleSub}},
	{"net", func(l language) []string { return l.net }, []role{roleNet}},
	{"tax", func(l language) []string { return l.tax }, []role{roleTax}},
	{"paid", func(l language) []string { return l.paid }, []role{rolePaid}},
	{"change", func(l language) []string { return l.change }, []role{roleChange}},
	{"other", func(l language) []string { return l.other }, []role{roleOther}},
	{"plain", func(l language) []string { return l.plain }, []role{roleTotal}},
}

// printedForm is a phrase as a document prints it.
func printedForm(phrase string) string { return strings.Trim(phrase, "*") }

func titleCase(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Every label of every language gives its role, as it is printed and as an engine reads it without
// accents and blanks.
func TestLabelsOfAmounts(t *testing.T) {
	t.Parallel()
	plain := strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "é", "e", "è", "e", "à", "a", "ó", "o",
		"í", "i")
	for _, l := range languages {
		for _, kind := range labelled {
			for _, phrase := range kind.of(l) {
				printed := printedForm(phrase)
				for _, read := range []string{printed, plain.Replace(printed) + ":",
					titleCase(printed)} {
					if got := labelRole(foldForSearch(read) + " "); !slices.Contains(kind.roles, got) {
						t.Errorf("%s: %q is a label of %s, got role %d", l.name, read, kind.name, got)
					}
				}
			}
		}
	}
}

// Every label of a date is recognised as what it is.
func TestLabelsOfDates(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		for _, phrase := range l.dueDate {
			if !labelDue.MatchString(foldForSearch(printedForm(phrase)) + " ") {
				t.Errorf("%s: %q is no label of a due date", l.name, phrase)
			}
		}
		for _, phrase := range l.issueDate {
			folded := foldForSearch(printedForm(phrase)) + " "
			if !labelIssue.MatchString(folded) || labelDue.MatchString(folded) {
				t.Errorf("%s: %q is no label of the date of a document", l.name, phrase)
			}
		}
		for _, phrase := range l.otherDate {
			folded := foldForSearch(printedForm(phrase)) + " "
			if !labelOtherDate.MatchString(folded) || labelIssue.MatchString(folded) {
				t.Errorf("%s: %q is no label of another date", l.name, phrase)
			}
		}
		for _, phrase := range l.date {
			if !labelDate.MatchString(foldForSearch(printedForm(phrase)) + " ") {
				t.Errorf("%s: %q is no label of a date", l.name, phrase)
			}
		}
	}
}

// Every language has the labels that an invoice needs.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		for name, count := range map[string]int{"grand": len(l.grand), "net": len(l.net),
			"tax": len(l.tax), "plain": len(l.plain), "paid": len(l.paid), "due date": len(l.dueDate),
			"issue date": len(l.issueDate), "street": len(l.street), "contact": len(l.contact)} {
			if count == 0 {
				t.Errorf("%s has no label of %s", l.name, name)
			}
		}
		if printedForm(l.name) == "" {
			t.Errorf("a language has no name: %+v", l)
		}
	}
}

// A phrase matches whole words unless it has an asterisk, and without its accents and blanks.
func TestPhrases(t *testing.T) {
	t.Parallel()
	expression := allOf(func(l language) []string {
		if l.name != "en" {
			return nil
		}
		return []string{"net à payer", "*betrag", "due … on"}
	})
	for text, want := range map[string]bool{
		"net à payer": true, "net a payer": true, "netapayer": true, "net-à-payer": true,
		"rechnungsbetrag": true, "betrags": false, "due today on": true,
		"magnet à payer": false, "due to a very long delay on": false,
	} {
		if expression.MatchString(text) != want {
			t.Errorf("%q matches: %t, want %t", text, !want, want)
		}
	}
}
