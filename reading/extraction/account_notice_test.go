package extraction

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// A letter that announces another bank account is no invoice, also with the number and the amount of one,
// in any form that its sender may choose.
func TestLettersAboutAnotherAccount(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"English, with the number of an invoice": {"Brackley Valves Ltd", "Mill Lane 4, Derby DE1 2QX", "19 November 2026",
			"Dear Sirs,", "Invoice no. 8821, amount due GBP 12,400.00", "Please be informed that our bank details have changed.",
			"Kindly pay the invoice to the account below.", "IBAN GB29 NWBK 6016 1331 9268 19", "Total GBP 12,400.00"},
		"English, as a subject": {"Brackley Valves Ltd", "Invoice 8821", "Change of our bank details", "Total due GBP 12,400.00"},
		"English, without the words bank details": {"Brackley Valves Ltd", "Dear customer,",
			"our account with Northern Bank has been closed. Please use our new account", "for invoice 8821, total GBP 12,400.00"},
		"German": {"Beispiel Pumpen GmbH", "Sehr geehrte Damen und Herren,", "wir haben eine neue Bankverbindung.",
			"Rechnung Nr. 4711, Betrag 9.840,00 EUR", "Bitte überweisen Sie nur noch auf das Konto DE89 3704 0044 0532 0130 00."},
		"German, as a subject": {"Beispiel Pumpen GmbH", "Änderung unserer Kontoverbindung", "Rechnung 4711", "Gesamtbetrag 9.840,00 EUR"},
		"German, the verb at the end": {"Beispiel Pumpen GmbH", "Guten Tag,", "unsere Bankverbindung hat sich zum 1. Dezember geändert.",
			"Rechnung 4711, Gesamtbetrag 9.840,00 EUR"},
		"French": {"Pompes Exemple SARL", "Madame, Monsieur,", "nous vous informons du changement de nos coordonnées bancaires.",
			"Facture n° 4711, montant 9 840,00 EUR"},
		"French, the noun first": {"Pompes Exemple SARL", "Madame, Monsieur,", "nos coordonnées bancaires ont été modifiées.",
			"Facture n° 4711, montant 9 840,00 EUR"},
		"Spanish": {"Bombas Ejemplo S.L.", "Estimado cliente:", "le comunicamos nuestra nueva cuenta bancaria para el pago",
			"de la factura 4711, total 9.840,00 EUR"},
		"Spanish, as a subject": {"Bombas Ejemplo S.L.", "Cambio de datos bancarios", "Factura 4711", "Total 9.840,00 EUR"},
		"Italian":               {"Pompe Esempio S.r.l.", "Gentile cliente,", "vi comunichiamo le nuove coordinate bancarie.", "Fattura 4711, totale 9.840,00 EUR"},
		"Dutch":                 {"Voorbeeld Pompen B.V.", "Geachte heer,", "ons rekeningnummer is gewijzigd.", "Factuur 4711, totaal 9.840,00 EUR"},
		"Chinese":               {"示例泵业有限公司", "尊敬的客户：", "我司收款账户已变更，请将发票4711的款项", "汇至以下账户。合计 9840.00 元"},
		"Chinese, the verb first": {"示例泵业有限公司", "关于变更银行账户的通知", "发票号码 4711",
			"合计 9840.00 元"},
		"in a line that is wrapped": {"Brackley Valves Ltd", "Dear Sirs,", "please note that with effect from today our bank",
			"details have changed. Invoice 8821", "Total GBP 12,400.00"},
	} {
		features := Examine(textPage(lines...), Hints{DocumentType: "invoice"}, nil).Features
		if !slices.Contains(features, domain.FeatureNewAccount) || domain.NamedKind(features) != domain.KindNotice {
			t.Errorf("%s: %v", name, features)
		}
	}
}

// An invoice that announces another account stays an invoice, and is marked.
func TestInvoicesWithAnotherAccount(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{"Beispiel Pumpen GmbH", "Rechnung Nr. 4711", "Achtung: neue Bankverbindung!", "Netto 100,00", "MwSt 19% 19,00", "Gesamt 119,00 EUR"},
		{"Brackley Valves Ltd", "INVOICE 8821", "Net 100.00", "VAT 20% 20.00", "Total GBP 120.00", "Please note our new bank details."},
	} {
		features := Examine(textPage(lines...), Hints{DocumentType: "invoice"}, nil).Features
		if !slices.Contains(features, domain.FeatureNewAccount) || domain.NamedKind(features) != domain.KindInvoice {
			t.Errorf("%q: %v", lines, features)
		}
	}
}

// Warnings of such letters, and other changes, announce nothing.
func TestNoOtherAccount(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Our bank details have not changed.",
		"We will never send you new bank details by e-mail.",
		"Our bank details will never change.",
		"Unsere Bankverbindung hat sich nicht geändert.",
		"Wir teilen Ihnen niemals eine neue Bankverbindung per E-Mail mit.",
		"Nos coordonnées bancaires ne sont pas modifiées.",
		"我司银行账户不会变更。",
		"Bank details: Northern Bank, sort code 60-16-13",
		"Your new account number with us is 40093321",
		"Change of address", "New account manager: Ms Fox",
		"Bankverbindung: Sparkasse Musterstadt",
	} {
		features := Examine(textPage("Brackley Valves Ltd", "INVOICE 8821", line, "VAT 20% 20.00", "Total GBP 120.00"),
			Hints{DocumentType: "invoice"}, nil).Features
		if slices.Contains(features, domain.FeatureNewAccount) || domain.NamedKind(features) != domain.KindInvoice {
			t.Errorf("%q: %v", line, features)
		}
	}
	if slices.Contains(Examine(textPage(strings.Repeat("bank ", 400)), Hints{}, nil).Features, domain.FeatureNewAccount) {
		t.Error("words alone announce another account")
	}
}
