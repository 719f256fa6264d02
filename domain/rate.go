package domain

import (
	"strconv"
	"strings"
)

// RateMicros converts "base units for one unit" to millionths of a base minor unit for one minor
// unit, rounded up. Currencies differ in minor digits: the yen has none, the dinar three.
func RateMicros(currency, rate string) (int64, error) {
	digits, ok := Exponent(currency)
	base, _ := Exponent(BaseCurrency)
	if !ok {
		return 0, Invalid("currency", "The currency %q is not known.", currency)
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(rate), ".")
	if len(whole) > 9 || len(fraction) > 9 || strings.Trim(whole+fraction, "0123456789") != "" ||
		whole+fraction == "" {
		return 0, Invalid("rate", "%q is not a valid rate.",
			rate).WithRemedy("Write it like 1.0875.")
	}
	nanos, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	if err != nil || nanos == 0 {
		return 0, Invalid("rate", "The rate %q is not above zero.", rate)
	}
	divisor := int64(1000) // from nanos to micros
	for ; digits > base; digits-- {
		divisor *= 10
	}
	for ; digits < base; digits++ {
		if nanos > (1<<62)/10 {
			return 0, Invalid("rate", "The rate %s is too large.", rate)
		}
		nanos *= 10
	}
	return (nanos + divisor - 1) / divisor, nil
}

// RateText converts a rate in micros back to base units for one unit.
func RateText(currency string, micros int64) string {
	digits, _ := Exponent(currency)
	base, _ := Exponent(BaseCurrency)
	scale := 6 + base - digits // decimal places of the rate
	text := strconv.FormatInt(micros, 10)
	if scale <= 0 {
		return text + strings.Repeat("0", -scale)
	}
	if len(text) <= scale {
		text = strings.Repeat("0", scale-len(text)+1) + text
	}
	return strings.TrimRight(strings.TrimRight(text[:len(text)-scale]+"."+text[len(text)-scale:],
		"0"), ".")
}
