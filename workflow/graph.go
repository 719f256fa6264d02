package workflow

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Graph is a definition as it is drawn, in its own order.
type Graph struct {
	Nodes []*Node
	Edges []Line
}

// LineKind says what takes a case along a line.
type LineKind string

// The kinds of lines.
const (
	LineNext    LineKind = "next"    // the only way, or a branch of a fork
	LineOutcome LineKind = "outcome" // of a stage or saga; Label names it
	LineVerdict LineKind = "verdict" // of a review; Label names it
	LineReturn  LineKind = "return"  // the submitter answers, then the case goes on there
	LineBranch  LineKind = "branch"  // Label is the guard
	LineDefault LineKind = "default" // no branch is true
	LineTimeout LineKind = "timeout" // Label is the time
	LineError   LineKind = "error"   // Label names the failures, "" for all
	LineAbandon LineKind = "abandon" // from anywhere; From is ""
)

// Line is one edge of a graph.
type Line struct {
	ID         string
	From, To   string
	Kind       LineKind
	Label      string
	Cancels    []string // nodes whose open work is withdrawn
	CancelsAll bool
}

// Draw returns the definition as nodes and lines.
func Draw(def *Definition) Graph {
	graph := Graph{Nodes: def.Nodes}
	for _, node := range def.Nodes {
		for i, edge := range node.Edges {
			line := Line{ID: fmt.Sprintf("%s.%d", node.ID, i), From: node.ID, To: edge.To, Cancels: edge.Cancels, CancelsAll: edge.CancelsAll}
			line.Kind, line.Label = edge.drawn(node)
			graph.Edges = append(graph.Edges, line)
		}
	}
	if def.OnAbandon != "" {
		graph.Edges = append(graph.Edges, Line{ID: "abandon", To: def.OnAbandon, Kind: LineAbandon, CancelsAll: true})
	}
	return graph
}

func (e Edge) drawn(from *Node) (LineKind, string) {
	switch {
	case e.Trigger == TriggerTimeout:
		return LineTimeout, shortTime(from.Timeout)
	case e.Trigger == TriggerError:
		codes := make([]string, 0, len(e.Codes))
		for _, code := range e.Codes {
			codes = append(codes, string(code))
		}
		return LineError, strings.Join(codes, ", ")
	case e.returns(from):
		return LineReturn, e.On
	case from.Kind == KindReview:
		return LineVerdict, e.On
	case from.Kind == KindExclusive && e.When == "":
		return LineDefault, ""
	case from.Kind == KindExclusive:
		return LineBranch, e.When
	case e.On != "" && e.On != OutcomeDone:
		return LineOutcome, e.On
	}
	return LineNext, ""
}

// PathNode returns the node that an event on a counter-example's path happens at, "" for one of the case as a whole.
func PathNode(event string) string {
	name, _, _ := strings.Cut(event, " ")
	switch EventKind(name) {
	case Started, Resubmitted, Replaced, Entered, Abandoned:
		return ""
	}
	return name
}

var (
	versionLine = regexp.MustCompile(`(?m)^version:[ \t]*[0-9]+[ \t]*(#.*)?$`)
	keyLine     = regexp.MustCompile(`(?m)^key:.*$`)
)

// WithVersion returns the text with its version set to n: its own line is changed, or one is added after the key's. A text
// that has neither line as block YAML writes them comes back as it is; reading it shows which version it names.
func WithVersion(source []byte, n int) []byte {
	line := fmt.Appendf(nil, "version: %d", n)
	if at := versionLine.FindIndex(source); at != nil {
		return slices.Concat(source[:at[0]], line, source[at[1]:])
	}
	if at := keyLine.FindIndex(source); at != nil {
		return slices.Concat(source[:at[1]], []byte("\n"), line, source[at[1]:])
	}
	return bytes.Clone(source)
}

// Reviews returns the definition's review nodes.
func (d *Definition) Reviews() []*Node {
	return slices.DeleteFunc(slices.Clone(d.Nodes), func(n *Node) bool { return n.Kind != KindReview })
}

// Types returns the document types a case of the process can have; one empty name where any is taken.
func (d *Definition) Types() []string {
	if len(d.DocumentTypes) == 0 {
		return []string{""}
	}
	return d.DocumentTypes
}
