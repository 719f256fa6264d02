package extraction

// swedish holds the words of Swedish documents.
var swedish = language{
	name: "sv",
	street: []string{
		"*gatan", "*vägen", "*torget",
	},
	contact: []string{
		"telefon", "org nr", "orgnr", "organisationsnummer", "momsreg*", "bankgiro", "plusgiro", "faktura*", "kvitto*",
	},
	sub: []string{
		"delsumma",
	},
	net: []string{
		"netto", "summa exkl*", "belopp exkl*", "exkl moms",
	},
	tax: []string{
		"moms", "varav moms", "momsbelopp",
	},
	grand: []string{
		"att betala", "summa att betala", "totalt att betala", "fakturabelopp", "summa inkl*", "totalt inkl*",
	},
	due: []string{
		"kvar att betala",
	},
	plain: []string{
		"summa", "totalt",
	},
	paid: []string{
		"kontant", "betalat", "kort",
	},
	change: []string{
		"växel",
	},
	other: []string{
		"*rabatt*", "öresavrundning", "öresutjämning", "antal",
	},
	issueDate: []string{
		"fakturadatum",
	},
	dueDate: []string{
		"förfallodatum", "förfallodag", "förfaller",
	},
	otherDate: []string{
		"orderdatum",
	},
	orderNumber: []string{
		"ordernummer", "ordernr", "er order",
	},
	deliveryDate: []string{
		"leveransdatum",
	},
	paymentTerms: []string{
		"betalningsvillkor",
	},
	prepaid: []string{
		"förskott*", "redan betalt",
	},
	currency: []string{
		"valuta",
	},
	payment: []string{
		"betalning", "betalningar",
	},
	earlier: []string{
		"avser", "tidigare",
	},
}
