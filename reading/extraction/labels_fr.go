package extraction

// french holds the words of French documents.
var french = language{
	name: "fr",
	street: []string{
		"rue", "avenue", "boulevard", "place", "chemin", "route", "allée", "quai", "cedex",
		"impasse",
	},
	contact: []string{
		"tél*", "téléphone", "télécopie", "siret", "siren", "rcs", "ape", "tva*", "facture*",
		"courriel", "capital",
	},
	sub: []string{
		"sous total*",
	},
	net: []string{
		"total ht*", "montant ht*", "base ht*", "total hors taxe*", "montant hors taxe*",
	},
	tax: []string{
		"tva", "taxe", "total taxes", "montant tva",
	},
	grand: []string{
		"net à payer*", "à payer*", "montant ttc*", "montant total*", "total ttc",
	},
	due: []string{
		"à payer*", "reste à payer*",
	},
	plain: []string{
		"*somme*",
	},
	paid: []string{
		"acompte*", "vers*",
	},
	change: []string{
		"rendu*",
	},
	other: []string{
		"*remise*", "*frais*",
	},
	issueDate: []string{
		"date de facture", "date de la facture", "date facture", "facture du", "*date d'émission*",
		"date d émission",
	},
	dueDate: []string{
		"*échéance*", "à régler avant",
	},
	otherDate: []string{
		"*livraison*", "*commande*", "*arrivée*", "*départ*",
	},
	orderNumber: []string{
		"numéro de commande", "commande n°", "bon de commande", "votre commande",
	},
	deliveryDate: []string{
		"date de livraison", "date de prestation",
	},
	paymentTerms: []string{
		"conditions de paiement", "conditions de règlement", "modalités de paiement",
	},
	prepaid: []string{
		"acompte*", "déjà réglé", "déjà payé",
	},
	currency: []string{
		"devise", "monnaie", "montants en", "montants exprimés en",
	},
	payment: []string{
		"règlement", "règlements", "paiement", "paiements", "virement", "vir sepa", "payé le",
	},
	earlier: []string{
		"initiale", "précédente", "réf", "référence",
	},
}
