package pdfacheck

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// The values of a PDF are nil, bool, int64, float64, name, text, array, dict, ref and operator.
type (
	name     string
	text     []byte
	array    []any
	dict     map[name]any
	operator string
	ref      struct{ number, generation int64 }
)

// parser reads the values of one part of a file.
type parser struct {
	data []byte
	at   int
	// report receives violations of clauses about single values.
	report func(clause, format string, values ...any)
}

const whiteSpace = "\x00\t\n\f\r "
const delimiters = "()<>[]{}/%"

func (p *parser) skipSpace() {
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case strings.IndexByte(whiteSpace, c) >= 0:
			p.at++
		case c == '%':
			for p.at < len(p.data) && p.data[p.at] != '\n' && p.data[p.at] != '\r' {
				p.at++
			}
		default:
			return
		}
	}
}

// word reads up to the next delimiter or white space.
func (p *parser) word() string {
	from := p.at
	for p.at < len(p.data) && strings.IndexByte(whiteSpace+delimiters, p.data[p.at]) < 0 {
		p.at++
	}
	return string(p.data[from:p.at])
}

// errEnd is returned at the end of the data.
var errEnd = fmt.Errorf("unexpected end")

// value reads one value. A reference is only recognised in files, not in content streams.
func (p *parser) value() (any, error) {
	p.skipSpace()
	if p.at >= len(p.data) {
		return nil, errEnd
	}
	rest := p.data[p.at:]
	switch c := rest[0]; {
	case bytes.HasPrefix(rest, []byte("<<")):
		p.at += 2
		return p.dictionary()
	case c == '<':
		p.at++
		return p.hexText()
	case c == '(':
		p.at++
		return p.literalText()
	case c == '[':
		p.at++
		return p.list()
	case c == '/':
		p.at++
		return p.readName()
	case strings.IndexByte(delimiters, c) >= 0:
		p.at++
		return nil, fmt.Errorf("unexpected %q at %d", c, p.at-1)
	}
	return p.number()
}

func (p *parser) number() (any, error) {
	word := p.word()
	switch word {
	case "null":
		return nil, nil
	case "true", "false":
		return word == "true", nil
	}
	if whole, err := strconv.ParseInt(word, 10, 64); err == nil {
		const most = 1<<31 - 1
		if whole > most || whole < -most-1 {
			p.report("6.1.13", "the number %d is too large", whole)
		}
		if found, ok := p.reference(whole); ok {
			return found, nil
		}
		return whole, nil
	}
	if real, err := strconv.ParseFloat(word, 64); err == nil {
		const most, least = 3.403e38, 1.175e-38
		if size := max(real, -real); size > most || size != 0 && size < least {
			p.report("6.1.13", "the number %s is too large or too small", word)
		}
		return real, nil
	}
	return operator(word), nil
}

// reference reads the rest of a reference after its first number.
func (p *parser) reference(number int64) (ref, bool) {
	from := p.at
	p.skipSpace()
	generation, err := strconv.ParseInt(p.word(), 10, 64)
	if err == nil {
		p.skipSpace()
		if p.word() == "R" {
			return ref{number, generation}, true
		}
	}
	p.at = from
	return ref{}, false
}

func (p *parser) readName() (any, error) {
	word := p.word()
	for at := strings.IndexByte(word, '#'); at >= 0 && at+3 <= len(word); {
		raw, err := hex.DecodeString(word[at+1 : at+3])
		if err != nil {
			return nil, err
		}
		word = word[:at] + string(raw) + word[at+3:]
		next := strings.IndexByte(word[at+1:], '#')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if len(word) > 127 {
		p.report("6.1.13", "a name has %d bytes", len(word))
	}
	return name(word), nil
}

func (p *parser) checkText(value text) (any, error) {
	if len(value) > 32767 {
		p.report("6.1.13", "a string has %d bytes", len(value))
	}
	return value, nil
}

func (p *parser) hexText() (any, error) {
	end := bytes.IndexByte(p.data[p.at:], '>')
	if end < 0 {
		return nil, errEnd
	}
	digits := string(bytes.Join(bytes.Fields(p.data[p.at:p.at+end]), nil))
	p.at += end + 1
	value, err := hex.DecodeString(digits)
	if err != nil {
		p.report("6.1.6", "the hexadecimal string <%.40s> is not one", digits)
	}
	return p.checkText(value)
}

func (p *parser) literalText() (any, error) {
	var value text
	for depth := 1; ; p.at++ {
		if p.at >= len(p.data) {
			return nil, errEnd
		}
		switch c := p.data[p.at]; c {
		case '\\':
			p.at++
			if p.at < len(p.data) {
				value = append(value, p.data[p.at])
			}
			continue
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			p.at++
			return p.checkText(value)
		}
		value = append(value, p.data[p.at])
	}
}

func (p *parser) list() (any, error) {
	found := array{}
	for {
		p.skipSpace()
		if p.at < len(p.data) && p.data[p.at] == ']' {
			p.at++
			return found, nil
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		found = append(found, value)
	}
}

func (p *parser) dictionary() (any, error) {
	found := dict{}
	for {
		p.skipSpace()
		if bytes.HasPrefix(p.data[min(p.at, len(p.data)):], []byte(">>")) {
			p.at += 2
			return found, nil
		}
		key, err := p.value()
		if err != nil {
			return nil, err
		}
		entry, ok := key.(name)
		if !ok {
			return nil, fmt.Errorf("a key of a dictionary is %v", key)
		}
		if found[entry], err = p.value(); err != nil {
			return nil, err
		}
	}
}
