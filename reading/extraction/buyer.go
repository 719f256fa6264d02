package extraction

import (
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

var (
	// buyerTitle matches a label of the party that is billed; where goods are shipped to may be
	// another party.
	buyerTitle = regexp.MustCompile(`(?i)\bbill(?:ed)?\s*to\b|\bsold\s*to\b|\binvoice\s*to\b|\bbuyer\b|` +
		`\bk(?:ä|ae|a)ufer\b|rechnungsempf(?:ä|ae|a)nger|rechnungsadresse|factuuradres|\bfactur[ée]\s*(?:à|a)\b|` +
		`\bcliente?\b|\bklant\b|\bcustomer\b|购买方|购货单位`)
	otherBuyerLabel = regexp.MustCompile(
		`(?i)^\W*(?:no|nr|id|ref|number|nummer|code|vat|tax|service|order|p\.?o)\b|^[\pL\s]{0,20}nummer\b|^\W*gln\b`)
	partyNameLabel = regexp.MustCompile(`(?i)^\W*(?:name|nom|naam|nombre|nome|名\s*称)\s*[:：]\s*`)
	// compoundTitle matches the rest of a title such as Käufer/Leistungsempfänger.
	compoundTitle = regexp.MustCompile(`^[/(-][^\s:：]*`)
	salutation    = regexp.MustCompile(`(?i)^(?:herrn?|frau|firma|mrs?|ms|m|mme)\.?$`)
	// endsTitle matches what follows a title: nothing, a colon or another title. Only a title such as
	// bill to may be followed by a name immediately.
	endsTitle = regexp.MustCompile(`^\s*(?:$|[:：/(-])`)
	opensName = regexp.MustCompile(`(?i)(?:to|à|\sa)$`)
	// codeBeforeCity matches the code of the country before the postcode.
	codeBeforeCity = regexp.MustCompile(`, [A-Z]{1,2}[ -](\d{4,5}\b)`)
	// openLabel matches a label whose value is in the next column.
	openLabel     = regexp.MustCompile(`[:：]\s*$`)
	buyerVATLabel = regexp.MustCompile(
		`(?i)(?:your|customer|buyer|client|kunden|ihre?|votre|uw)\W{0,2}\s*(?:s?\s*)?(?:vat|ust|umsatzsteuer|tva|btw|mwst)|` +
			`(?:vat|ust|tva|btw|mwst|iva)\b[^\d:]{0,20}\b(?:(?:du|of the|des)\s+)?(?:client|customer|buyer|acheteur|kunden|klant|cliente|afnemer|koper|cessionario|committente|leistungsempfängers?)\b`)
	// anyVATLabel matches the label of the number of any party.
	anyVATLabel = regexp.MustCompile(`(?i)\b(?:vat|ust|umsatzsteuer|tva|btw|mwst|iva)\b`)
)

// maxBuyerLines is the number of rows below a label in which the name is looked for.
const maxBuyerLines = 4

// buyer returns the party that is billed, by a label, and the address below its name. It is never the
// vendor.
func (s *documentLayout) buyer(vendor, address finding) (name, where finding) {
	for _, r := range s.rows {
		for _, block := range r.segments() {
			at := buyerTitle.FindStringIndex(block.text)
			if at == nil || at[0] > maxDistance || len(name.words) > 0 ||
				anyVATLabel.MatchString(block.text) {
				continue
			}
			title, rest := block.text[at[0]:at[1]], block.text[at[1]:]
			if !endsTitle.MatchString(rest) && !opensName.MatchString(title) {
				continue
			}
			line := s.buyerLine(block, rest)
			if len(line.words) == 0 || domain.PartyKey(line.text) == domain.PartyKey(vendor.value) {
				continue
			}
			name = finding{raw: textOf(line.words), value: limited(line.text), words: line.words,
				confidence: belowLabel * meanConfidence(line.words)}
			where = s.addressBelow(line)
			if where.value == address.value {
				where = finding{}
			}
		}
	}
	if len(name.words) == 0 {
		return s.windowBuyer(vendor, address)
	}
	return name, where
}

// buyerLine returns the name beside a label of the buyer, or below it in its column.
func (s *documentLayout) buyerLine(block nameBlock, rest string) nameBlock {
	rest = strings.TrimLeft(compoundTitle.ReplaceAllString(rest, ""), " .:：")
	at := strings.LastIndex(block.row.text, rest)
	if isBuyerName(partyNameLabel.ReplaceAllString(rest, "")) && at >= 0 {
		words := trimmedWords(block.row.wordsBetween(at, at+len(rest)))
		return namedLine(nameBlock{block.row, words, rest})
	}
	if rest != "" {
		return nameBlock{}
	}
	column := block.words
	for i := block.row.index + 1; i < len(s.rows) && i <= block.row.index+maxBuyerLines; i++ {
		below := columnOf(s.rows[i], column)
		above := s.rows[i-1].box
		if s.rows[i].page != block.row.page || s.rows[i].box.Y-above.Y > 4*above.H {
			break
		}
		if len(below.words) == 0 {
			continue
		}
		if openLabel.MatchString(below.text) {
			if !partyNameLabel.MatchString(below.text) {
				continue
			}
			if below = nextSegment(below); len(below.words) == 0 {
				continue
			}
		}
		named := namedLine(below)
		if len(named.words) > 0 && isBuyerName(named.text) {
			return named
		}
		if !otherBuyerLabel.MatchString(below.text) && !salutation.MatchString(below.text) {
			break // a number, or the rows of a table
		}
	}
	return nameBlock{}
}

// nextSegment returns the segment right of another one in its row.
func nextSegment(block nameBlock) nameBlock {
	last := block.words[len(block.words)-1]
	for _, segment := range block.row.segments() {
		if segment.words[0].at > last.at {
			return segment
		}
	}
	return nameBlock{}
}

// namedLine returns the line without the word name before its colon.
func namedLine(line nameBlock) nameBlock {
	text := partyNameLabel.ReplaceAllString(line.text, "")
	if text == line.text {
		return line
	}
	at := strings.LastIndex(line.row.text, text)
	if at < 0 {
		return nameBlock{}
	}
	return nameBlock{line.row, trimmedWords(line.row.wordsBetween(at, at+len(text))), text}
}

// isBuyerName reports whether a text can be the name of a party and is no label, number or address.
func isBuyerName(text string) bool {
	return isNameLike(text) && !otherBuyerLabel.MatchString(text) && !salutation.MatchString(text) &&
		!fieldLabel.MatchString(text) && !houseNumber.MatchString(text) &&
		!postcode.MatchString(text) && len(findDates(text, false)) == 0 && !priceAtEnd.MatchString(text) &&
		countDigits(text)*3 < len(text)
}

// maxAboveStreet is the number of heights of a name between its top and that of the street below it:
// three lines, because a department or a person can be between them.
const maxAboveStreet = 7

// addressBelow returns the address that begins below a name, in its column.
func (s *documentLayout) addressBelow(name nameBlock) finding {
	top, height := name.words[0].Box.Y, name.words[0].Box.H
	for i := name.row.index + 1; i < len(s.rows) && i <= name.row.index+maxAboveStreet; i++ {
		line := columnOf(s.rows[i], name.words)
		if s.rows[i].page != name.row.page || s.rows[i].box.Y-top > maxAboveStreet*height {
			break
		}
		if !isAddressLine(line) || !overlapsWords(line.words, name.words) {
			continue
		}
		block := s.addressIn(line, nil)
		if len(block.lines) > 0 && overlapsWords(block.lines[0].words, name.words) && block.postcode &&
			block.streets > 0 {
			found := s.addressFinding(block)
			found.value = codeBeforeCity.ReplaceAllString(found.value, ", $1")
			return found
		}
	}
	return finding{}
}

// isBuyersVAT reports whether the last label before a VAT number says that it is the buyer's.
func isBuyersVAT(before string) bool {
	labels := buyerVATLabel.FindAllStringIndex(before, -1)
	if len(labels) == 0 {
		return false
	}
	last := labels[len(labels)-1][1]
	return !anyVATLabel.MatchString(before[last:])
}

// buyerVATID returns the VAT number that a label gives to the buyer.
func (s *documentLayout) buyerVATID(vendor finding) finding {
	for _, r := range s.rows {
		label := buyerVATLabel.FindStringIndex(r.text)
		if label == nil {
			continue
		}
		for _, shape := range []*regexp.Regexp{vatShape, labelledVATShape} {
			at := shape.FindStringSubmatchIndex(r.text[label[1]:])
			if at == nil {
				continue
			}
			from, to := label[1]+at[2], label[1]+at[3]
			value, words := compact(r.text[from:to]), r.wordsBetween(from, to)
			if ValidIBAN(value) || len(words) == 0 || slices.Equal(words, vendor.words) {
				continue
			}
			return finding{raw: r.text[from:to], value: value, words: words,
				confidence: besideLabel * meanConfidence(words)}
		}
	}
	return finding{}
}
