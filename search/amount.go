package search

import (
	"strings"
	"unicode/utf8"

	"countersign/domain/country"
)

// maxDigits is the greatest number of digits before the fraction of an amount.
const maxDigits = 15

// groupChars separate groups of three digits, decimalChars the fraction.
const (
	groupChars   = " .,'’\u00a0\u202f"
	decimalChars = ".,"
)

// amount is a number in a text: its digits in one form, such as 1032210.5, and its end.
type amount struct {
	whole, fraction string
	to              int
}

// form returns the amount without separators of groups, leading zeros and zeros at the end of the
// fraction.
func (a amount) form() string {
	if a.fraction == "" {
		return a.whole
	}
	return a.whole + "." + a.fraction
}

// amount emits the amount that begins with the run: as a whole, and without its fraction, because
// people search amounts without cents too. One without separators is a word already.
func (s *scanner) amount(i int) {
	if i > 0 && s.continues(i) {
		return
	}
	if a, ok := s.amountAt(i); ok {
		s.emit(Token{a.form(), s.runs[i].from, a.to})
		if a.fraction != "" {
			s.emit(Token{a.whole, s.runs[i].from, a.to})
		}
	}
}

// continues reports whether the run is a later group of the digits before it, which were read as an
// amount from their beginning.
func (s *scanner) continues(i int) bool {
	before, r := s.runs[i-1], s.runs[i]
	return before.digits && r.digits && s.separator(before.to, r.from, ".,'’") != 0
}

// amountAt reads the amount that begins with the run; false if it is no number or has no separator.
func (s *scanner) amountAt(i int) (amount, bool) {
	first := s.runs[i]
	if !first.digits {
		return amount{}, false
	}
	digits, to, group := s.digits(i), first.to, rune(0)
	next := i + 1
	for len(digits) <= maxDigits && next < len(s.runs) && s.runs[next].digits {
		char := s.separator(to, s.runs[next].from, groupChars)
		more := s.digits(next)
		if char == 0 || group != 0 && char != group || len(more) != 3 || group == 0 && len(digits) > 3 {
			break
		}
		group, digits, to = char, digits+more, s.runs[next].to
		next++
	}
	fraction := ""
	if next < len(s.runs) && s.runs[next].digits {
		char := s.separator(to, s.runs[next].from, decimalChars)
		if more := s.digits(next); char != 0 && char != group && len(more) <= 2 {
			fraction, to, group = more, s.runs[next].to, char
		}
	}
	if group == 0 || len(digits) > maxDigits {
		return amount{}, false
	}
	whole := strings.TrimLeft(digits, "0")
	if whole == "" {
		whole = "0"
	}
	return amount{whole, strings.TrimRight(fraction, "0"), to}, true
}

func (s *scanner) digits(i int) string { return Fold(s.text[s.runs[i].from:s.runs[i].to]) }

// separator returns the one character between two places if it is one of chars, otherwise 0.
func (s *scanner) separator(from, to int, chars string) rune {
	char, size := utf8.DecodeRuneInString(s.text[from:to])
	if size != to-from || !strings.ContainsRune(chars, char) {
		return 0
	}
	return char
}

// maxIBAN is the length of the longest IBAN.
const maxIBAN = 34

// iban emits the IBAN that begins with the run and is printed in groups. One without blanks is a word
// already.
func (s *scanner) iban(i int) {
	if code, to, ok := s.ibanAt(i); ok && to > s.runs[i].to {
		s.emit(Token{code, s.runs[i].from, to})
	}
}

// ibanAt reads the IBAN that begins with the run.
func (s *scanner) ibanAt(i int) (code string, to int, ok bool) {
	first := s.text[s.runs[i].from:s.runs[i].to]
	if len(first) < 4 || len(first) > maxIBAN || !isLetter(first[0]) || !isLetter(first[1]) ||
		!isDigit(first[2]) || !isDigit(first[3]) {
		return "", 0, false
	}
	length := country.IBANLength(strings.ToUpper(first[:2]))
	whole := first
	for next := i + 1; ; next++ {
		if len(whole) >= length {
			break
		}
		if next == len(s.runs) || s.separator(s.runs[next-1].to, s.runs[next].from, " \u00a0\u202f-.") == 0 {
			return "", 0, false
		}
		whole += s.text[s.runs[next].from:s.runs[next].to]
		i = next
	}
	if len(whole) != length || country.IBANRemainder(strings.ToUpper(whole)) != 1 {
		return "", 0, false
	}
	return strings.ToLower(whole), s.runs[i].to, true
}

func isLetter(char byte) bool { return char|0x20 >= 'a' && char|0x20 <= 'z' }

func isDigit(char byte) bool { return char >= '0' && char <= '9' }
