package extraction

// german holds the words of German documents.
var german = language{
	name: "de",
	street: []string{
		"*straße", "*str", "*weg", "*platz", "*allee", "*gasse", "*ring", "postfach", "*ufer",
		"*damm",
	},
	contact: []string{
		"telefon*", "fon", "ust*", "steuer*", "iban", "bic", "amtsgericht", "hrb",
		"geschäftsführer*", "kunden*", "rechnung*", "datum*", "seite", "handelsregister", "bank*",
		"sitz",
	},
	sub: []string{
		"*zwischensumme*", "*übertrag*", "positionssumme*",
	},
	net: []string{
		"netto", "*nettobetrag*", "*nettosumme*", "summe netto*", "*summe ohne ust*",
		"*betrag ohne ust*", "*summe ohne mwst*", "*betrag ohne mwst*", "*warenwert*",
		"*basisbetrag*", "*bemessungsgrundlage*", "nettowert*",
	},
	tax: []string{
		"*mwst*", "ust", "umsatzsteuer", "mehrwertsteuer", "steuer", "steuerbetrag", "ust betrag",
	},
	grand: []string{
		"zu zahlen*", "*zahlbetrag*", "*rechnungsbetrag*", "*rechnungssumme*", "*gesamtbetrag*",
		"*gesamtsumme*", "*gesamtpreis*", "*bruttobetrag*", "*bruttosumme*", "*endbetrag*",
		"*endsumme*", "*gesamtforderung*",
	},
	due: []string{
		"zu zahlen*", "*zahlbetrag*", "offener betrag*", "restbetrag", "nachzahlung*",
	},
	plain: []string{
		"*summe*", "betrag*", "gesamt",
	},
	paid: []string{
		"*gegeben*", "bar", "angezahlt",
	},
	change: []string{
		"*rückgeld*", "*wechselgeld*",
	},
	other: []string{
		"*rabatt*", "*menge*", "*anzahl*", "porto*", "*versand*", "*skonto*",
		"*betrag der zuschläge*", "*betrag der abschläge*", "*anzahlungen*",
	},
	date: []string{
		"datum",
	},
	issueDate: []string{
		"*rechnungsdatum*", "*belegdatum*", "*ausstellungsdatum*", "rechnung vom*",
	},
	dueDate: []string{
		"*fällig*", "zahlbar bis*", "*zahlungsziel*", "*zahlungsdatum*",
	},
	otherDate: []string{
		"*bestell*", "*liefer*", "*leistung*", "*gültig*", "*zeitraum*",
		"*anreise*", "*abreise*", "*ankunft*",
	},
	orderNumber: []string{
		"bestellung", "bestellnummer", "bestell nr", "ihre bestellung",
	},
	deliveryDate: []string{
		"lieferdatum", "leistungsdatum", "liefer und leistungsdatum", "lieferzeitpunkt",
		"leistungszeitraum", "leistungszeitpunkt",
	},
	paymentTerms: []string{
		"zahlungsbedingungen", "zahlungsbedingung", "zahlungskonditionen",
	},
	prepaid: []string{
		"*anzahlung*", "*abschlag*", "*abschläge*", "bereits bezahlt", "bereits gezahlt", "vorauszahlung*",
	},
	currency: []string{
		"währung", "*rechnungswährung", "beträge in", "alle beträge in",
	},
	payment: []string{
		"zahlung", "zahlungen", "*zahlungseingang", "überweisung", "bezahlt", "lastschrift",
	},
	earlier: []string{
		"ursprungs*", "ursprüngliche", "bezugs*", "korrigierte", "zu", "zur",
	},
}
