package extraction

// italian holds the words of Italian documents.
var italian = language{
	name: "it",
	street: []string{
		"via", "viale", "piazza", "corso", "strada", "largo", "vicolo", "località",
	},
	contact: []string{
		"telefono", "partita iva", "p iva", "codice fiscale", "fattura*", "pec",
	},
	net: []string{
		"imponibile", "totale imponibile",
	},
	tax: []string{
		"iva", "imposta",
	},
	grand: []string{
		"totale fattura", "totale documento", "totale da pagare", "importo totale",
	},
	due: []string{
		"da pagare",
	},
	plain: []string{
		"importo",
	},
	paid: []string{
		"contanti", "contante", "pagato",
	},
	change: []string{
		"resto",
	},
	other: []string{
		"*sconto*",
	},
	date: []string{
		"data",
	},
	issueDate: []string{
		"data fattura", "data documento", "data emissione",
	},
	dueDate: []string{
		"scadenza",
	},
	otherDate: []string{
		"data consegna", "data ordine",
	},
	orderNumber: []string{
		"numero ordine", "ordine n°", "vostro ordine",
	},
	deliveryDate: []string{
		"data di consegna", "data consegna",
	},
	paymentTerms: []string{
		"condizioni di pagamento", "termini di pagamento",
	},
	prepaid: []string{
		"acconto*", "già pagato",
	},
	currency: []string{
		"valuta", "divisa", "importi in",
	},
	payment: []string{
		"pagamento", "pagamenti", "bonifico",
	},
	earlier: []string{
		"originale", "precedente", "rif",
	},
}
