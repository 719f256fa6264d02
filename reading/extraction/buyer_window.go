package extraction

import (
	"regexp"

	"countersign/domain"
)

// inWindow is the certainty of a buyer that has no label, only its place.
const inWindow = 0.45

// windowEnd is the part of a page in hundredths above which the window of a letter is.
const windowEnd = 40

var (
	sellerTitle = regexp.MustCompile(
		`(?i)\b(?:seller|vendor|supplier|from|remit to|verk(?:ä|ae|a)ufer|lieferant|vendeur|fournisseur|verkoper|vendedor|venditore)\b|销售方`)
	deliveryTitle = regexp.MustCompile(
		`(?i)\b(?:ship(?:ped)?\s*to|deliver(?:y|ed)?\b.{0,3}(?:address|to)|lieferadresse|lieferanschrift|adresse de livraison|` +
			`afleveradres|direcci[óo]n de entrega|indirizzo di consegna)`)
)

// windowBuyer returns the party in the window of an invoice in the form of a letter, which has no label:
// a name above a street and a postcode in the upper part of the first page that is not the seller. The
// address of the delivery counts only if there is no other.
func (s *documentLayout) windowBuyer(vendor, address finding) (name, where finding) {
	if !s.isLetter() {
		return name, where
	}
	sellers := s.labelAreas(sellerTitle, 6)
	deliveries := s.labelAreas(deliveryTitle, 6)
	for _, r := range s.rows {
		if r.page != s.rows[0].page || r.box.Y*100 > windowEnd*r.pageHeight {
			break
		}
		for _, block := range r.segments() {
			block.words = trimmedWords(block.words)
			if len(block.words) == 0 || !isBuyerName(block.text) || inLabelArea(block, sellers) ||
				deliveryTitle.MatchString(block.text) || buyerTitle.MatchString(block.text) ||
				numberLabel.MatchString(foldForSearch(block.text)) ||
				domain.PartyKey(block.text) == domain.PartyKey(vendor.value) {
				continue
			}
			delivered := inLabelArea(block, deliveries)
			below := s.addressBelow(block)
			if below.value == "" || below.value == address.value || delivered && name.value != "" {
				continue
			}
			name = finding{raw: textOf(block.words), value: limited(textOf(block.words)),
				words: block.words, confidence: inWindow * meanConfidence(block.words)}
			where = below
			where.confidence = min(where.confidence, name.confidence)
			if !delivered {
				return name, where
			}
		}
	}
	return name, where
}

// isLetter reports whether the document is on a page in the form of a letter and names itself nothing
// that has no buyer.
func (s *documentLayout) isLetter() bool {
	if len(s.rows) == 0 || s.rows[0].pageWidth == 0 {
		return false
	}
	shape := s.rows[0].pageHeight * 100 / s.rows[0].pageWidth
	switch s.documentKind().value {
	case domain.KindReceipt, domain.KindOrder, domain.KindContract, domain.KindStatement:
		return false
	}
	return shape >= 125 && shape <= 150
}
