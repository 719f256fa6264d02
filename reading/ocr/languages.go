package ocr

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// marked are the languages in Latin letters with marks that PP-OCR does not know, by tesseract's names,
// each with frequent words of business documents that the others lack, as PP-OCR reads them: without
// marks.
var marked = []struct {
	name  string
	words []string
}{
	{"deu", []string{"und", "der", "die", "das", "den", "dem", "mit", "von", "vom", "zur", "zum", "auf",
		"bei", "nicht", "sie", "wir", "ihre", "bitte", "rechnung", "rechnungsnummer", "rechnungsdatum",
		"datum", "betrag", "gesamtbetrag", "menge", "seite", "kunde", "kundennummer", "lieferung",
		"steuernummer", "mwst", "ust", "netto", "summe", "zahlbar", "bankverbindung", "beschreibung",
		"anschrift", "strasse", "einzelpreis", "umsatzsteuer", "steuerbetrag", "positionssumme",
		"nettobetrag", "nettopreis", "bestellung", "anzahl", "bezeichnung"}},
	{"fra", []string{"le", "les", "des", "du", "et", "pour", "par", "sur", "avec", "une", "nous", "vous",
		"votre", "facture", "montant", "tva", "siret", "reglement", "paiement", "echeance", "adresse",
		"livraison", "quantite", "prix", "unitaire", "ttc", "ht", "banque", "virement", "commande",
		"taxe", "designation", "numero", "remise"}},
}

// englishWords are frequent words of documents in English, which need no other language.
var englishWords = []string{"the", "of", "and", "to", "for", "from", "with", "by", "is", "are", "your",
	"invoice", "date", "number", "amount", "quantity", "price", "description", "payment", "due", "bill",
	"tax", "thank", "you", "please", "page", "order", "customer", "address", "item", "receipt", "cash",
	"change"}

// minMarked is the number of different words of a language from which a page is read in it.
const minMarked = 4

// europeanFor returns the language of which the words have the most different frequent ones, if the
// request allows it, otherwise the given languages. PP-OCR reads letters without their marks, and
// tesseract reads them only in their language.
func (t *task) europeanFor(words []domain.Word, languages []string) []string {
	seen := map[string]bool{}
	for _, word := range words {
		seen[plainWord(word.Text)] = true
	}
	count := func(list []string) (found int) {
		for _, word := range list {
			if seen[word] {
				found++
			}
		}
		return found
	}
	best, most := "", max(count(englishWords), minMarked-1)
	for _, language := range marked {
		if found := count(language.words); found > most {
			best, most = language.name, found
		}
	}
	allowed := len(t.req.Languages) == 0 || slices.Contains(t.req.Languages, best)
	if best == "" || !allowed || slices.Contains(languages, best) {
		return languages
	}
	return []string{best}
}

// plainWord returns the letters of a word in lower case without marks, if marks are all that the
// engine could add.
func plainWord(text string) string {
	return strings.Map(func(r rune) rune {
		if plain, ok := unmarked[unicode.ToLower(r)]; ok {
			return plain
		}
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

var unmarked = map[rune]rune{'ä': 'a', 'ö': 'o', 'ü': 'u', 'é': 'e', 'è': 'e', 'ê': 'e', 'à': 'a',
	'â': 'a', 'î': 'i', 'ô': 'o', 'û': 'u', 'ç': 'c'}
