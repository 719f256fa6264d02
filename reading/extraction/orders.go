package extraction

import (
	"regexp"
	"strings"

	"countersign/domain/country"
)

var (
	payeeNameLabel = regexp.MustCompile(`(?i)^\W*(?:` + payeeWords + `)(?:['’]s)?(?:\s+name(?: and address)?|名称|姓名|户名)?` +
		`\s*(?:[:：]\s*|$)`)
	// deliveryPlace matches a label of the place to which goods go.
	deliveryPlace = regexp.MustCompile(`(?i)\b(?:(?:to be )?(?:delivered|shipped) to|deliver(?:y)? (?:to|address)|ship to|` +
		`(?:final )?(?:consignee|destination)|(?:port|place) of (?:discharge|delivery)|lieferanschrift|lieferadresse|` +
		`lieferort|warenempfänger|(?:adresse|lieu) de livraison|afleveradres|lugar de entrega)\s*(?:[:：]\s*|$)|` +
		`(?:目的港|收货人|收货地址|交货地点?)\s*[:：]\s*`)
)

// cityOnly is the certainty of a country that only a city shows: below that of a sure value.
const cityOnly = 0.4

// isTitledOrder reports whether the page calls itself an instruction to pay.
func (s *documentLayout) isTitledOrder() bool { return s.orderTitle() != nil }

// orderTitle returns the row in which the page calls itself an instruction to pay, nil if none does.
func (s *documentLayout) orderTitle() *row {
	for i, r := range s.rows {
		if i == 8 || otherTitle.MatchString(r.text) {
			return nil
		}
		if len(r.words) <= 6 && paymentOrderTitle.MatchString(r.text) {
			return r
		}
	}
	return nil
}

// payee returns the party that an order names as its payee, beside or below a label; nothing if several
// labels name different ones.
func (s *documentLayout) payee() finding {
	var found finding
	for _, r := range s.rows {
		blocks := r.segments()
		for i, block := range blocks {
			at := payeeNameLabel.FindStringIndex(block.text)
			if at == nil {
				continue
			}
			next := s.nameAfter(blocks, i, at[1])
			if next.value == "" {
				continue
			}
			if found.value != "" && onlyLetters(found.value) != onlyLetters(next.value) {
				return finding{}
			}
			found = next
		}
	}
	return found
}

// nameAfter returns the name after the label that ends at a byte of the block: in the same block, in the
// next, or in the row below.
func (s *documentLayout) nameAfter(blocks []nameBlock, i, end int) finding {
	block := blocks[i]
	switch {
	case end < len(block.text):
	case i+1 < len(blocks):
		block, end = blocks[i+1], 0
	case block.row.index+1 < len(s.rows):
		below, ok := columnBlock(s.rows[block.row.index+1], block.words[0].Box.X)
		if !ok || below.row.page != block.row.page || strings.ContainsAny(below.text, ":：") {
			return finding{}
		}
		block, end = below, 0
	default:
		return finding{}
	}
	text := beforeAddress(block.text[end:])
	start := block.words[0].at + end
	words := block.row.wordsBetween(start, start+len(text))
	name := cleanName(text)
	if len(words) == 0 || !isNameLike(name) {
		return finding{}
	}
	return finding{raw: text, value: name, words: words, confidence: besideLabel * meanConfidence(words)}
}

// beforeAddress returns the name in a text of a name and an address with commas between. A comma before
// nothing but words may be a part of the name, as in "Fox, Miller and Sons", unless a place follows.
func beforeAddress(text string) string {
	name, rest, ok := strings.Cut(text, ",")
	if !ok {
		return text
	}
	if code, _ := country.OfPlace(rest); code == "" && countDigits(rest) == 0 {
		return text
	}
	return name
}

// withoutAddress returns a name with a legal form without the address that follows it in its line after a
// comma, because a name is compared with those of other documents.
func withoutAddress(b nameBlock) nameBlock {
	for i, w := range b.words[:len(b.words)-1] {
		if !strings.HasSuffix(w.Text, ",") || !strongForm.MatchString(textOf(b.words[:i+1])) {
			continue
		}
		rest := textOf(b.words[i+1:])
		if countDigits(rest) == 0 || !houseAndPlace.MatchString(rest) {
			return b
		}
		return b.row.nameBlock(b.words[:i+1])
	}
	return b
}

// payeeBank matches a label of the payee's bank or of one between.
var payeeBank = regexp.MustCompile(`(?i)^\W*(?:(?:beneficiary|payee|receiving|recipient|intermediary|correspondent)(?:['’]s)? bank|` +
	`bank of (?:the )?(?:beneficiary|payee)|(?:empfänger|begünstigten|zwischen|korrespondenz)bank|` +
	`banque (?:du bénéficiaire|intermédiaire)|banco (?:del beneficiario|intermediario)|收款行|收款银行|中间行)` +
	`[^:：]{0,20}(?:[:：]\s*|$)`)

// bankCountries returns the countries in which an order says that the banks of its payee are.
func (s *documentLayout) bankCountries() (found []finding) {
	for _, r := range s.rows {
		for _, block := range r.segments() {
			at := payeeBank.FindStringIndex(block.text)
			if at == nil || len(found) == maxElsewhere {
				continue
			}
			if next := placeIn(s.addressLines(block, at[1])); next.value != "" {
				found = append(found, next)
			}
		}
	}
	return found
}

// placeIn returns the country of the last line that names a place, with a lower certainty if only a
// city does.
func placeIn(blocks []nameBlock, lines []string) finding {
	for i := len(lines) - 1; i >= 0; i-- {
		code, byCity := country.OfPlace(lines[i])
		if code == "" {
			continue
		}
		words := blocks[i].words
		found := finding{raw: blocks[i].text, value: code, words: words,
			confidence: 0.35 + 0.4*meanConfidence(words)}
		if byCity {
			found.confidence = cityOnly * meanConfidence(words)
		}
		return found
	}
	return finding{}
}

// deliveryCountries returns the countries of the places to which goods go.
func (s *documentLayout) deliveryCountries() (found []finding) {
	labels := 0
	for _, r := range s.rows {
		blocks := r.segments()
		for i, block := range blocks {
			at := deliveryPlace.FindStringIndex(block.text)
			if at == nil {
				continue
			}
			if labels++; labels > maxCountryLabels {
				return found
			}
			from := at[1]
			if from == len(block.text) && i+1 < len(blocks) {
				block, from = blocks[i+1], 0
			}
			if next := placeIn(s.addressLines(block, from)); next.value != "" {
				found = append(found, next)
			}
		}
	}
	return found
}
