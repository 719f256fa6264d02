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
	Title      string
	Type       any // a name, or a list of names
	Properties map[string]*schema
	Enum       []any
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
	pageMark    = regexp.MustCompile(`(?i)^\W{0,6}(?:page|第)(?:\s+number)?\W{0,3}(\d{1,4})\b`)
	amount      = regexp.MustCompile(`-?\d[\d .,'’]*\d|\d`)
)

// linesOf returns the lines of the document within a text: what is between tags named document, or
// else all of it.
func linesOf(text string) []line {
	if within := documentTag.FindStringSubmatch(text); within != nil {
		text = within[1]
	}
	var lines []line
	page := 1
	for row := range strings.Lines(text) {
		row = strings.TrimSpace(row)
		if mark := pageMark.FindStringSubmatch(row); mark != nil {
			page, _ = strconv.Atoi(mark[1])
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

// labelsOf returns the labels of a field in lower case, the longest first.
func labelsOf(name, title string) []string {
	labels := []string{strings.ToLower(strings.ReplaceAll(name, "_", " "))}
	if title != "" {
		labels = append(labels, strings.ToLower(title))
	}
	for _, spec := range domain.FieldSpecs() {
		if spec.Name == name {
			labels = append(labels, strings.ToLower(spec.English), strings.ToLower(spec.Chinese))
		}
	}
	labels = append(labels, synonyms[name]...)
	slices.SortStableFunc(labels, func(a, b string) int { return len(b) - len(a) })
	return labels
}

// found is a value with its page; page 0 = the document lacks it.
type found struct {
	text string
	page int
}

// find returns what follows the first label of the field on its line, or the next line.
func find(lines []line, labels []string) found {
	for _, label := range labels {
		for i, row := range lines {
			rest, ok := afterLabel(row.text, label)
			switch {
			case !ok:
			case rest != "":
				return found{rest, row.page}
			case i+1 < len(lines):
				return found{lines[i+1].text, lines[i+1].page}
			}
		}
	}
	return found{}
}

// afterLabel returns what follows the label at the start of a row.
func afterLabel(row, label string) (string, bool) {
	lower := strings.ToLower(row)
	if len(lower) != len(row) || !strings.HasPrefix(lower, label) {
		return "", false
	}
	rest := row[len(label):]
	next, _ := utf8.DecodeRuneInString(rest)
	last, _ := utf8.DecodeLastRuneInString(label)
	if rest != "" && isWordRune(next) && isWordRune(last) {
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
	switch {
	case len(s.Properties) > 0:
		object := map[string]any{}
		for name, property := range s.Properties {
			if isPartOfField(name) && s.Properties["value"] != nil {
				object[name] = fill(lines, property, partOf(name, here), replaced)
				continue
			}
			value := find(lines, labelsOf(name, property.Title))
			if name == domain.FieldVendor && value.page == 0 && len(lines) > 0 {
				value = found{lines[0].text, lines[0].page}
			}
			if other, is := replaced[name]; is {
				value = found{other, max(value.page, 1)}
			}
			if isMoney(name) {
				if numbers := amount.FindAllString(value.text, -1); len(numbers) > 0 {
					value.text = numbers[len(numbers)-1]
				}
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

func isPartOfField(name string) bool {
	return slices.Contains([]string{"value", "text", "quote", "page"}, name)
}

func partOf(name string, here found) found {
	if name == "page" && here.page > 0 {
		return found{strconv.Itoa(here.page), here.page}
	}
	return here
}

func isMoney(name string) bool {
	for _, spec := range domain.FieldSpecs() {
		if spec.Name == name {
			return spec.Type == domain.FieldTypeMoney
		}
	}
	return false
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
