package main

import (
	"math/rand/v2"
	"slices"
	"strings"

	"countersign/domain"
)

// readingError is one way in which a scan is misread.
type readingError struct {
	name   string
	share  float64 // of scans
	roles  []string
	change func(*rand.Rand, string) string
	// every says that all rows of the roles are misread in the same way, not only one of them.
	every bool
	// confidences are those of misread rows; empty for those of other rows.
	confidences []float64
}

// write returns the file of a document. A scan has the errors that chance gives it.
func (d *document) write(random *rand.Rand) ([]byte, error) {
	if d.sameFile {
		return d.duplicateOf.content, nil
	}
	rows := d.lines()
	f := file{Source: domain.SourceText, Image: d.image}
	switch d.medium {
	case asXML:
		f.XML = d.xml()
	case asScan:
		f.Source = domain.SourceOCR
		rows = d.misread(random, rows)
	case asText:
	}
	for _, row := range rows {
		confidence := 1.0
		if d.medium == asScan {
			confidence = row.confidence
			if confidence == 0 {
				confidence = pick(random, confidences)
			}
		}
		f.Rows = append(f.Rows, fileRow{row.text, confidence})
	}
	var err error
	d.content, err = f.bytes()
	return d.content, err
}

// misread applies the errors of reading.
func (d *document) misread(random *rand.Rand, rows []line) []line {
	d.reader = nil
	for _, failure := range readingErrors {
		if random.Float64() >= failure.share {
			continue
		}
		at := slices.IndexFunc(rows,
			func(row line) bool { return slices.Contains(failure.roles, row.role) })
		if at < 0 {
			continue
		}
		d.reader = append(d.reader, failure.name)
		seed := random.Uint64()
		confidence := 0.0
		if len(failure.confidences) > 0 {
			confidence = pick(random, failure.confidences)
		}
		for i := range rows {
			if !slices.Contains(failure.roles, rows[i].role) || !failure.every && i != at {
				continue
			}
			again := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // made-up documents
			rows[i].text = failure.change(again, rows[i].text)
			if confidence > 0 {
				rows[i].confidence = confidence
			}
		}
	}
	return slices.DeleteFunc(rows, func(row line) bool { return row.text == "" })
}

// lastNumber returns where the last word of digits of a row begins; -1 if there is none.
func lastNumber(text string) int {
	fields := strings.Fields(text)
	for _, word := range slices.Backward(fields) {
		if strings.ContainsAny(word, "0123456789") {
			return strings.LastIndex(text, word)
		}
	}
	return -1
}

// inNumber changes the last word of a row that has digits.
func inNumber(text string, change func(string) string) string {
	at := lastNumber(text)
	if at < 0 {
		return text
	}
	word, rest, _ := strings.Cut(text[at:], " ")
	if rest != "" {
		rest = " " + rest
	}
	return text[:at] + change(word) + rest
}

// digitPlaces returns where a word has digits before its decimals.
func digitPlaces(word string) []int {
	var places []int
	for at, char := range word {
		if char == '.' {
			break
		}
		if char >= '0' && char <= '9' {
			places = append(places, at)
		}
	}
	return places
}

func dropDigit(random *rand.Rand, text string) string {
	return inNumber(text, func(word string) string {
		places := digitPlaces(word)
		if len(places) < 2 {
			return word
		}
		at := pick(random, places)
		return word[:at] + word[at+1:]
	})
}

// alike are digits that engines take for each other.
var alike = map[byte]string{'0': "86", '1': "74", '2': "7", '3': "85", '4': "1", '5': "63",
	'6': "58", '7': "12", '8': "36", '9': "4"}

func changeDigit(random *rand.Rand, text string) string {
	return inNumber(text, func(word string) string {
		places := digitPlaces(word)
		if len(places) == 0 {
			return word
		}
		at := pick(random, places)
		others := alike[word[at]]
		return word[:at] + string(others[random.IntN(len(others))]) + word[at+1:]
	})
}

// changeDay changes a digit of the first word with digits, which is the date in a row with a time.
func changeDay(random *rand.Rand, text string) string {
	words := strings.Fields(text)
	at := slices.IndexFunc(words,
		func(word string) bool { return strings.ContainsAny(word, "0123456789") })
	if at >= 0 {
		words[at] = changeDigit(random, words[at])
	}
	return strings.Join(words, " ")
}

// dropPoint loses the decimal point, so that 1,589.80 becomes 158980.
func dropPoint(_ *rand.Rand, text string) string {
	return inNumber(text, func(word string) string {
		return strings.NewReplacer(".", "", ",", "").Replace(word)
	})
}

// dropCurrency loses the code of the currency.
func dropCurrency(_ *rand.Rand, text string) string {
	words := strings.Fields(text)
	return strings.Join(slices.DeleteFunc(words, domain.KnownCurrency), " ")
}

func letterForDigit(_ *rand.Rand, text string) string {
	return inNumber(text, func(word string) string {
		return strings.NewReplacer("0", "O", "1", "I").Replace(word)
	})
}

// smear makes a row illegible.
func smear(random *rand.Rand, text string) string {
	const noise = "~=_|'.-"
	smeared := []byte(text)
	for i := range smeared {
		if smeared[i] != ' ' && random.IntN(2) == 0 {
			smeared[i] = noise[random.IntN(len(noise))]
		}
	}
	return string(smeared)
}

func misreadLetter(random *rand.Rand, text string) string {
	at := 1 + random.IntN(max(1, len(text)-2))
	return text[:at] + pick(random, []string{"i", "l", "rn", "", "c"}) + text[min(len(text), at+1):]
}

// otherName puts a line that is not the vendor's name where the name is.
func otherName(random *rand.Rand, text string) string {
	return pick(random, []string{"Scanned copy Ltd", "Fresh ideas since 1921", "Page One GmbH"}) +
		" " + text[:1]
}

func lose(*rand.Rand, string) string { return "" }
