package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// yamlWidth is the width beyond which a mapping or list is written in several lines, and a text is
// folded.
const yamlWidth = 110

// yamlValue is a scalar, a list or a mapping.
type yamlValue interface {
	// flow writes the value within one line; ok is false if it must be in several.
	flow() (text string, ok bool)
	// lines writes the value in several lines, without indentation.
	lines() []string
}

type yamlScalar struct {
	text  string
	plain bool // written as it is: a number, true or false
}

type yamlList struct {
	items []yamlValue
	block bool // always in several lines
}

type yamlMap struct {
	keys   []string
	values []yamlValue
	block  bool // always in several lines
}

func (m *yamlMap) addValue(key string, value yamlValue) {
	m.keys, m.values = append(m.keys, key), append(m.values, value)
}

func (m *yamlMap) add(key, text string) { m.addValue(key, yamlScalar{text: text}) }

func (m *yamlMap) addPlain(key, text string) {
	m.addValue(key, yamlScalar{text: text, plain: true})
}

// addList adds a list of texts, nothing if it is empty.
func (m *yamlMap) addList(key string, texts []string) {
	if len(texts) == 0 {
		return
	}
	list := yamlList{}
	for _, text := range texts {
		list.items = append(list.items, yamlScalar{text: text})
	}
	m.addValue(key, list)
}

func writeYAML(top yamlMap) []byte { return []byte(strings.Join(top.lines(), "\n") + "\n") }

func (s yamlScalar) flow() (string, bool) {
	if s.plain {
		return s.text, true
	}
	return quoteYAML(s.text, true), true
}

// lines writes a text of a mapping; the first line follows the key.
func (s yamlScalar) lines() []string {
	switch {
	case s.plain:
		return []string{s.text}
	case isLiteral(s.text):
		return append([]string{"|-"}, strings.Split(s.text, "\n")...)
	case len(s.text) > yamlWidth && isFoldable(s.text):
		return append([]string{">-"}, fold(s.text)...)
	}
	return []string{quoteYAML(s.text, false)}
}

func (l yamlList) flow() (string, bool) {
	parts := make([]string, 0, len(l.items))
	for _, item := range l.items {
		part, ok := item.flow()
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	text := "[" + strings.Join(parts, ", ") + "]"
	return text, !l.block && len(text) <= yamlWidth
}

func (l yamlList) lines() []string {
	var lines []string
	for _, item := range l.items {
		text, ok := item.flow()
		content := []string{text}
		if !ok {
			content = item.lines()
		}
		for i, line := range content {
			lines = append(lines, []string{"- ", "  "}[min(i, 1)]+line)
		}
	}
	return lines
}

func (m yamlMap) flow() (string, bool) {
	parts := make([]string, 0, len(m.keys))
	for i, key := range m.keys {
		part, ok := m.values[i].flow()
		if !ok {
			return "", false
		}
		parts = append(parts, quoteKey(key)+": "+part)
	}
	text := "{" + strings.Join(parts, ", ") + "}"
	return text, !m.block && len(text) <= yamlWidth
}

func (m yamlMap) lines() []string {
	var lines []string
	for i, key := range m.keys {
		prefix := quoteKey(key) + ":"
		value := m.values[i]
		if scalar, ok := value.(yamlScalar); ok {
			content := scalar.lines()
			lines = append(lines, prefix+" "+content[0])
			lines = append(lines, indented(content[1:])...)
			continue
		}
		if text, ok := value.flow(); ok {
			lines = append(lines, prefix+" "+text)
			continue
		}
		lines = append(lines, prefix)
		lines = append(lines, indented(value.lines())...)
	}
	return lines
}

func indented(lines []string) []string {
	result := make([]string, 0, len(lines))
	for _, line := range lines {
		result = append(result, "  "+line)
	}
	return result
}

var (
	durationPattern = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`)
	// notTexts are the words that YAML does not read as texts, in lower case.
	notTexts = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"}
)

// quoteYAML writes a text in one line, without quotes if it reads as the same text then.
func quoteYAML(text string, inFlow bool) string {
	switch {
	case isPlain(text, inFlow):
		return text
	case strings.ContainsAny(text, `"\`) && !strings.Contains(text, "'") &&
		!strings.ContainsFunc(text, mustEscape):
		return "'" + text + "'"
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, char := range text {
		switch {
		case char == '"' || char == '\\':
			out.WriteByte('\\')
			out.WriteRune(char)
		case char == '\n':
			out.WriteString(`\n`)
		case char == '\t':
			out.WriteString(`\t`)
		case mustEscape(char):
			fmt.Fprintf(&out, `\u%04X`, char)
		default:
			out.WriteRune(char)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// quoteKey writes the key of a mapping; a name is never another value there.
func quoteKey(key string) string {
	if namePattern.MatchString(key) {
		return key
	}
	return quoteYAML(key, true)
}

// isPlain reports whether YAML reads the text without quotes as the same text.
func isPlain(text string, inFlow bool) bool {
	if durationPattern.MatchString(text) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(first) && first != '_' || strings.HasSuffix(text, " ") ||
		strings.Contains(text, "  ") || slices.Contains(notTexts, strings.ToLower(text)) ||
		strings.Contains(text, " #") || strings.Contains(text, ":") {
		return false
	}
	return !strings.ContainsFunc(text, func(char rune) bool {
		return mustEscape(char) || char != ' ' && unicode.IsSpace(char) || char == '`' ||
			inFlow && strings.ContainsRune(`,[]{}"'?`, char)
	})
}

// mustEscape reports whether a character is written as an escape: the reader refuses it, or it would
// be invisible.
func mustEscape(char rune) bool {
	return unicode.IsControl(char) && char != '\n' && char != '\t' || char == '\u2028' ||
		char == '\u2029' || char == '\uFEFF' || char == utf8.RuneError
}

// isLiteral reports whether a text of several lines can be written line by line.
func isLiteral(text string) bool {
	if !strings.Contains(text, "\n") || strings.ContainsFunc(text, mustEscape) {
		return false
	}
	for _, line := range strings.Split(text, "\n") {
		if line == "" || strings.TrimSpace(line) != line {
			return false
		}
	}
	return true
}

// isFoldable reports whether a text in one line can be broken at its spaces.
func isFoldable(text string) bool {
	return !strings.ContainsFunc(text, func(char rune) bool {
		return mustEscape(char) || unicode.IsSpace(char) && char != ' '
	}) && !strings.Contains(text, "  ") && strings.TrimSpace(text) == text
}

func fold(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		if line != "" && len(line)+1+len(word) > yamlWidth {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
