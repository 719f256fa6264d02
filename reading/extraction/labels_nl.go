package extraction

// dutch holds the words of Dutch documents.
var dutch = language{
	name: "nl",
	street: []string{
		"*straat", "*weg", "*laan", "*plein", "*kade", "*gracht", "postbus", "*dijk",
	},
	contact: []string{
		"telefoon", "kvk", "btw*", "factuur*", "factuurdatum", "klant*", "rekening*",
	},
	sub: []string{
		"*subtotaal*",
	},
	net: []string{
		"*grondslag*", "excl btw", "exclusief btw", "totaal excl*",
	},
	tax: []string{
		"btw", "btw bedrag",
	},
	grand: []string{
		"te betalen*", "totaal incl*", "totaal bedrag", "totaalbedrag*", "factuur totaal*",
	},
	due: []string{
		"te betalen*",
	},
	plain: []string{
		"*totaal*", "*bedrag*",
	},
	paid: []string{
		"contant", "betaald",
	},
	change: []string{
		"wisselgeld*",
	},
	other: []string{
		"*korting*", "verzendkosten",
	},
	date: []string{
		"datum",
	},
	issueDate: []string{
		"*factuurdatum*",
	},
	dueDate: []string{
		"vervald*", "betalen vóór", "betalen voor", "uiterste betaaldatum",
	},
	otherDate: []string{
		"*besteldatum*", "leverdatum",
	},
	orderNumber: []string{
		"bestelnummer", "ordernummer", "uw bestelling",
	},
	deliveryDate: []string{
		"leverdatum", "leveringsdatum",
	},
	paymentTerms: []string{
		"betalingsvoorwaarden", "betalingsconditie",
	},
	prepaid: []string{
		"reeds betaald", "aanbetaling*", "vooruitbetaald",
	},
	currency: []string{
		"valuta", "munteenheid", "bedragen in",
	},
	payment: []string{
		"betaling", "betalingen", "overboeking", "overschrijving",
	},
	earlier: []string{
		"oorspronkelijke", "vorige",
	},
}
