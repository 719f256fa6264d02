package extraction_test

import (
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

func addressIn(source domain.FieldSource, text string) domain.Field {
	for _, field := range extraction.Extract([]domain.Page{pageOfText(text, source)},
		extraction.Hints{}) {
		if field.Name == domain.FieldVendorAddress {
			return field
		}
	}
	return domain.Field{}
}

// The address of the seller begins below the name and ends at the first other line.
func TestVendorAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"below a register number, up to the telephone": {
			"      KEDAI LAMPU CERAH SDN BHD\n      (345678-X)\n      NO. 14, JALAN MELATI 3/2,\n" +
				"      TAMAN MELATI\n      53100 KUALA LUMPUR\n      TEL: 03-4021 7788\n\n" +
				"      TAX INVOICE\n Total 12.00\n Cash 12.00",
			"NO. 14, JALAN MELATI 3/2, TAMAN MELATI, 53100 KUALA LUMPUR"},
		"with a region below the postcode": {
			"LUMEN BOOKS SDN BHD\nLOT 7, JALAN KENANGA\n81100 JOHOR BAHRU\nJOHOR.\nGST ID: 000123456789\n" +
				"Total 8.00",
			"LOT 7, JALAN KENANGA, 81100 JOHOR BAHRU, JOHOR."},
		"without a postcode": {
			"WARUNG KOPI SENJA\n109, SS21/1A,\nDAMANSARA UTAMA\nTABLE: G7\nTotal 31.50",
			"109, SS21/1A, DAMANSARA UTAMA"},
		"with misread digits and letters": {
			"PERABOT HIJAU SDN BHD\nL0T 28I1, Ja1an Angsa\n4115O KLANG\nTax Invoice\nTotal 9.00",
			"LOT 2811, Jalan Angsa, 41150 KLANG"},
		"with commas read as full stops": {
			"PERABOT HIJAU SDN BHD\nNO. 9, JALAN SR 1/9. TAMAN SETAPAK\n43300 CHERAS. SELANGOR\nTax Invoice\nTotal 9.00",
			"NO. 9, JALAN SR 1/9, TAMAN SETAPAK, 43300 CHERAS, SELANGOR"},
		"below the number of the house": {
			"KEDAI LAMPU CERAH SDN BHD\nNO 24, 25 & 26,\nJALAN MELATI 4\n53100 KUALA LUMPUR\nTax Invoice\nTotal 9.00",
			"NO 24, 25 & 26, JALAN MELATI 4, 53100 KUALA LUMPUR"},
		"not with the name and register number above": {
			"LUMEN BOOKS SDN BHD\nLumen Books Jalan 5dn Bhd (345678-M)\nLot 7, Jalan Kenanga\n81100 Johor Bahru\nTotal 8.00",
			"Lot 7, Jalan Kenanga, 81100 Johor Bahru"},
		"with an abbreviated city": {
			"WARUNG KOPI SENJA\n13, Jalan Tasik 8\nMedan Damai\n57000 KL\nTABLE: G7\nTotal 31.50",
			"13, Jalan Tasik 8, Medan Damai, 57000 KL"},
		"a street in German": {
			"Kiefer Werkstatt GmbH\nLindenstraße 12\n80333 München\nTelefon 089 123456\nRechnung 4711\n" +
				"Gesamtbetrag 12,00 EUR", "Lindenstraße 12, 80333 München"},
		"in the line of the name": {
			"Kiefer Werkstatt GmbH · Lindenstraße 12 · 80333 München\n\nHerrn Otto Beispiel\n" +
				"Birkenweg 3\n10115 Berlin\n\nRechnung 4711\nGesamtbetrag 12,00 EUR",
			"Lindenstraße 12, 80333 München"},
		"not that of the buyer": {
			"Kiefer Werkstatt GmbH\nRechnung 4711\n\nBill to:\nOtto Beispiel\nBirkenweg 3\n10115 Berlin\n" +
				"\nGesamtbetrag 12,00 EUR", ""},
		"not a line of goods": {
			"THREE PINES CAFE\nTAX INVOICE\n2 STREET COFFEE 7.00\n1 PLAZA TOAST 4.00\nTotal 11.00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := addressIn(domain.SourceOCR, c.text)
			if got.Normalised != c.want {
				t.Errorf("the address is %q, want %q", got.Normalised, c.want)
			}
			if got.Confidence >= 0.6 {
				t.Errorf("a recognised address is certain (%.2f), although nothing confirms it", got.Confidence)
			}
		})
	}
}

// An address in a text layer is certain, because its letters were not recognised.
func TestVendorAddressOfATextLayer(t *testing.T) {
	t.Parallel()
	got := addressIn(domain.SourceText, "Kiefer Werkstatt GmbH\nLindenstraße 12\n80333 München\n"+
		"Telefon 089 123456\nRechnung 4711\nGesamtbetrag 12,00 EUR")
	if got.Normalised == "" || got.Confidence < 0.6 || got.Box == nil || !got.Grounded {
		t.Errorf("the address is %+v", got)
	}
}

// The e-invoice has the lines of the address as elements.
func TestVendorAddressOfXML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"CII": {`<CrossIndustryInvoice><SupplyChainTradeTransaction><ApplicableHeaderTradeAgreement>
			<SellerTradeParty><Name>A</Name><PostalTradeAddress><PostcodeCode>80333</PostcodeCode>
			<LineOne>Lindenstraße  20</LineOne><LineTwo>Hof 2</LineTwo><CityName>München</CityName>
			<CountryID>DE</CountryID></PostalTradeAddress></SellerTradeParty><BuyerTradeParty>
			<PostalTradeAddress><LineOne>Birkenweg 3</LineOne></PostalTradeAddress></BuyerTradeParty>
			</ApplicableHeaderTradeAgreement></SupplyChainTradeTransaction></CrossIndustryInvoice>`,
			"Lindenstraße 20, Hof 2, 80333 München"},
		"UBL": {`<Invoice><AccountingSupplierParty><Party><PostalAddress><StreetName>Hoofdstraat 4</StreetName>
			<CityName>Utrecht</CityName><PostalZone>3511 AB</PostalZone><AddressLine><Line>Unit 3</Line>
			</AddressLine><Country><IdentificationCode>NL</IdentificationCode></Country></PostalAddress>
			</Party></AccountingSupplierParty></Invoice>`, "Hoofdstraat 4, Unit 3, 3511 AB Utrecht"},
		"none": {`<Invoice><ID>1</ID></Invoice>`, ""},
	} {
		fields, err := extraction.FromXML([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := value(fields, domain.FieldVendorAddress); got != c.want {
			t.Errorf("%s: the address is %q, want %q", name, got, c.want)
		}
	}
}

// Names are stored without register numbers, with the legal form and digits inside words repaired.
func TestNamesAreRepaired(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]string{
		"LUMEN BOOKS SON BHD":                  "LUMEN BOOKS SDN BHD",
		"Lumen Books 5dn Bhd (728384-M)":       "Lumen Books Sdn Bhd",
		"LUMEN BOOKS (SP) SDN. BHZ.":           "LUMEN BOOKS (SP) SDN. BHD.",
		"99 LUMEN MART 5/8 (519537-X)":         "99 LUMEN MART S/B",
		"99 LUMEN MART S/B（S19537-X)":          "99 LUMEN MART S/B",
		"LUMEN C0NFECTIONERY S/B 273500-U (K)": "LUMEN CONFECTIONERY S/B",
		"MR. L.I.¥. (M) SDN BHD":               "MR. L.I.Y. (M) SDN BHD",
		"Lumen (M) Sdn Bhd (Setia Alam)":       "Lumen (M) Sdn Bhd (Setia Alam)",
		"Kiefer & Co. KG":                      "Kiefer & Co. KG",
		"10 GRAM GOURMET SDN BHD":              "10 GRAM GOURMET SDN BHD",
	} {
		text := printed + "\nNO. 14, JALAN MELATI\n53100 KUALA LUMPUR\nTAX INVOICE\nTotal 12.00"
		fields := extraction.Extract([]domain.Page{pageOfText(text, domain.SourceOCR)}, extraction.Hints{})
		if got := value(fields, domain.FieldVendor); got != want {
			t.Errorf("%q is stored as %q, want %q", printed, got, want)
		}
	}
}

// A note by hand in small letters, a former name and a line of an address are not the vendor.
func TestLinesBesideTheNameAreNoVendor(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"abu bin ali\nLUMEN GIFT & DECO\n27, JALAN DEDAP 13\n81100 JOHOR BAHRU\nRECEIPT\nTotal 3.00",
		"LUMEN GIFT & DECO\nformerly known as\nOlder Gifts Sdn Bhd\n27, JALAN DEDAP 13\n81100 JOHOR BAHRU\n" +
			"RECEIPT\nTotal 3.00",
	} {
		fields := extraction.Extract([]domain.Page{pageOfText(text, domain.SourceOCR)}, extraction.Hints{})
		if got := value(fields, domain.FieldVendor); got != "LUMEN GIFT & DECO" {
			t.Errorf("the vendor is %q", got)
		}
	}
}

// A word of an address that the engines read differently becomes the word of addresses that it
// resembles; what both read alike, or is another such word, stays.
func TestDoubtfulAddressWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Jaian Melati":    "Jalan Melati",
		"JOHOR BABRU":     "JOHOR BAHRU",
		"Shah Alan":       "Shah Alam",
		"Alan Road":       "Alan Road",
		"Perirndustrian":  "Perindustrian",
		"5elangor":        "Selangor",
		"Utapa":           "Utapa", // Utama or Utara
		"Jalan Permas":    "Jalan Permas",
		"Jalan Kelang":    "Jalan Kelang",
		"81100 Johor, KL": "81100 Johor, KL",
	} {
		page := pageOfText("LUMEN BOOKS SDN BHD\nNO 7, JALAN KENANGA\n"+text+"\n81100 KLUANG\nTax Invoice\nTotal 8.00",
			domain.SourceOCR)
		page.Engine = "both"
		for i, word := range page.Words {
			if word.Text != "Permas" && word.Text != "Kelang" {
				page.Words[i].Alternative, page.Words[i].AlternativeConfidence = "x"+word.Text, 0.9
			} else {
				page.Words[i].Confidence = 0.9
			}
		}
		var got string
		for _, field := range extraction.Extract([]domain.Page{page}, extraction.Hints{}) {
			if field.Name == domain.FieldVendorAddress {
				got = field.Normalised
			}
		}
		if full := "NO 7, JALAN KENANGA, " + want + ", 81100 KLUANG"; got != full {
			t.Errorf("%q is read as %q, want %q", text, got, full)
		}
	}
}
