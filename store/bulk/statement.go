package bulk

import (
	"fmt"
	"strconv"
	"strings"
)

// Statement collects the common table expressions and the arguments of one statement. The zero
// value is empty and ready to use.
type Statement struct {
	ctes []string
	args []any
}

// Arg adds an argument and returns its placeholder.
func (s *Statement) Arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

// Args returns the arguments in the order of their placeholders.
func (s *Statement) Args() []any { return s.args }

// AddCTE adds a common table expression; its query is formatted by fmt.Sprintf.
func (s *Statement) AddCTE(name, format string, args ...any) {
	s.ctes = append(s.ctes, name+" AS ("+fmt.Sprintf(format, args...)+")")
}

// With returns the WITH clause of all common table expressions, in the order in which they were
// added.
func (s *Statement) With() string { return "WITH " + strings.Join(s.ctes, ",\n") + "\n" }
