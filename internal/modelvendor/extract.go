package modelvendor

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/domain"
)

// otherDocument is the text that OtherDocument answers from.
const otherDocument = `Someone Else Ltd
Invoice number: SE-777
Date: 2019-01-31
Currency: USD
Total: 987,654.32
IBAN: GB29 NWBK 6016 1331 9268 19
`

// schema is the part of JSON Schema that the vendor reads.
type schema struct {
	Title string
	// Description is a label if it is short.
	Description string
	Type        any // a name, or a list of names
	Properties  map[string]*schema
	Enum        []any
}

func parseSchema(text json.RawMessage) *schema {
	parsed := &schema{}
	_ = json.Unmarshal(text, parsed) // without a schema the answer is {}
	return parsed
}

// is reports whether a value may have the type.
func (s *schema) is(kind string) bool {
	switch named := s.Type.(type) {
	case string:
		return named == kind
	case []any:
		return slices.Contains(named, any(kind))
	}
	return false
}

// line is a line of a document with its page.
type line struct {
	page int
	text string
}

var (
	documentTag = regexp.MustCompile(`(?is)<document[^>]*>(.*)</document`)
	beginLine   = regexp.MustCompile(`(?m)^BEGIN (\S+)$`)
	strictMark  = regexp.MustCompile(`^--- page (\d{1,4}) ---$`)
	pageMark    = regexp.MustCompile(`(?i)^\W{0,6}(?:page|第)(?:\s+number)?\W{0,3}(\d{1,4})\b`)
	currencies  = regexp.MustCompile(`\b[A-Z]{3}\b|[€$£¥￥]`)
	ibans       = regexp.MustCompile(`[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3}\b)?`)
	amounts     = regexp.MustCompile(`-?\d{1,3}(?:[ .,'’]\d{3})*[.,]\d{2}\b|-?\d+[.,]\d{2}\b|-?\d{1,3}(?:[ .,'’]\d{3})+\b|-?\d+`)
	dates       = regexp.MustCompile(`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{4}年\d{1,2}月\d{1,2}日` +
		`|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}\.? \p{L}+\.? \d{4}|\p{L}+ \d{1,2}, \d{4}`)
)

// documentOf returns the document within a text: what is between tags named document, or between
// lines BEGIN and END with the same mark, or else all of it.
func documentOf(text string) string {
	if within := documentTag.FindStringSubmatch(text); within != nil {
		return within[1]
	}
	if begin := beginLine.FindStringSubmatchIndex(text); begin != nil {
		rest := text[begin[1]:]
		if within, _, ended := strings.Cut(rest, "\nEND "+text[begin[2]:begin[3]]); ended {
			return within
		}
	}
	return text
}

// linesOf returns the lines of the document within a text.
func linesOf(text string) []line {
	text = documentOf(text)
	mark := pageMark
	if strings.Contains(text, "--- page ") {
		mark = strictMark
	}
	var lines []line
	page := 1
	for row := range strings.Lines(text) {
		row = strings.TrimSpace(row)
		if marked := mark.FindStringSubmatch(row); marked != nil {
			page, _ = strconv.Atoi(marked[1])
			continue
		}
		if row != "" {
			lines = append(lines, line{page, row})
		}
	}
	return lines
}

// synonyms are further labels of fields.
var synonyms = map[string][]string{
	domain.FieldNumber: {"invoice number", "invoice no", "receipt no", "rechnungsnummer", "numéro de facture",
		"发票号码", "bill no"},
	domain.FieldDate:     {"invoice date", "rechnungsdatum", "开票日期"},
	domain.FieldDueDate:  {"due", "payable by", "fällig am"},
	domain.FieldTotal:    {"total amount", "grand total", "gesamtbetrag", "价税合计", "amount"},
	domain.FieldNet:      {"subtotal", "net", "netto", "金额合计"},
	domain.FieldTax:      {"vat", "mwst", "税额合计"},
	domain.FieldVendor:   {"seller", "supplier", "销售方", "from"},
	domain.FieldBuyer:    {"bill to", "customer"},
	domain.FieldVATID:    {"vat id", "ust-idnr"},
	domain.FieldCurrency: {"waehrung", "währung"},
}

// maxLabel is the length to which a description is a label.
const maxLabel = 40

// labelsOf returns the labels of a field in lower case, the longest first.
func labelsOf(name string, property *schema) []string {
	labels := append([]string{strings.ReplaceAll(name, "_", " ")}, synonyms[name]...)
	for _, text := range []string{property.Title, property.Description} {
		if text != "" && len(text) <= maxLabel {
			labels = append(labels, text)
		}
	}
	for _, spec := range domain.FieldSpecs() {
		if spec.Name == name {
			labels = append(labels, spec.English, spec.Chinese)
		}
	}
	for i := range labels {
		labels[i] = strings.ToLower(labels[i])
	}
	slices.SortStableFunc(labels, func(a, b string) int { return len(b) - len(a) })
	return labels
}

// found is a value with its page; page 0 = the document lacks it.
type found struct {
	text string
	page int
}

// find returns what follows a label of the field on its line, or the next line. Labels at the start
// of a line come first.
func find(lines []line, labels []string) found {
	for _, within := range []bool{false, true} {
		for _, label := range labels {
			for i, row := range lines {
				rest, ok := afterLabel(row.text, label, within)
				switch {
				case !ok:
				case rest != "":
					return found{rest, row.page}
				case i+1 < len(lines):
					return found{lines[i+1].text, lines[i+1].page}
				}
			}
		}
	}
	return found{}
}

// afterLabel returns what follows the label at the start of a row, or within it.
func afterLabel(row, label string, within bool) (string, bool) {
	lower := strings.ToLower(row)
	at := strings.Index(lower, label)
	if at < 0 || len(lower) != len(row) || at > 0 && !within {
		return "", false
	}
	before, _ := utf8.DecodeLastRuneInString(row[:at])
	first, _ := utf8.DecodeRuneInString(label)
	rest := row[at+len(label):]
	next, _ := utf8.DecodeRuneInString(rest)
	last, _ := utf8.DecodeLastRuneInString(label)
	if at > 0 && isWordRune(before) && isWordRune(first) || rest != "" && isWordRune(next) && isWordRune(last) {
		return "", false
	}
	return strings.Trim(rest, " \t:：#.=|"), true
}

// isWordRune excludes Chinese, which has no spaces between words.
func isWordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Han, r)
}

// extract returns a value of the schema with what the document says.
func extract(text string, s *schema) any {
	return fill(linesOf(text), s, found{}, nil)
}

// fill returns a value of the schema. Within an object that describes one field (value, page, …),
// here is what was found for the field. Replaced values take precedence over the document.
func fill(lines []line, s *schema, here found, replaced map[string]string) any {
	describesField := s.Properties["value"] != nil
	switch {
	case describesField && here.page == 0 && s.is("null"):
		return nil
	case len(s.Properties) > 0:
		object := map[string]any{}
		for name, property := range s.Properties {
			value := partOf(name, here)
			if !describesField || !isPartOfField(name) {
				value = valueOf(lines, name, property, replaced)
			}
			object[name] = fill(lines, property, value, replaced)
		}
		return object
	case s.is("array"):
		return []any{}
	case here.page == 0 && s.is("null"):
		return nil
	case s.is("number") || s.is("integer"):
		return numberOf(here.text)
	case s.is("boolean"):
		return here.page > 0
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, any(here.text)):
		return s.Enum[0]
	}
	return here.text
}

// valueOf returns the value of a field: what was demanded, or what the document prints in the form of
// the field's type.
func valueOf(lines []line, name string, property *schema, replaced map[string]string) found {
	value := find(lines, labelsOf(name, property))
	if other, is := replaced[name]; is {
		return found{other, max(value.page, 1)}
	}
	if name == domain.FieldVendor && value.page == 0 && len(lines) > 0 {
		return found{lines[0].text, lines[0].page}
	}
	if name == domain.FieldCurrency && value.page == 0 {
		value = find(lines, labelsOf(domain.FieldTotal, &schema{}))
	}
	if name == domain.FieldNumber {
		for word := range strings.FieldsSeq(value.text) {
			if strings.ContainsFunc(word, unicode.IsDigit) {
				return found{word, value.page}
			}
		}
	}
	form := formOf(name)
	if form == nil {
		return value
	}
	all := form.FindAllString(value.text, -1)
	switch {
	case len(all) == 0 && form == currencies:
		return found{}
	case len(all) == 0:
		return value
	}
	return found{all[0], value.page}
}

// formOf returns the form in which a page prints a built-in field, nil for any text.
func formOf(name string) *regexp.Regexp {
	for _, spec := range domain.FieldSpecs() {
		if spec.Name == name {
			return map[domain.FieldType]*regexp.Regexp{domain.FieldTypeMoney: amounts, domain.FieldTypeDate: dates,
				domain.FieldTypeIBAN: ibans, domain.FieldTypeCurrency: currencies}[spec.Type]
		}
	}
	return nil
}

func isPartOfField(name string) bool {
	return slices.Contains([]string{"value", "text", "quote", "page"}, name)
}

func partOf(name string, here found) found {
	if name == "page" && here.page > 0 {
		return found{strconv.Itoa(here.page), here.page}
	}
	return here
}

// numberOf reads a number in any writing; the last separator before one or two digits is the
// decimal point.
func numberOf(text string) any {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) && r < unicode.MaxASCII || r == '.' || r == ',' || r == '-' {
			return r
		}
		return -1
	}, text)
	at := strings.LastIndexAny(digits, ".,")
	if at >= 0 && len(digits)-at-1 > 2 {
		at = -1
	}
	whole, fraction := digits, ""
	if at >= 0 {
		whole, fraction = digits[:at], digits[at:]
	}
	whole = strings.NewReplacer(".", "", ",", "").Replace(whole)
	number := strings.TrimSuffix(whole+strings.ReplaceAll(fraction, ",", "."), ".")
	if parsed, err := strconv.ParseFloat(number, 64); err == nil {
		return parsed
	}
	return 0
}
