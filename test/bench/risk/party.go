package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"

	"countersign/domain/country"
	"countersign/internal/einvoice"
)

// party is who is paid.
type party struct {
	name, street, city string
	country            string
	currency           string
	account            string // an IBAN where the country has them
	taxID              string
	known              bool // was paid before
	note               string
	image              uint64 // hash of the pages of its template
	serial             int    // of its last document
}

// place is where parties are, with the share of them.
type place struct {
	country, name, city, currency string
	share                         int
	forms                         []string
}

// Three of a hundred parties are in a country of high risk, as the table of the built-in countries
// lists it.
var places = []place{
	{"DE", "Germany", "10969 Berlin", "EUR", 34, []string{"GmbH", "AG", "KG"}},
	{"FR", "France", "69002 Lyon", "EUR", 12, []string{"SARL", "SAS"}},
	{"NL", "Netherlands", "1012 AB Amsterdam", "EUR", 8, []string{"BV"}},
	{"GB", "United Kingdom", "London EC1A 1BB", "GBP", 10, []string{"Ltd", "Limited"}},
	{"US", "United States", "Austin, TX 78701", "USD", 12, []string{"Inc", "LLC"}},
	{"CN", "China", "Shanghai 200040", "CNY", 5, []string{"Co. Ltd"}},
	{"IN", "India", "Mumbai 400001", "INR", 4, []string{"Pvt Ltd"}},
	{"JP", "Japan", "Tokyo 100-0001", "JPY", 4, []string{"K.K."}},
	{"MY", "Malaysia", "50450 Kuala Lumpur", "MYR", 4, []string{"Sdn Bhd"}},
	{"VN", "Vietnam", "Hanoi 100000", "USD", 2, []string{"JSC"}},
	{"BG", "Bulgaria", "1000 Sofia", "EUR", 2, []string{"EOOD"}},
	{"IR", "Iran", "Tehran", "EUR", 2, []string{"Co"}},
	{"MM", "Myanmar", "Yangon", "USD", 1, []string{"Ltd"}},
}

// Some names, streets and lines contain the name of a country in which nothing is paid.
var (
	firstWords = []string{"Alster", "Brandt", "Castle", "Delta", "Ebner", "Falcon", "Garten", "Harbour",
		"Isar", "Jordan Smith", "Kestrel", "Lindner", "Meridian", "Nordwind", "Orchard", "Pacific",
		"Quartz", "Reuter", "Sterling", "Tehran Grill", "Urban", "Vogel", "Westend", "Georgia Paper",
		"Chad Miller", "Zenith"}
	trades = []string{"Logistics", "Ceramics", "Printing", "Optics", "Catering", "Machinery", "Textiles",
		"Software", "Furniture", "Glazing", "Engines", "Gardens"}
	streets = []string{"Lindenstrasse 12", "12 Georgia Ave", "8 Market Street", "5 rue du Port",
		"Cuba Street 4", "Myanmar Road 77", "High Street 31", "Industrieweg 9"}
	notes = []string{"Contact: Jordan Smith, Tel. +98 21 5555 0101", "Origin of goods: Iran",
		"Delivered by Korea Express", "Reference: your order for the Yangon office"}
)

// newParties makes up parties. Of twenty, one was not paid before; of ten, one prints a line that names
// another country.
func newParties(random *rand.Rand, count int) []*party {
	parties := make([]*party, 0, count)
	names := map[string]bool{}
	for len(parties) < count {
		at := pickPlace(random)
		name := fmt.Sprintf("%s %s %s", pick(random, firstWords), pick(random, trades),
			pick(random, at.forms))
		if names[name] {
			name = fmt.Sprintf("%s %s %s %s", pick(random, firstWords), pick(random, firstWords),
				pick(random, trades), pick(random, at.forms))
		}
		if names[name] {
			continue
		}
		names[name] = true
		p := &party{name: name, street: pick(random, streets), city: at.city, country: at.country,
			currency: at.currency, account: newAccount(random, at.country),
			known: random.IntN(20) > 0, image: random.Uint64(), serial: 1000 + random.IntN(8000)}
		if at.country == "DE" {
			p.taxID = einvoice.TaxID(name)
		}
		if random.IntN(10) == 0 {
			p.note = pick(random, notes)
		}
		parties = append(parties, p)
	}
	return parties
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func pickPlace(random *rand.Rand) place {
	at := random.IntN(100)
	for _, p := range places {
		if at -= p.share; at < 0 {
			return p
		}
	}
	return places[0]
}

// placeOf returns the place of a country.
func placeOf(code string) place {
	for _, p := range places {
		if p.country == code {
			return p
		}
	}
	return places[0]
}

// newAccount makes up an account: a valid IBAN, or digits in a country without IBANs.
func newAccount(random *rand.Rand, code string) string {
	form := country.IBANForm(code)
	if form == "" {
		return fmt.Sprintf("%012d", 100_000_000_000+random.Int64N(800_000_000_000))
	}
	var account strings.Builder
	for _, kind := range form {
		if kind == 'a' {
			account.WriteByte(byte('A' + random.IntN(26))) //nolint:gosec // small
			continue
		}
		account.WriteByte(byte('0' + random.IntN(10))) //nolint:gosec // small
	}
	digits := ""
	for _, char := range account.String() + code + "00" {
		if char >= 'A' {
			digits += fmt.Sprint(int(char-'A') + 10)
			continue
		}
		digits += string(char)
	}
	number, _ := new(big.Int).SetString(digits, 10)
	check := 98 - new(big.Int).Mod(number, big.NewInt(97)).Int64()
	return fmt.Sprintf("%s%02d%s", code, check, account.String())
}
