package rules

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain/country"
)

func TestIBANs(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		"DE89370400440532013000":              true,
		"de89 3704 0044 0532 0130 00":         true,
		"GB29NWBK60161331926819":              true,
		"FR1420041010050500013M02606":         true,
		"NO9386011117947":                     true,
		"MT84MALT011000012345MTLCAST001S":     true,
		"DE89370400440532013001":              false,
		"DE8937040044053201300":               false,
		"XX89370400440532013000":              false,
		"DEA9370400440532013000":              false,
		"8937040044":                          false,
		"":                                    false,
		"DE":                                  false,
		"DE89370400440532O13000":              false,
		"DE８９370400440532013000":              false,
		strings.Repeat("DE8937040044", 1_000): false,
	} {
		if fault := IBANProblem(text); (fault == "") != valid {
			t.Errorf("%.40q: %q", text, fault)
		}
	}
}

// Modulo 97 detects each wrong character and each swap of two neighbours.
func TestIBANCheckDigitsDetectErrors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		account := rapid.StringMatching(`[0-9]{18}`).Draw(t, "account")
		check := 98 - country.IBANRemainder("DE00"+account)
		iban := fmt.Sprintf("DE%02d%s", check, account)
		if fault := IBANProblem(iban); fault != "" {
			t.Fatalf("%s: %s", iban, fault)
		}
		at := rapid.IntRange(4, len(iban)-2).Draw(t, "at")
		digit := rapid.SampledFrom([]byte("0123456789")).Draw(t, "digit")
		if digit != iban[at] && IBANProblem(iban[:at]+string(digit)+iban[at+1:]) == "" {
			t.Fatalf("a wrong digit at %d of %s is not detected", at, iban)
		}
		swapped := iban[:at] + string(iban[at+1]) + string(iban[at]) + iban[at+2:]
		if swapped != iban && IBANProblem(swapped) == "" {
			t.Fatalf("a swap at %d of %s is not detected", at, iban)
		}
	})
}

func TestVATIds(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		"DE136695976": true, "DE 136 695 976": true, "DE13669597": false, "ATU12345678": true,
		"AT12345678":    false,
		"FR40303265045": true, "FRXX999999999": true, "FR4030326504": false, "NL123456789B01": true,
		"NL123456789":          false,
		"CHE-123.456.789 MWST": true, "CHE12345678": false, "GB999999973": true, "IE1234567T": true,
		"IT00743110157": true,
		"EL094259216":   true, "SE556012579001": true, "410305012345678": true,
		"US12-3456789": true,
		"":             true, "D": true,
	} {
		if VATWellFormed(text) != valid {
			t.Errorf("%q: %v", text, !valid)
		}
	}
}

func FuzzIBAN(f *testing.F) {
	for _, seed := range []string{"DE89370400440532013000", "GB29NWBK60161331926819", "ßß12",
		"\xff\xfe\x00", "DE89 3704", "ĳ12345"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if IBANProblem(text) != "" {
			return
		}
		iban := normalizeCode(text)
		if country.IBANLength(iban[:2]) != len(iban) || country.IBANRemainder(iban) != 1 {
			t.Fatalf("%q passes", text)
		}
	})
}

func FuzzVAT(f *testing.F) {
	for _, seed := range []string{"DE136695976", "CHE123456789", "ATU12345678", "\xff\xfe", "ǆ1",
		"IE1+12345W"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if valid := VATWellFormed(text); valid != VATWellFormed(" "+text+" ") {
			t.Fatalf("%q: spaces matter", text)
		}
	})
}

// Valid ids pass, and a wrong last digit is detected for countries with a known rule.
func TestVATCheckDigits(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"DE136695976", "FR40303265045", "IT00743110157", "EL094259216",
		"SE556012579001", "NL123456789B01", "ATU13585627",
		"BE0403019261", "DK13585628", "FI20774740", "LU15027442", "PL8567346215", "PT501964843",
		"CHE-116.281.710 MWST", "NO974760673", "HR33392005961", "FRXX999999999"} {
		if fault := VATProblem(id); fault != "" {
			t.Errorf("%s: %s", id, fault)
		}
	}
	for _, id := range []string{"DE136695975", "FR41303265045", "IT00743110158", "EL094259217",
		"SE556012579101", "ATU13585628", "BE0403019262", "DK13585627",
		"FI20774741", "LU15027443", "PL8567346216", "PT501964844", "CHE116281711", "NO974760674",
		"HR33392005962"} {
		if fault := VATProblem(id); fault != "check_digits" {
			t.Errorf("%s passes: %q", id, fault)
		}
	}
	if VATProblem("DE12") != "form" || VATProblem("") != "" || VATProblem("US12-3456789") != "" {
		t.Error("the format is not checked")
	}
}

func FuzzVATProblem(f *testing.F) {
	for _, seed := range []string{"DE136695976", "CHE116281710MWST", "BE0403019261", "\xff\xfe",
		"ATU13585627", "FRAB303265045"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fault := VATProblem(text); fault != "" && fault != "form" && fault != "check_digits" {
			t.Fatalf("%q: %q", text, fault)
		}
	})
}
