package country_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain/country"
)

// ibans are the examples of the IBAN registry.
const ibans = `AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741
	AT611904300234573201 AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034
	BG80BNBG96611020345678 BH67BMAG00001299123456 BI4210000100010000332045181
	BR1800360305000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
	CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399
	DE89370400440532013000 DJ2100010000000154000100186 DK5000400440116243
	DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002
	ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
	FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917
	GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695
	GT82TRAJ01020000001210029690 HN88CABF00000000000250005469 HR1210010051863000160
	HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
	IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456
	JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101 KZ86125KZT5004100100
	LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA
	LT121000011101001000 LU280019400644750000 LV80BANK0000435195001
	LY83002048000020100120361 MC5811222000010123456789030 MD24AG000225100013104168
	ME25505000012345678951 MK07250120000058984 MN121234123456789123
	MR1300020001010000123456753 MT84MALT011000012345MTLCAST001S
	MU17BOMM0101101030300200000MUR NI45BAPR00000013000003558124 NL91ABNA0417164300
	NO9386011117947 OM810180000001299123456 PK36SCBL0000001123456702
	PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154
	QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379
	RU0304452522540817810538091310419 SA0380000000608010167519
	SC18SSCB11010000000000001497USD SD8811123456789012 SE4550000000058398257466
	SI56263300012039086 SK3112000000198742637541 SM86U0322509800000000270100
	SO211000001001000100141 ST23000100010051845310146 SV62CENR00000000000000700025
	TL380080012345678910157 TN5910006035183598478831 TR330006100519786457841326
	UA213223130000026007233566001 VA59001123000012345678 VG96VPVG0000012345678901
	XK051212012345678906 YE15CBYE0001018861234567891234`

func TestIBANRegistry(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for iban := range strings.FieldsSeq(ibans) {
		seen[iban[:2]] = true
		if code, ok := country.OfIBAN(iban); !ok || code != iban[:2] {
			t.Errorf("OfIBAN(%q) = %q %t", iban, code, ok)
		}
		if !country.FitsIBANForm(iban) || len(country.IBANForm(iban[:2]))+4 != len(iban) ||
			!country.Known(iban[:2]) {
			t.Errorf("%s does not have the form of its country", iban)
		}
		if code, ok := country.OfIBAN(strings.ToLower(iban[:4]) + " " + iban[4:]); !ok {
			t.Errorf("%q with spaces has the country %q", iban, code)
		}
	}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if code := string(a) + string(b); (country.IBANLength(code) > 0) != seen[code] {
				t.Errorf("%s has IBANs of length %d and an example: %t", code,
					country.IBANLength(code), seen[code])
			}
		}
	}
}

// A changed digit or two exchanged ones leave no country.
func TestSpoiledIBANs(t *testing.T) {
	t.Parallel()
	all := strings.Fields(ibans)
	rapid.Check(t, func(t *rapid.T) {
		iban := []byte(rapid.SampledFrom(all).Draw(t, "iban"))
		at := rapid.IntRange(2, len(iban)-1).Filter(func(at int) bool {
			return iban[at] >= '0' && iban[at] <= '9'
		}).Draw(t, "at")
		iban[at] = '0' + (iban[at]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "more")))%10
		if code, ok := country.OfIBAN(string(iban)); ok {
			t.Fatalf("OfIBAN(%q) = %q", iban, code)
		}
	})
}

func TestBIC(t *testing.T) {
	t.Parallel()
	for bic, want := range map[string]string{"DEUTDEFF": "DE", "DEUTDEFF500": "DE",
		"BKCHCNBJ": "CN", "NCBVXKPR": "XK", "hsbchkhh": "HK", "MELIIRTH": "IR",
		"BKCH HK HH XXX": "HK", "DEUTZZFF": "", "DEUTEUFF": "", "DEUTDEF": "", "DEUTDEFF50": "",
		"1234DE56": "", "INVOICES": "", "DEUT1EFF": "", "": "", "DEUTDEFF5000": ""} {
		if code, ok := country.OfBIC(bic); code != want || ok != (want != "") {
			t.Errorf("OfBIC(%q) = %q %t, want %q", bic, code, ok, want)
		}
	}
}

func TestTaxIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"DE136695976": "DE", "DE 136 695 976": "DE",
		"ATU13585627": "AT", "EL094259216": "GR", "XI123456789": "GB", "GB 980 7806 84": "GB",
		"CHE-100.155.212 MWST": "CH", "CHE-123.456.788": "CH", "NO 923 609 016 MVA": "NO",
		"RO18547290": "RO", "FR40303265045": "FR", "NL004495445B01": "NL",
		"91110000600037341L": "CN", "91440300708461136T": "CN", "27AAPFU0939F1ZV": "IN",
		"100123456789012": "AE", "100-1234-5678-901-2": "AE",
		"12-3456789": "US", "51 824 753 556": "AU", "ABN 51824753556": "AU",
		"00192200M": "SG", "197401143C": "SG", "S16FC0121D": "SG", "T01FC6132D": "SG",
		"W10-1808-32000059": "MY",
		// Formats that other numbers have too, and wrong check characters.
		"NO 923609016": "", "RO12": "", "51824753556": "", "123456789": "", "00-1234567": "",
		"91110000600037342L": "", "27AAPFU0939F1ZW": "", "00192200X": "", "197401143D": "",
		"12345678901": "", "311111111111113": "", "US123456789": "", "DE12": "", "": "",
		"51 824 753 557": "", "T01FC6132E": "", "000123456789": "", "C2584563222": ""} {
		if code, ok := country.OfTaxID(id); code != want || ok != (want != "") {
			t.Errorf("OfTaxID(%q) = %q %t, want %q", id, code, ok, want)
		}
	}
}

// Any one changed character of a number with check characters leaves no country.
func TestSpoiledTaxIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"91110000600037341L", "27AAPFU0939F1ZV", "00192200M", "197401143C"} {
		for at := range id {
			for digit := '0'; digit <= '9'; digit++ {
				if id[at] < '0' || id[at] > '9' || rune(id[at]) == digit {
					continue
				}
				spoiled := fmt.Sprintf("%s%c%s", id[:at], digit, id[at+1:])
				if code, ok := country.OfTaxID(spoiled); ok {
					t.Errorf("OfTaxID(%q) = %q", spoiled, code)
				}
			}
		}
	}
}
