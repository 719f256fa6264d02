package clientaddr

import (
	"net/netip"
	"slices"
	"strings"
)

// forwardedBy yields the addresses of Forwarded, the last element of the last line first. An
// element without an address (none, unknown, an obfuscated identifier) and a line that is not of
// the grammar yield an invalid one.
func forwardedBy(lines []string) func(func(netip.Addr) bool) {
	return func(yield func(netip.Addr) bool) {
		for _, line := range slices.Backward(lines) {
			elements, ok := parseForwarded(line)
			if !ok {
				// A quote that a client left open would swallow what the proxy added, so the whole
				// line counts as unreadable.
				elements = []netip.Addr{{}}
			}
			for _, address := range slices.Backward(elements) {
				if !yield(address) {
					return
				}
			}
		}
	}
}

// scanner reads one line of the header strictly by the grammar of RFC 7239, section 4.
type scanner struct{ rest string }

// parseForwarded returns the address of each element, in order; false where the line is not of the
// grammar.
func parseForwarded(line string) ([]netip.Addr, bool) {
	s := &scanner{rest: line}
	var elements []netip.Addr
	for {
		s.blanks()
		if s.accept(',') { // empty elements of a list are allowed, and say nothing
			continue
		}
		if s.rest == "" {
			return elements, len(elements) > 0
		}
		address, ok := s.element()
		if !ok {
			return nil, false
		}
		elements = append(elements, address)
		if s.blanks(); s.rest != "" && !s.accept(',') {
			return nil, false
		}
	}
}

// element reads pairs separated by semicolons.
func (s *scanner) element() (address netip.Addr, ok bool) {
	seen := map[string]bool{}
	for {
		name := strings.ToLower(s.token())
		if name == "" || seen[name] || !s.accept('=') {
			return netip.Addr{}, false
		}
		seen[name] = true
		value, ok := s.value()
		if !ok {
			return netip.Addr{}, false
		}
		if name == "for" {
			address = addressIn(value)
		}
		if s.blanks(); !s.accept(';') {
			return address, true
		}
		s.blanks()
	}
}

// value reads a token, an address with colons and brackets that some proxies write without quotes,
// or a quoted string.
func (s *scanner) value() (string, bool) {
	if !s.accept('"') {
		value := s.while(func(c byte) bool {
			return isToken(c) ||
				strings.IndexByte(":[]/", c) >= 0
		})
		return value, value != ""
	}
	var value strings.Builder
	for s.rest != "" {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return value.String(), true
		case c == '\\' && s.rest != "":
			c = s.rest[0]
			s.rest = s.rest[1:]
		}
		value.WriteByte(c)
	}
	return "", false
}

func (s *scanner) token() string { return s.while(isToken) }

func (s *scanner) blanks() { s.rest = strings.TrimLeft(s.rest, " \t") }

func (s *scanner) accept(c byte) bool {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) while(fits func(byte) bool) string {
	end := 0
	for end < len(s.rest) && fits(s.rest[end]) {
		end++
	}
	found := s.rest[:end]
	s.rest = s.rest[end:]
	return found
}

// isToken reports whether the byte may occur in a token of HTTP.
func isToken(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
