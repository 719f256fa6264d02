package country_test

import (
	"testing"

	"countersign/domain/country"
)

// A city alone is a reason to look; a name that persons or several countries have is none.
func TestOfPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, code string
		city       bool
	}{
		{"Khiaban Ferdowsi 41, Teheran", "IR", true},
		{"Téhéran 11369", "IR", true},
		{"Avenue Vali-Asr, Téhéran (Rép. islamique d'Iran)", "IR", false},
		{"77 Merchant Rd, Rangoon", "MM", true},
		{"平壤市", "KP", true},
		{"Chollima Street, Pyongyang, DPRK", "KP", false},
		{"Deira, Dubai, U.A.E.", "AE", false},
		{"Tripoli", "", false}, // Lebanon, Libya
		{"Jordan", "", false},
		{"Teheran Carpets GmbH", "", false},
		{"IS", "", false},
		{"", "", false},
	} {
		if code, city := country.OfPlace(c.text); code != c.code || city != c.city {
			t.Errorf("%q is in %q (%v), want %q (%v)", c.text, code, city, c.code, c.city)
		}
	}
}
