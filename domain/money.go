package domain

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/bojanz/currency"
)

// Money is an exact amount in the currency's minor units (cents, yen, fils) and its ISO 4217 code.
type Money struct {
	Minor    int64
	Currency string
}

// MaxMinor is the maximum of every amount: 10^15 minor units, far below an overflow in sums and
// conversions.
const MaxMinor int64 = 1_000_000_000_000_000

// BaseCurrency is the currency of limits unless a setting says otherwise.
const BaseCurrency = "USD"

// KnownCurrency reports whether the code is an ISO 4217 currency in use.
func KnownCurrency(code string) bool { return code != "" && currency.IsValid(code) }

// Currencies returns the codes of all currencies in use, sorted.
func Currencies() []string { return append([]string(nil), currency.GetCurrencyCodes()...) }

// Exponent returns the number of minor digits of the currency: 2 for USD, 0 for JPY, 3 for KWD.
func Exponent(code string) (int, bool) {
	digits, ok := currency.GetDigits(code)
	return int(digits), ok
}

// String renders the amount as a plain decimal and the code: "1234.56 EUR".
func (m Money) String() string { return m.Decimal() + " " + m.Currency }

// Decimal renders the amount as a plain decimal with the currency's digits: "1234.56".
func (m Money) Decimal() string {
	digits, _ := Exponent(m.Currency)
	return FormatMinor(m.Minor, digits)
}

// FormatGrouped renders the amount for a sentence, with thousands separators: "1,234.56 EUR".
func (m Money) FormatGrouped() string {
	text := m.Decimal()
	whole, rest := text, ""
	if at := strings.IndexByte(text, '.'); at >= 0 {
		whole, rest = text[:at], text[at:]
	}
	sign := len(whole) - len(strings.TrimPrefix(whole, "-"))
	for at := len(whole) - 3; at > sign; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return whole + rest + " " + m.Currency
}

// FormatMinor renders minor units as a plain decimal with the given number of digits.
func FormatMinor(minor int64, digits int) string {
	sign, value := "", big.NewInt(minor)
	if value.Sign() < 0 {
		sign, value = "-", value.Neg(value)
	}
	text := value.String()
	if digits == 0 {
		return sign + text
	}
	if len(text) <= digits {
		text = strings.Repeat("0", digits-len(text)+1) + text
	}
	return sign + text[:len(text)-digits] + "." + text[len(text)-digits:]
}

var (
	plainAmount   = regexp.MustCompile(`^-?\d+(?:[.,]\d+)?$`)
	groupedPoint  = regexp.MustCompile(`^-?\d{1,3}(?:[, '’\x{00a0}\x{202f}]\d{3})+(?:\.\d+)?$`)
	groupedComma  = regexp.MustCompile(`^-?\d{1,3}(?:[. '’\x{00a0}\x{202f}]\d{3})+(?:,\d+)?$`)
	groupedIndian = regexp.MustCompile(`^-?\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$`)
)

// ParseMoney parses a decimal as written by people or on documents ("1.234,56", "1,234.56", "1
// 234.5") in the given currency. It never rounds. It returns InvalidInput for more decimals than
// the currency has, for a single separator that could mean thousands or decimals ("1.234"), for
// text that is not a number, and for an amount above MaxMinor.
func ParseMoney(text, code string) (Money, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	digits, ok := Exponent(code)
	if !ok {
		return Money{}, Invalid(
			"currency", "Unknown currency %q. Use a three-letter code such as EUR.", code,
		)
	}
	whole, fraction, err := splitDecimal(strings.TrimSpace(text), digits)
	if err != nil {
		return Money{}, err
	}
	for len(fraction) > digits && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	if len(fraction) > digits {
		return Money{}, Invalid(
			"amount", "%s has %d decimal places, but %s allows %d.", text, len(fraction), code,
			digits,
		)
	}
	value, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10)
	if value.CmpAbs(big.NewInt(MaxMinor)) > 0 {
		return Money{}, amountTooLarge(text)
	}
	return Money{Minor: value.Int64(), Currency: code}, nil
}

var plainNumber = regexp.MustCompile(`^-?\d{1,18}(?:\.\d{1,10})?$`)

// ParseDecimal parses a plain decimal with a point, as programs write amounts ("1234.5"), in the given
// currency. Unlike ParseMoney it accepts no other notation, so that no separator is ambiguous. It
// returns InvalidInput for more decimals than the currency has and for an amount above MaxMinor.
func ParseDecimal(text, code string) (Money, error) {
	if !plainNumber.MatchString(text) {
		return Money{}, Invalid("amount", "%q is not an amount. Write it like 1234.56.", shorten(text))
	}
	if whole, fraction, found := strings.Cut(text, "."); found && mayBeThousands(whole, fraction) {
		text = whole + "." + fraction + "0" // three digits after a point are decimals here
	}
	return ParseMoney(text, code)
}

// splitDecimal returns the digits before and after the decimal separator, grouping removed, sign
// kept in whole.
func splitDecimal(text string, digits int) (whole, fraction string, err error) {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '-' || (r >= '0' && r <= '9') {
				return r
			}
			return -1
		}, s)
	}
	cut := func(separator string) (string, string) {
		before, after, _ := strings.Cut(text, separator)
		return bare(before), after
	}
	switch {
	case len(text) > 40:
		return "", "", amountTooLarge(text)
	case plainAmount.MatchString(text):
		at := strings.IndexAny(text, ".,")
		if at < 0 {
			return text, "", nil
		}
		if mayBeThousands(text[:at], text[at+1:]) && (digits != 3 || text[at] == ',') {
			return "", "", ambiguous(text)
		}
		return text[:at], text[at+1:], nil
	case groupedPoint.MatchString(text), groupedIndian.MatchString(text):
		whole, fraction = cut(".")
	case groupedComma.MatchString(text):
		whole, fraction = cut(",")
	default:
		return "", "", Invalid(
			"amount", "%q is not an amount. Write it like 1234.56.", shorten(text),
		)
	}
	return whole, fraction, nil
}

// mayBeThousands reports whether a single separator can separate thousands: exactly three digits
// follow it, and up to three digits other than a single 0 precede it.
func mayBeThousands(before, after string) bool {
	before = strings.TrimPrefix(before, "-")
	return len(after) == 3 && len(before) <= 3 && before != "0"
}

func amountTooLarge(text string) *Error {
	return Invalid("amount", "The amount %s is too large.", shorten(text))
}

func ambiguous(text string) *Error {
	return Invalid("amount", "The separator in %q could mean thousands or decimals.", text).
		WithRemedy("Write it with both decimals, for example 1234.00, or without any separator.")
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 24 {
		return string(runes[:24]) + "…"
	}
	return text
}

// ToBase converts to the base currency by a rate in millionths of a base minor unit per minor unit
// of m. It rounds away from zero, so that rounding never brings an amount below a limit.
func (m Money) ToBase(rateMicros int64) int64 {
	product := new(big.Int).Mul(big.NewInt(m.Minor), big.NewInt(rateMicros))
	quotient, rest := new(big.Int).QuoRem(product, big.NewInt(1_000_000), new(big.Int))
	if rest.Sign() != 0 {
		quotient.Add(quotient, big.NewInt(int64(rest.Sign())))
	}
	if !quotient.IsInt64() {
		return MaxMinor * int64(product.Sign())
	}
	return quotient.Int64()
}
