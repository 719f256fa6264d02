package extraction

import (
	"strings"
	"testing"

	"countersign/domain"
)

func page(lines ...string) []domain.Page {
	return []domain.Page{{Text: strings.Join(lines, "\n")}}
}

func TestKind(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		pages []domain.Page
		xml   string
		want  domain.DocumentKind
	}{
		"nothing":         {},
		"an invoice":      {pages: page("ACME", "INVOICE")},
		"pro-forma":       {pages: page("ACME", "Pro-forma invoice"), want: domain.ProForma},
		"in Chinese":      {pages: page("形式发票"), want: domain.ProForma},
		"a credit note":   {pages: page("CREDIT NOTE"), want: domain.CreditNote},
		"far below":       {pages: page(strings.Repeat("x\n", 20) + "credit note"), want: ""},
		"CII 381":         {xml: "<ram:TypeCode>381</ram:TypeCode>", want: domain.CreditNote},
		"CII 380":         {xml: "<ram:TypeCode>380</ram:TypeCode>"},
		"UBL credit note": {xml: `<CreditNote xmlns="urn">`, want: domain.CreditNote},
	} {
		if got := Kind(row.pages, []byte(row.xml)); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestTimeOfDay(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                             "",
		"Open 10:00 - 22:00":           "",
		"Date: 2026-11-02 09:15":       "09:15",
		"02/11/2026 9:05:33 PM":        "21:05",
		"Time: 12:01 am":               "00:01",
		"25/12/2018 8:13:39 PM Cash 1": "20:13",
	} {
		if got := TimeOfDay(page("ACME", line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
