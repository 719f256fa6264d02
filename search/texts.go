package search

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"

	"countersign/domain"
)

// Kind is the part of a case in which words were found.
type Kind string

// The kinds.
const (
	KindPage       Kind = "page"
	KindSupporting Kind = "supporting_page"
	KindField      Kind = "field"
	KindFileName   Kind = "file_name"
	KindAmount     Kind = "amount"
	KindIBAN       Kind = "iban"
	KindPerson     Kind = "person"
	KindReference  Kind = "reference"
	KindNote       Kind = "note"
)

// Source is what is known about a case.
type Source struct {
	CaseID         domain.ID
	ProcessKey     string
	ProcessVersion int
	Reference      string
	Submitter      string
	FileNames      []string
	Pages          []Page // of the newest revision
	Supporting     []Page // of the supporting documents that no later one replaces
	Fields         []domain.Field
	Orders         []domain.Order // newest first
	Assertions     []domain.AssertionSet
	Staff          []string // names of the people who reviewed the case
	Notes          []string // what people entered as reasons
	SharedNotes    []string // notes for everyone who may read the case
}

// Page is a page of a document.
type Page struct {
	Revision, Number int
	Supporting       int // the number of the supporting document; 0 for a page of the document
	Text             string
}

// Text is one searchable text of a case.
type Text struct {
	Kind  Kind
	Field string // name; "" if it is no field
	Value string // of the field, of which Text is one writing; "" if it is no field
	Text  string
	Page  Page // of KindPage and KindSupporting, without its text
	// Staff says that only viewers who may see the whole case may find it.
	Staff bool
}

// Texts returns the searchable texts of a case, the most important first. Everyone who may read the
// case sees its references, file names, pages, also those of supporting documents, values in force, order and submitter, what machines
// and the submitter stated, and notes for everyone. Other notes are not searched. Only staff who see all of its reviews see other people, their reasons, and
// values of theirs that are not in force: otherwise a hit would show who reviews the case.
func (s *Source) Texts() []Text {
	texts := []Text{{Kind: KindReference, Text: s.Reference}}
	for _, name := range s.FileNames {
		texts = append(texts, Text{Kind: KindFileName, Text: name})
	}
	type named struct {
		field, value string
		staff        bool
	}
	seen := map[named]bool{}
	add := func(field, value, text string, staff bool) {
		if text != "" && !seen[named{field, text, staff}] && !seen[named{field, text, false}] {
			seen[named{field, text, staff}] = true
			texts = append(texts, Text{Kind: kindOfField(field), Field: field, Value: cmp.Or(value, text),
				Text: text, Staff: staff})
		}
	}
	addBoth := func(field, value, raw string, staff bool) {
		if spec, _ := domain.FieldSpecOf(field); spec.Type == domain.FieldTypeChoice {
			add(field, value, raw, staff) // the value is a code
		}
		add(field, value, value, staff)
		add(field, value, raw, staff)
	}
	for i := range s.Fields {
		addBoth(s.Fields[i].Name, s.Fields[i].Normalised, s.Fields[i].Raw, false)
	}
	if len(s.Orders) > 0 {
		addOrder(&s.Orders[0], func(field, value string) { add(field, value, value, false) })
	}
	for i := range s.Assertions {
		set := &s.Assertions[i]
		for j := range set.Assertions {
			a := &set.Assertions[j]
			if a.Suggestion || a.Field == domain.FieldLineItems {
				continue // of a language model: no page shows it; or a hash
			}
			staff := set.Source == domain.SourceHuman || a.Order || domain.ConfidentialField(a.Field)
			addBoth(a.Field, a.Value, a.Raw, staff)
		}
	}
	texts = append(texts, Text{Kind: KindPerson, Text: s.Submitter})
	texts = addPages(texts, KindPage, s.Pages)
	for _, note := range s.SharedNotes {
		texts = append(texts, Text{Kind: KindNote, Text: note})
	}
	for _, name := range s.Staff {
		texts = append(texts, Text{Kind: KindPerson, Text: name, Staff: true})
	}
	for _, note := range s.Notes {
		texts = append(texts, Text{Kind: KindNote, Text: note, Staff: true})
	}
	return addPages(texts, KindSupporting, s.Supporting)
}

func addPages(texts []Text, kind Kind, pages []Page) []Text {
	for _, page := range pages {
		text := page.Text
		page.Text = ""
		texts = append(texts, Text{Kind: kind, Text: text, Page: page})
	}
	return texts
}

// kindOfField returns the kind of a field's values. Fields that only a document type has are fields.
func kindOfField(name string) Kind {
	switch name {
	case domain.FieldNumber, domain.FieldOrderNumber, domain.FieldReference, domain.FieldInvoiceCode:
		return KindReference
	case domain.FieldPayerAccount:
		return KindIBAN
	}
	spec, _ := domain.FieldSpecOf(name)
	switch spec.Type {
	case domain.FieldTypeMoney:
		return KindAmount
	case domain.FieldTypeIBAN:
		return KindIBAN
	}
	return KindField
}

// The weights of words, as Postgres names them, from the most important; D is what only staff see.
const (
	weightA = 1 << iota
	weightB
	weightC
	weightD
)

func (t *Text) weight() int {
	switch {
	case t.Staff:
		return weightD
	case t.Kind == KindPage || t.Kind == KindSupporting || t.Kind == KindNote:
		return weightC
	case t.Kind == KindField || t.Kind == KindPerson:
		return weightB
	}
	return weightA
}

// The bounds of what is indexed of a case. Postgres refuses a tsvector of 1 MB, and a document must
// not stop the index.
const (
	maxTokens = 20_000
	maxBytes  = 500_000
)

// Index are the searchable words of a case.
type Index struct {
	tokens  map[string]int // token -> weights
	size    int
	sorted  []keyed // the tokens in the order of their bytes
	scanner scanner
}

// NewIndex returns the words of texts. What exceeds the bounds is left out: texts come in the order of
// their importance.
func NewIndex(texts []Text) *Index {
	x := &Index{}
	x.Fill(texts)
	return x
}

// maxReused is the greatest number of tokens of an index whose memory the next case uses again.
const maxReused = 4096

// Fill replaces the words of the index by those of texts, so that many cases share its memory.
func (x *Index) Fill(texts []Text) {
	if x.tokens == nil || len(x.tokens) > maxReused {
		x.tokens = make(map[string]int, 512)
	}
	clear(x.tokens)
	x.size = 0
	for i := range texts {
		weight := texts[i].weight()
		add := func(token Token) { x.add(token.Text, weight) }
		x.scanner.scan(texts[i].Text, add)
		if texts[i].Kind == KindFileName {
			x.scanner.scan(SplitName(texts[i].Text), add)
		}
	}
	x.sort()
}

// keyed is a token with its first eight bytes as a number, which most comparisons need only.
type keyed struct {
	key   uint64
	token string
}

func (x *Index) sort() {
	x.sorted = x.sorted[:0]
	for token := range x.tokens {
		var first [8]byte
		copy(first[:], token)
		x.sorted = append(x.sorted, keyed{binary.BigEndian.Uint64(first[:]), token})
	}
	slices.SortFunc(x.sorted, func(a, b keyed) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return strings.Compare(a.token, b.token)
	})
}

func (x *Index) add(token string, weight int) {
	weights, known := x.tokens[token]
	if token == "" || weights&weight != 0 ||
		!known && (len(x.tokens) >= maxTokens || x.size+len(token) > maxBytes) {
		return
	}
	if !known {
		x.size += len(token) + 8
	}
	x.tokens[token] = weights | weight
}

// vectorEnds are what follows a word in a vector, by its weights: the number of its positions and these.
// The best weight that everyone sees is at position 1, and D at position 2.
var vectorEnds = func() (ends [16][]byte) {
	for weights := range ends {
		var positions []uint16
		switch {
		case weights&weightA != 0:
			positions = append(positions, 3<<14|1)
		case weights&weightB != 0:
			positions = append(positions, 2<<14|1)
		case weights&weightC != 0:
			positions = append(positions, 1<<14|1)
		}
		if weights&weightD != 0 {
			positions = append(positions, 0<<14|2)
		}
		ends[weights] = append(ends[weights], 0, 0, byte(len(positions)))
		for _, position := range positions {
			ends[weights] = binary.BigEndian.AppendUint16(ends[weights], position)
		}
	}
	return ends
}()

// Vector returns the words as Postgres receives a tsvector in its binary form: the number of words, then
// each with a zero, the number of its positions and the positions. The words are in the order of their
// bytes, so that Postgres neither parses nor sorts.
func (x *Index) Vector() []byte {
	vector := make([]byte, 0, 4+x.size)
	vector = binary.BigEndian.AppendUint32(vector, uint32(len(x.sorted))) //nolint:gosec // at most maxTokens
	for i := range x.sorted {
		token := x.sorted[i].token
		vector = append(vector, token...)
		vector = append(vector, vectorEnds[x.tokens[token]]...)
	}
	return vector
}

// SplitName puts blanks between the parts of a file name that only a change of case or a digit
// separates, as in FreightInvoice2024.pdf.
func SplitName(name string) string {
	var parts strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) ||
			unicode.IsDigit(r) != unicode.IsDigit(before) && unicode.IsLetter(r) != unicode.IsLetter(before) {
			parts.WriteByte(' ')
		}
		parts.WriteRune(r)
		before = r
	}
	return parts.String()
}

// addOrder adds the values of a payment order.
func addOrder(order *domain.Order, add func(field, value string)) {
	add(domain.FieldPayer, order.Payer)
	add(domain.FieldVendor, order.Payee)
	add(domain.FieldIBAN, order.Account)
	add(domain.FieldBIC, order.BIC)
	add(domain.FieldPurpose, order.Purpose)
	add(domain.FieldReference, order.Reference)
	add(domain.FieldTotal, order.Amount.String())
}
