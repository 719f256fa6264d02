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
	Edges []GraphEdge
}

// GraphEdgeKind says what takes a case along a line.
type GraphEdgeKind string

// The kinds of lines.
const (
	EdgeNext    GraphEdgeKind = "next"    // the only way, or a branch of a fork
	EdgeOutcome GraphEdgeKind = "outcome" // of a stage or saga; Label names it
	EdgeVerdict GraphEdgeKind = "verdict" // of a review; Label names it
	EdgeReturn  GraphEdgeKind = "return"  // the submitter answers, then the case goes on there
	EdgeBranch  GraphEdgeKind = "branch"  // Label is the guard
	EdgeDefault GraphEdgeKind = "default" // no branch is true
	EdgeTimeout GraphEdgeKind = "timeout" // Label is the time
	EdgeError   GraphEdgeKind = "error"   // Label names the failures, "" for all
	EdgeAbandon GraphEdgeKind = "abandon" // from anywhere; From is ""
)

// GraphEdge is one edge of a graph.
type GraphEdge struct {
	ID         string
	From, To   string
	Kind       GraphEdgeKind
	Label      string
	Cancels    []string // nodes whose open work is withdrawn
	CancelsAll bool
}

// NewGraph returns the definition as nodes and lines.
func NewGraph(def *Definition) Graph {
	graph := Graph{Nodes: def.Nodes}
	for _, node := range def.Nodes {
		for i, edge := range node.Edges {
			line := GraphEdge{ID: fmt.Sprintf("%s.%d", node.ID, i), From: node.ID, To: edge.To, Cancels: edge.Cancels, CancelsAll: edge.CancelsAll}
			line.Kind, line.Label = edge.graphLabel(node)
			graph.Edges = append(graph.Edges, line)
		}
	}
	if def.OnAbandon != "" {
		graph.Edges = append(graph.Edges, GraphEdge{ID: "abandon", To: def.OnAbandon, Kind: EdgeAbandon, CancelsAll: true})
	}
	return graph
}

func (e Edge) graphLabel(from *Node) (GraphEdgeKind, string) {
	switch {
	case e.Trigger == TriggerTimeout:
		return EdgeTimeout, shortTime(from.Timeout)
	case e.Trigger == TriggerError:
		codes := make([]string, 0, len(e.Codes))
		for _, code := range e.Codes {
			codes = append(codes, string(code))
		}
		return EdgeError, strings.Join(codes, ", ")
	case e.returns(from):
		return EdgeReturn, e.On
	case from.Kind == KindReview:
		return EdgeVerdict, e.On
	case from.Kind == KindExclusive && e.When == "":
		return EdgeDefault, ""
	case from.Kind == KindExclusive:
		return EdgeBranch, e.When
	case e.On != "" && e.On != OutcomeDone:
		return EdgeOutcome, e.On
	}
	return EdgeNext, ""
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
	versionPattern = regexp.MustCompile(`(?m)^version:[ \t]*[0-9]+[ \t]*(#.*)?$`)
	keyPattern     = regexp.MustCompile(`(?m)^key:.*$`)
)

// WithVersion returns the text with its version set to n: its own line is changed, or one is added after the key's. A text
// that has neither line as block YAML writes them comes back as it is; reading it shows which version it names.
func WithVersion(source []byte, n int) []byte {
	line := fmt.Appendf(nil, "version: %d", n)
	if at := versionPattern.FindIndex(source); at != nil {
		return slices.Concat(source[:at[0]], line, source[at[1]:])
	}
	if at := keyPattern.FindIndex(source); at != nil {
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
