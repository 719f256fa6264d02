package extraction

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
)

const (
	// unproven is the highest confidence of a value that memory selected. It is below the confidence
	// from which no person has to look.
	unproven = 0.5
	// proven is the confidence of a vendor whose tax number is printed.
	proven = 0.85
	// sureReading is the confidence from which memory leaves a reading alone.
	sureReading = 0.8
	// legible is the confidence from which a name with a legal form is one, whatever the header is.
	legible = 0.6
	// minOverlap is the share of a lesson's header that a page must show to be one of the same vendor,
	// minLead the lead over every other vendor, and minShown the number of words and numbers.
	minOverlap, minLead, minShown = 0.5, 0.15, 4
)

// knownVendor is a vendor by the lessons about it.
type knownVendor struct {
	name    string // as confirmed last
	lessons []domain.Lesson
	overlap float64 // share of the best lesson's header that the page shows
	shown   int     // words and numbers of that header
	block   nameBlock
}

// recognise returns the vendor of the page among the lessons, nil if there is none or more than
// one. Either the page shows most of the header of an earlier document, and clearly less of the
// header of any other vendor, or it shows nearly the name of one and of no other.
func (s *documentLayout) recognise(lessons []domain.Lesson) *knownVendor {
	vendors := s.knownVendors(lessons)
	if len(vendors) == 0 {
		return nil
	}
	var named []*knownVendor
	for _, v := range vendors {
		if len(v.block.words) > 0 {
			named = append(named, v)
		}
	}
	best := vendors[0]
	clear := best.overlap >= minOverlap && best.shown >= minShown &&
		(len(vendors) == 1 || best.overlap-vendors[1].overlap >= minLead)
	switch {
	case len(named) > 1:
		return nil
	case clear && (len(named) == 0 || named[0] == best):
		return best
	case clear:
		return nil
	case len(named) == 1:
		return named[0]
	}
	return nil
}

// knownVendors groups the lessons by vendor and compares each with the page, the most similar first.
func (s *documentLayout) knownVendors(lessons []domain.Lesson) []*knownVendor {
	groups := map[string]*knownVendor{}
	for _, lesson := range lessons {
		key := domain.PartyKey(lesson.Name)
		if groups[key] == nil {
			groups[key] = &knownVendor{}
		}
		groups[key].name = lesson.Name
		groups[key].lessons = append(groups[key].lessons, lesson)
	}
	shown := s.header()
	blocks := s.topNames()
	vendors := slices.Collect(maps.Values(groups))
	for _, v := range vendors {
		for _, lesson := range v.lessons {
			common := 0
			for _, word := range lesson.Header {
				if _, ok := slices.BinarySearch(shown, word); ok {
					common++
				}
			}
			if overlap := float64(common) / float64(max(1, len(lesson.Header))); overlap > v.overlap {
				v.overlap, v.shown = overlap, common
			}
		}
		for _, b := range blocks {
			if len(v.block.words) == 0 && showsName(tidyName(b.text), v.name) {
				v.block = b
			}
		}
	}
	slices.SortFunc(vendors, func(a, b *knownVendor) int {
		return cmp.Or(cmp.Compare(b.overlap, a.overlap), strings.Compare(a.name, b.name))
	})
	return vendors
}

// showsName reports whether a text is a name of which one letter in eight may be misread, or starts
// with one that ends in a legal form. Letters and the digits for which engines take them are equal.
func showsName(text, name string) bool {
	text = attachedNumber.ReplaceAllString(text, " ")
	want := lookalikes.Replace(onlyLetters(name))
	if len([]rune(want)) < minMisread {
		return false
	}
	allowed := max(1, len([]rune(want))/8)
	if isNear(lookalikes.Replace(onlyLetters(text)), want, allowed) {
		return true
	}
	words := strings.Fields(name)
	for size := 2; size < len(strings.Fields(text)) && legalWord.MatchString(words[len(words)-1]); size++ {
		start := strings.Join(strings.Fields(text)[:size], " ")
		if legalEnd.MatchString(start) &&
			isNear(lookalikes.Replace(onlyLetters(start)), want, allowed) {
			return true
		}
	}
	return false
}

// lookalikes replaces digits by the upper-case letters that look like them.
var lookalikes = strings.NewReplacer("0", "O", "1", "I", "L", "I", "5", "S", "8", "B", "2", "Z", "6", "G")

// legalEnd matches a name up to its legal form.
var legalEnd = regexp.MustCompile(`(?i)\b(bhd|gmbh|ltd|limited|inc|llc|plc|ag|kg|b\.?v|s/?b|pte|corp)\.?$`)

// attachedNumber matches a register number in brackets, also without a space before it.
var attachedNumber = regexp.MustCompile(`\s*[(（'][A-Z]{0,2}\d{4,}[^)）]*[)）]?`)

// topNames returns the parts of the first page's top rows that may be the name of the vendor.
func (s *documentLayout) topNames() []nameBlock {
	bought := s.labelAreas(buyerLabel, 6)
	var blocks []nameBlock
	for i, r := range s.rows {
		if i == headerRows || r.page != s.rows[0].page {
			break
		}
		for _, b := range r.nameBlocks() {
			if !isNameLike(b.text) || inLabelArea(b, bought) {
				continue
			}
			blocks = append(blocks, b)
			if complete := s.completeName(b); len(complete.words) > len(b.words) {
				blocks = append(blocks, complete)
			}
		}
	}
	return blocks
}

// vendorFinding returns the confirmed name of the vendor for a document that was read as read. ok is
// false if memory leaves the reading alone.
func (v *knownVendor) vendorFinding(read, taxID finding) (finding, bool) {
	isNamed := len(v.block.words) > 0
	if read.confidence >= sureReading || domain.PartyKey(read.value) == domain.PartyKey(v.name) ||
		!isNamed && read.confidence >= legible && strongForm.MatchString(read.value) {
		return finding{}, false
	}
	found := finding{raw: v.block.text, value: v.name, words: v.block.words,
		confidence: min(unproven, max(read.confidence, 0.3)), learnedFrom: v.newest().Case,
		inferred: true}
	if !isNamed {
		found.raw, found.words = read.raw, read.words
	}
	if isNamed && domain.PartyKey(tidyName(v.block.text)) == domain.PartyKey(v.name) {
		found.inferred = false // the page shows the name itself
	}
	if taxID.value != "" && slices.ContainsFunc(v.lessons,
		func(l domain.Lesson) bool { return l.TaxID == onlyLetters(taxID.value) }) {
		found.confidence = proven
	}
	return found, true
}

func (v *knownVendor) newest() domain.Lesson { return v.lessons[len(v.lessons)-1] }

// anchors returns the places of the field on earlier documents.
func (v *knownVendor) anchors() []domain.Anchor {
	var all []domain.Anchor
	for _, lesson := range v.lessons {
		all = append(all, lesson.Anchors...)
	}
	return all
}

// withMemory returns the fields with what memory changes, and those that it changed as they were
// read without it. Memory changes which of the printed values is taken for number, date and total,
// and the name of the vendor; never an account.
func (s *documentLayout) withMemory(
	vendor *knownVendor, hints Hints, read map[string]finding,
) (fields, unaided []domain.Field) {
	again, _, _ := s.findFields(hints, vendor.anchors())
	found, changed := maps.Clone(read), map[string]finding{}
	change := func(name string, f finding) {
		if present, ok := read[name]; ok {
			changed[name] = present
		}
		found[name] = f
	}
	for _, name := range []string{domain.FieldNumber, domain.FieldDate, domain.FieldTotal} {
		f, ok := again[name]
		if !ok || f.value == "" || f.value == read[name].value || read[name].confidence >= sureReading {
			continue
		}
		f.confidence, f.learnedFrom = min(f.confidence, unproven), vendor.newest().Case
		change(name, f)
	}
	if f, ok := vendor.vendorFinding(read[domain.FieldVendor], read[domain.FieldVATID]); ok {
		change(domain.FieldVendor, f)
	}
	return orderedFields(found), orderedFields(changed)
}

// preferAnchored raises the score of the amounts at the places of earlier totals.
func (s *documentLayout) preferAnchored(candidates []*candidate, anchors []domain.Anchor) {
	for _, c := range candidates {
		if s.isAnchored(anchors, domain.FieldTotal, c.row, c.words, c.from) {
			c.score += anchorScore
		}
	}
}
