package extraction

// polish holds the words of Polish documents.
var polish = language{
	name: "pl",
	street: []string{
		"ul", "ulica", "aleja", "osiedle",
	},
	contact: []string{
		"nip", "regon", "krs", "telefon", "faktura*", "paragon*", "konto", "rachunek*",
	},
	sub: []string{
		"suma częściowa",
	},
	net: []string{
		"razem netto", "wartość netto", "suma netto", "kwota netto",
	},
	tax: []string{
		"podatek vat", "kwota vat", "podatek", "suma ptu",
	},
	grand: []string{
		"do zapłaty", "razem do zapłaty", "razem brutto", "wartość brutto", "kwota brutto",
		"suma brutto", "suma pln", "należność ogółem",
	},
	due: []string{
		"pozostało do zapłaty",
	},
	plain: []string{
		"razem", "ogółem",
	},
	paid: []string{
		"gotówka", "zapłacono", "wpłacono",
	},
	change: []string{
		"reszta",
	},
	other: []string{
		"*rabat*", "ilość",
	},
	issueDate: []string{
		"data wystawienia", "data faktury", "wystawiono dnia",
	},
	dueDate: []string{
		"termin płatności", "termin zapłaty", "płatne do",
	},
	otherDate: []string{
		"data zamówienia", "data wydruku",
	},
	orderNumber: []string{
		"numer zamówienia", "nr zamówienia", "zamówienie nr",
	},
	deliveryDate: []string{
		"data sprzedaży", "data dostawy", "data wykonania usługi",
	},
	paymentTerms: []string{
		"warunki płatności", "forma płatności", "sposób płatności",
	},
	prepaid: []string{
		"zaliczka*",
	},
	currency: []string{
		"waluta",
	},
	payment: []string{
		"przelew", "płatność",
	},
	earlier: []string{
		"do faktury", "korygowanej",
	},
}
