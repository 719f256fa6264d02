package extraction

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// textPage returns a page with the lines, each word 10 units per character wide.
func textPage(lines ...string) []domain.Page {
	page := domain.Page{Number: 1, Width: 2000, Height: 3000, Source: domain.SourceText,
		Text: strings.Join(lines, "\n")}
	for y, line := range lines {
		x := 20
		for _, part := range strings.Split(line, " ") {
			if part != "" {
				page.Words = append(page.Words, domain.Word{Text: part, Line: y, Confidence: 1,
					Box: domain.Box{X: x, Y: 40 + 40*y, W: 10 * len([]rune(part)), H: 20}})
			}
			x += 10 * (len([]rune(part)) + 1)
		}
	}
	return []domain.Page{page}
}

// read returns the value of a field on a page of an invoice.
func read(name string, lines ...string) domain.Field {
	fields := Extract(textPage(lines...), Hints{DocumentType: "invoice"})
	at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 {
		return domain.Field{}
	}
	return fields[at]
}

// Every label of every language leads to its value, beside it and below it.
func TestLabelsOfDetails(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		for _, of := range []struct {
			field, value, want string
			phrases            []string
		}{
			{domain.FieldOrderNumber, "4500017", "4500017", l.orderNumber},
			{domain.FieldDeliveryDate, "2024-03-17", "2024-03-17", l.deliveryDate},
			{domain.FieldPaymentTerms, "30 Tage netto", "30 Tage netto", l.paymentTerms},
		} {
			for _, phrase := range of.phrases {
				printed := titleCase(printedForm(phrase))
				if got := read(of.field, "ACME Ltd", printed+": "+of.value); got.Normalised != of.want {
					t.Errorf("%s: %q beside its value: %+v", l.name, printed, got)
				}
				if got := read(of.field, "ACME Ltd", printed, of.value); got.Normalised != of.want {
					t.Errorf("%s: %q above its value: %+v", l.name, printed, got)
				}
			}
		}
	}
}

func TestPeriodsOfService(t *testing.T) {
	t.Parallel()
	got := read(domain.FieldDeliveryDate, "Leistungszeitraum: 2024-03-01 - 2024-03-31")
	if got.Normalised != "2024-03-31" || got.Raw != "2024-03-01 - 2024-03-31" {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{"Delivery date: on request", "Delivery date: see below for 2024-03-01"} {
		if got := read(domain.FieldDeliveryDate, text); got.Normalised != "" {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A bank code is only what its label announces, because its country is a country of risk.
func TestBankOfPages(t *testing.T) {
	t.Parallel()
	const account = "IBAN DE89 3704 0044 0532 0130 00"
	for text, want := range map[string]string{
		"BIC: COBADEFFXXX": "COBADEFFXXX", "BIC / SWIFT: NWBKGB2L": "NWBKGB2L",
		"SWIFT code COBADEFF": "COBADEFF", "BIC Commerzbank": "", "COBADEFFXXX": "",
		"BIC: DE893704": "", "by SWIFT transfer DOCUMENT": "", "BIC COBAXXFF": "",
	} {
		if got := read(domain.FieldBIC, account, text); got.Normalised != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	got := read(domain.FieldBIC, "BIC NWBKGB2L", "Other bank", "Branch", account+" BIC COBADEFF")
	if got.Normalised != "COBADEFF" {
		t.Errorf("of two banks: %+v", got)
	}
}

// A prepayment explains the amount due, and the total stays the larger amount.
func TestPrepaymentsOfPages(t *testing.T) {
	t.Parallel()
	paid := []string{"Invoice 4711", "Net amount EUR 100.00", "VAT 20% EUR 20.00",
		"Grand total EUR 120.00", "Already paid EUR 50.00", "Amount due EUR 70.00"}
	for name, want := range map[string]string{domain.FieldTotal: "120.00",
		domain.FieldPrepaid: "50.00", domain.FieldAmountDue: "70.00",
		domain.FieldTaxBreakdown: "20%: 100.00 + 20.00"} {
		if got := read(name, paid...); got.Normalised != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	paid[4] = "Already paid EUR 49.00"
	for _, name := range []string{domain.FieldPrepaid, domain.FieldAmountDue} {
		if got := read(name, paid...); got.Normalised != "" && got.Normalised == "49.00" {
			t.Errorf("amounts that do not add up: %+v", got)
		}
	}
	for _, l := range languages {
		for _, phrase := range l.prepaid {
			if !prepaidLabel.MatchString(foldForSearch(printedForm(phrase))) {
				t.Errorf("%s: %q is no label of a prepayment", l.name, phrase)
			}
		}
	}
}

func TestTaxesByRateOfPages(t *testing.T) {
	t.Parallel()
	lines := []string{"Net total 496.00 EUR", "VAT Net amount VAT amount", "7% 160.00 EUR 11.20 EUR",
		"19% 336.00 EUR 63.84 EUR", "VAT total 75.04 EUR", "Grand total 571.04 EUR"}
	want := "7%: 160.00 + 11.20; 19%: 336.00 + 63.84"
	if got := read(domain.FieldTaxBreakdown, lines...); got.Normalised != want {
		t.Errorf("%+v", got)
	}
	lines[2] = "7% 160.00 EUR 12.20 EUR"
	if got := read(domain.FieldTaxBreakdown, lines...); got.Normalised != "" {
		t.Errorf("rows that do not add up: %+v", got)
	}
}

func TestKindsOfPages(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{"INVOICE": "invoice", "Rechnung Nr. 5": "invoice",
		"Credit note 7": "credit_note", "PRO FORMA INVOICE": "pro_forma", "Zahlungserinnerung": "reminder",
		"Statement of account": "statement", "RECEIPT": "receipt", "Purchase order": "order",
		"Purchase order 4711": "", "增值税专用发票": "invoice", "对账单": "statement", "A poem": "",
		"This letter is about your unpaid invoice of the last month.": ""} {
		if got := read(domain.FieldKind, title); got.Normalised != want {
			t.Errorf("%q: %+v", title, got)
		}
	}
}

// The buyer is what a label names, never the vendor.
func TestBuyerOfPages(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lines       []string
		buyer, home string
	}{
		"below": {[]string{"Supplier GmbH", "Bill to:", "Buyer Ltd", "12 High Street",
			"80333 Munich", "", "Total 5.00"}, "Buyer Ltd", "12 High Street, 80333 Munich"},
		"beside":        {[]string{"Supplier GmbH", "Customer: Buyer Ltd"}, "Buyer Ltd", ""},
		"number":        {[]string{"Supplier GmbH", "Customer No: 4711", "Anything else"}, "", ""},
		"the vendor":    {[]string{"Supplier GmbH", "Sold to: Supplier GmbH"}, "", ""},
		"without label": {[]string{"Supplier GmbH", "Buyer Ltd"}, "", ""},
	} {
		buyer, home := read(domain.FieldBuyer, row.lines...), read(domain.FieldBuyerAddress,
			row.lines...)
		if buyer.Normalised != row.buyer || home.Normalised != row.home {
			t.Errorf("%s: %+v, %+v", name, buyer, home)
		}
	}
	const vat = "Customer VAT number: ESA12345674"
	if got := read(domain.FieldBuyerVATID, "VAT: FR11999999998", vat); got.Normalised != "ESA12345674" {
		t.Errorf("VAT number of the buyer: %+v", got)
	}
	if got := read(domain.FieldVATID, "VAT: FR11999999998", vat); got.Normalised != "FR11999999998" {
		t.Errorf("VAT number of the seller: %+v", got)
	}
}

// On the printed form the labels of the parties have blanks, and their titles are in the middle of
// their rows.
func TestPartiesOfChineseForms(t *testing.T) {
	t.Parallel()
	lines := []string{"浙江增值税电子普通发票", "发票代码: 033001900104", "发票号码: 48213367",
		"开票日期: 2026年11月18日", "名 称：上海远航贸易有限公司", "购买方 纳税人识别号：91310115MA1K3XYT2L",
		"地址、电话：上海市浦东新区世纪大道88号", "货物或应税劳务、服务名称 数量 单价 金额 税率 税额",
		"*办公用品*打印纸 10 150.00 1500.00 13% 195.00", "*办公用品*硒鼓 4 250.00 1000.00 13% 130.00",
		"合 计 ¥2500.00 ¥325.00", "价税合计（大写） 贰仟捌佰贰拾伍圆整 （小写）¥2825.00",
		"称：杭州青松办公用品有限公司", "纳税人识别号：91330106MA27XABC3P", "销售方 地址、电话：杭州市西湖区文三路200号"}
	for name, want := range map[string]string{domain.FieldVendor: "杭州青松办公用品有限公司",
		domain.FieldBuyer: "上海远航贸易有限公司", domain.FieldVATID: "91330106MA27XABC3P",
		domain.FieldBuyerVATID: "91310115MA1K3XYT2L", domain.FieldTotal: "2825.00",
		domain.FieldNet: "2500.00", domain.FieldTax: "325.00"} {
		if got := read(name, lines...); got.Normalised != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	lines[10] = "合 计 ¥2500.00 ¥326.00"
	if got := read(domain.FieldTax, lines...); got.Normalised == "326.00" && got.Confidence > doubtful {
		t.Errorf("a tax that does not add up: %+v", got)
	}
}

func TestChineseInvoices(t *testing.T) {
	t.Parallel()
	lines := []string{"增值税专用发票", "发票代码: 1100094140", "发票号码: 87654321", "开票日期: 2010年11月18日",
		"购买方", "名称: 测试购方企业有限公司", "纳税人识别号: 410305123456789", "合计 ¥5999.00", "税额 ¥1019.83",
		"价税合计(大写) 柒仟零壹拾捌圆捌角叁分 (小写) ¥7018.83", "销售方", "名称: 测试销方企业有限公司",
		"纳税人识别号: 410305012345678"}
	for name, want := range map[string]string{domain.FieldInvoiceCode: "1100094140",
		domain.FieldNumber: "87654321", domain.FieldDate: "2010-11-18", domain.FieldTotal: "7018.83",
		domain.FieldBuyer: "测试购方企业有限公司", domain.FieldBuyerVATID: "410305123456789",
		domain.FieldVendor: "测试销方企业有限公司", domain.FieldVATID: "410305012345678",
		domain.FieldKind: "invoice"} {
		if got := read(name, lines...); got.Normalised != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if sure := read(domain.FieldTotal, lines...).Confidence; sure < 0.9 {
		t.Errorf("a total that the words confirm has the confidence %.2f", sure)
	}
	form := []string{"1100094140 No 87654321", "价税合计(大写) 柒圆整 (小写) ¥7.00"}
	if got := read(domain.FieldInvoiceCode, form...); got.Normalised != "1100094140" {
		t.Errorf("a code without a label: %+v", got)
	}
	if got := read(domain.FieldInvoiceCode, "1100094140", "Total 7.00"); got.Normalised != "" {
		t.Errorf("a number of another document: %+v", got)
	}
	lines[9] = "价税合计(大写) 柒仟零壹拾柒圆捌角叁分 (小写) ¥7018.83"
	if sure := read(domain.FieldTotal, lines...).Confidence; sure > doubtful {
		t.Errorf("a total that the words contradict has the confidence %.2f", sure)
	}
}
