package extraction

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"countersign/domain"
	"countersign/domain/country"
)

// element is an XML element; its name has no namespace.
type element struct {
	name     string
	attrs    map[string]string
	text     string
	children []*element
}

const (
	maxDepth    = 100
	maxElements = 500_000
)

// FromXML extracts the fields of an e-invoice: CII (Factur-X, ZUGFeRD 1 and 2, XRechnung) or UBL.
// It returns DamagedFile for malformed XML, UnsupportedFile for any other XML. Amounts are exact:
// one with more decimals than the currency keeps its text but has no normalised value.
func FromXML(text []byte) ([]domain.Field, error) {
	fields, _, err := InvoiceFromXML(text)
	return fields, err
}

// InvoiceFromXML extracts the fields of an e-invoice like FromXML, and its line items.
func InvoiceFromXML(text []byte) ([]domain.Field, domain.LineItems, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, domain.LineItems{}, domain.Errorf(domain.DamagedFile, "The XML of the e-invoice is damaged.").
			WithRemedy("Ask the issuer to send the invoice again.").WithCause(err)
	}
	switch root.name {
	case "CrossIndustryInvoice", "CrossIndustryDocument":
		return fromCII(root).with(ciiLines, root)
	case "Invoice", "CreditNote":
		return fromUBL(root).with(ublLines, root)
	}
	return nil, domain.LineItems{}, domain.Errorf(domain.UnsupportedFile, "The XML file is not a supported e-invoice.").
		WithRemedy("Submit it as Factur-X, ZUGFeRD, XRechnung or UBL.")
}

// parseXML parses the XML to a tree of limited size. It does not expand entities of a DTD.
func parseXML(text []byte) (*element, error) {
	decoder := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.CharsetReader = singleByte
	var open []*element
	var root *element
	count := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if count++; count > maxElements || len(open) >= maxDepth {
				return nil, errors.New("too many elements")
			}
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if len(open) > 0 {
				parent := open[len(open)-1]
				parent.children = append(parent.children, e)
			} else if root == nil {
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		}
	}
	if root == nil {
		return nil, errors.New("no element")
	}
	return root, nil
}

// singleByte decodes the encodings that e-invoices use besides UTF-8.
func singleByte(label string, input io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii":
		return input, nil
	case "iso-8859-1", "iso-8859-15", "windows-1252", "latin1":
		raw, err := io.ReadAll(input)
		if err != nil {
			return nil, err
		}
		runes := make([]rune, len(raw))
		for i, b := range raw {
			runes[i] = rune(b)
		}
		return strings.NewReader(string(runes)), nil
	}
	return nil, fmt.Errorf("charset %q", label)
}

// findAll returns the elements at a path of names. A name can have alternatives separated by a bar.
func (e *element) findAll(path ...string) []*element {
	at := []*element{e}
	for _, step := range path {
		var next []*element
		for _, here := range at {
			for _, child := range here.children {
				for name := range strings.SplitSeq(step, "|") {
					if child.name == name {
						next = append(next, child)
					}
				}
			}
		}
		at = next
	}
	return at
}

// firstText returns the text of the first non-empty element at the path.
func (e *element) firstText(path ...string) string {
	for _, found := range e.findAll(path...) {
		if text := strings.Join(strings.Fields(found.text), " "); text != "" {
			return text
		}
	}
	return ""
}

// invoice holds the values read from an e-invoice of any format.
type invoice struct {
	currency string
	fields   []domain.Field
}

// with returns the fields, and the line items at the paths.
func (v *invoice) with(paths xmlLines, root *element) ([]domain.Field, domain.LineItems, error) {
	return v.fields, paths.read(root, knownCurrency(v.currency), v.fields), nil
}

func (v *invoice) add(name, raw, normalised string) {
	if raw == "" {
		return
	}
	v.fields = append(
		v.fields,
		domain.Field{Name: name, Raw: raw, Normalised: normalised, Confidence: 1,
			Source: domain.SourceXML, Grounded: true},
	)
}

// country adds a country. An unknown one keeps its text but has no normalised value.
func (v *invoice) country(name, raw string) {
	code, _ := country.Parse(raw)
	v.add(name, limited(raw), code)
}

// The lines of an address in the order of a letter; the elements of a line are joined by a space.
var (
	ciiAddress = [][]string{{"LineOne"}, {"LineTwo"}, {"LineThree"}, {"PostcodeCode", "CityName"},
		{"CountrySubDivisionName"}}
	ublAddress = [][]string{{"StreetName"}, {"AdditionalStreetName"}, {"AddressLine/Line"},
		{"PostalZone", "CityName"}, {"CountrySubentity"}}
)

// address adds the address of a party, without the country.
func (v *invoice) address(name string, found []*element, lines [][]string) {
	if len(found) == 0 {
		return
	}
	var texts []string
	for _, line := range lines {
		var parts []string
		for _, name := range line {
			if text := found[0].firstText(strings.Split(name, "/")...); text != "" {
				parts = append(parts, text)
			}
		}
		texts = append(texts, strings.Join(parts, " "))
	}
	text := joinAddress(texts)
	v.add(name, text, text)
}

var decimal = regexp.MustCompile(`^([+-]?)0*(\d+)(?:\.(\d*))?$`)

// exactDecimal formats an XML decimal with the decimals of the currency; "" if that requires
// rounding.
func exactDecimal(raw, currency string) string {
	match := decimal.FindStringSubmatch(strings.TrimSpace(raw))
	digits, ok := domain.Exponent(currency)
	if match == nil || len(match[2]) > 15 {
		return ""
	}
	if !ok {
		digits = 2
	}
	fraction := strings.TrimRight(match[3], "0")
	if len(fraction) > digits {
		return ""
	}
	sign := ""
	if match[1] == "-" {
		sign = "-"
	}
	if digits == 0 {
		return sign + match[2]
	}
	return sign + match[2] + "." + fraction + strings.Repeat("0", digits-len(fraction))
}

func fromCII(root *element) *invoice {
	const header, trade = "ExchangedDocument|HeaderExchangedDocument",
		"SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction"
	const agreement = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement"
	const settlement = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement"
	const summation = "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
	v := &invoice{}
	v.readCurrency(root.findAll(trade, settlement, "InvoiceCurrencyCode"))
	seller := []string{trade, agreement, "SellerTradeParty"}
	at := func(base []string, more ...string) string {
		return root.firstText(append(base[:len(base):len(base)], more...)...)
	}
	name := at(seller, "Name")
	if name == "" {
		name = at(seller, "SpecifiedLegalOrganization", "TradingBusinessName")
	}
	v.add(domain.FieldVendor, name, name)
	v.address(domain.FieldVendorAddress,
		root.findAll(append(seller[:3:3], "PostalTradeAddress")...), ciiAddress)
	number := root.firstText(header, "ID")
	v.add(domain.FieldNumber, number, number)
	date := root.firstText(header, "IssueDateTime", "DateTimeString|DateTime")
	v.add(domain.FieldDate, date, compactDate(date))
	due := root.firstText(
		trade, settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime",
		"DateTimeString|DateTime",
	)
	v.add(domain.FieldDueDate, due, compactDate(due))
	for name, amount := range map[string]string{domain.FieldNet: "TaxBasisTotalAmount",
		domain.FieldTax: "TaxTotalAmount", domain.FieldTotal: "GrandTotalAmount",
		domain.FieldPrepaid: "TotalPrepaidAmount", domain.FieldAmountDue: "DuePayableAmount"} {
		v.amount(name, root.findAll(trade, settlement, summation, amount))
	}
	v.account(root.findAll(trade, settlement, "SpecifiedTradeSettlementPaymentMeans"), accountPaths{
		account: []string{"PayeePartyCreditorFinancialAccount", "IBANID"},
		bank:    [][]string{{"PayeeSpecifiedCreditorFinancialInstitution", "BICID"}},
	})
	v.ciiTaxID(domain.FieldVATID, root.findAll(seller...))
	v.country(domain.FieldCountry, at(seller, "PostalTradeAddress", "CountryID"))
	v.ciiDetails(root.findAll(trade, agreement), root.findAll(trade, settlement), delivered{
		root.findAll(trade, "ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery"),
		root.findAll(trade, settlement, "BillingSpecifiedPeriod")})
	v.kind(root.firstText(header, "TypeCode"))
	return v.ordered()
}

func fromUBL(root *element) *invoice {
	v := &invoice{}
	v.readCurrency(root.findAll("DocumentCurrencyCode"))
	party := []string{"AccountingSupplierParty", "Party"}
	at := func(more ...string) string { return root.firstText(append(party[:2:2], more...)...) }
	name := at("PartyLegalEntity", "RegistrationName")
	if name == "" {
		name = at("PartyName", "Name")
	}
	v.add(domain.FieldVendor, name, name)
	v.address(domain.FieldVendorAddress, root.findAll(append(party[:2:2], "PostalAddress")...),
		ublAddress)
	number := root.firstText("ID")
	v.add(domain.FieldNumber, number, number)
	date := root.firstText("IssueDate")
	v.add(domain.FieldDate, date, compactDate(date))
	due := root.firstText("DueDate")
	if due == "" {
		due = root.firstText("PaymentMeans", "PaymentDueDate")
	}
	v.add(domain.FieldDueDate, due, compactDate(due))
	for name, amount := range map[string]string{domain.FieldNet: "TaxExclusiveAmount",
		domain.FieldTotal: "TaxInclusiveAmount", domain.FieldPrepaid: "PrepaidAmount",
		domain.FieldAmountDue: "PayableAmount"} {
		v.amount(name, root.findAll("LegalMonetaryTotal", amount))
	}
	v.amount(domain.FieldTax, root.findAll("TaxTotal", "TaxAmount"))
	v.totalOfPayable(root)
	v.account(root.findAll("PaymentMeans"), accountPaths{
		account: []string{"PayeeFinancialAccount", "ID"},
		bank: [][]string{{"PayeeFinancialAccount", "FinancialInstitutionBranch", "ID"},
			{"PayeeFinancialAccount", "FinancialInstitutionBranch", "FinancialInstitution", "ID"}},
	})
	id := at("PartyTaxScheme", "CompanyID")
	v.add(domain.FieldVATID, id, compact(id))
	v.country(domain.FieldCountry, at("PostalAddress", "Country", "IdentificationCode"))
	v.ublDetails(root)
	return v.ordered()
}

func knownCurrency(code string) string {
	if domain.KnownCurrency(code) {
		return code
	}
	return ""
}

// compact returns upper case without spaces and dots, for IBAN and VAT ids.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '.' || r == '\u00a0' {
			return -1
		}
		return r
	}, strings.ToUpper(text))
}
