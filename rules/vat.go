package rules

import "strings"

// VATProblem returns the problem of a VAT id: form, check_digits, or "" for none.
func VATProblem(text string) string {
	if text == "" {
		return ""
	}
	if !VATWellFormed(text) {
		return "form"
	}
	id := normalizeCode(text)
	for _, length := range []int{3, 2} {
		if len(id) <= length {
			continue
		}
		if fits, ok := vatChecks[id[:length]]; ok && !fits(id[length:]) {
			return "check_digits"
		}
	}
	return ""
}

// vatChecks verifies the check digits of a well-formed number, for countries that publish a simple
// rule.
var vatChecks = map[string]func(string) bool{
	"AT":  func(n string) bool { return checkAustrian(n[1:]) },
	"BE":  func(n string) bool { return (97-numberOf(n[:8])%97)%100 == numberOf(n[8:]) },
	"CHE": func(n string) bool { return weightedCheckDigit(n[:9], 11, 5, 4, 3, 2, 7, 6, 5, 4) },
	"DE":  mod11And10,
	"DK":  func(n string) bool { return weightedSum(n, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0 },
	"EL": func(n string) bool {
		return weightedSum(n, 256, 128, 64, 32, 16, 8, 4,
			2)%11%10 == digit(n, 8)
	},
	"FI": func(n string) bool { return weightedCheckDigit(n, 11, 7, 9, 10, 5, 8, 4, 2) },
	"FR": checkFrench,
	"HR": mod11And10,
	"IT": luhn,
	"LU": func(n string) bool { return numberOf(n[:6])%89 == numberOf(n[6:]) },
	"NO": func(n string) bool { return weightedCheckDigit(n[:9], 11, 3, 2, 7, 6, 5, 4, 3, 2) },
	"PL": func(n string) bool {
		return weightedSum(n, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == digit(n,
			9)
	},
	"PT": func(n string) bool { return checkPortuguese(n) },
	"SE": func(n string) bool { return luhn(n[:10]) },
}

func digit(n string, at int) int { return int(n[at] - '0') }

func numberOf(n string) int {
	value := 0
	for i := range len(n) {
		value = value*10 + digit(n, i)
	}
	return value
}

// weightedSum returns the sum of the first digits multiplied by their weights.
func weightedSum(n string, weights ...int) int {
	sum := 0
	for i, weight := range weights {
		sum += weight * digit(n, i)
	}
	return sum
}

// weightedCheckDigit reports whether the digit after the weighted ones completes their sum to a
// multiple of the modulus. A check value of 10 has no digit, so such a number is invalid.
func weightedCheckDigit(n string, modulus int, weights ...int) bool {
	check := (modulus - weightedSum(n, weights...)%modulus) % modulus
	return check < 10 && check == digit(n, len(weights))
}

// mod11And10 verifies a check digit by ISO 7064 MOD 11,10.
func mod11And10(n string) bool {
	product := 10
	for i := range len(n) - 1 {
		sum := (digit(n, i) + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	return (11-product)%10 == digit(n, len(n)-1)
}

// luhn verifies a number by the Luhn algorithm, which doubles every second digit from the right.
func luhn(n string) bool {
	sum := 0
	for i := range len(n) {
		value := digit(n, len(n)-1-i)
		if i%2 == 1 {
			if value *= 2; value > 9 {
				value -= 9
			}
		}
		sum += value
	}
	return sum%10 == 0
}

func checkAustrian(n string) bool {
	sum := 0
	for i := range 7 {
		value := digit(n, i)
		if i%2 == 1 {
			value = value*2/10 + value*2%10
		}
		sum += value
	}
	return (10-(sum+4)%10)%10 == digit(n, 7)
}

// checkFrench verifies numeric keys. It accepts newer keys with letters, which follow another rule.
func checkFrench(n string) bool {
	if strings.Trim(n, "0123456789") != "" {
		return true
	}
	return (12+3*(numberOf(n[2:])%97))%97 == numberOf(n[:2])
}

func checkPortuguese(n string) bool {
	check := 11 - weightedSum(n, 9, 8, 7, 6, 5, 4, 3, 2)%11
	if check > 9 {
		check = 0
	}
	return check == digit(n, 8)
}
