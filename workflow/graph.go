package workflow

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Graph is the drawing of a definition, in the order of the definition.
type Graph struct {
	Nodes []*Node
	Edges []GraphEdge
	// RemindSubmitter is how long after a return the submitter is reminded, such as 72h; "" = never.
	RemindSubmitter string
}

// GraphEdgeKind is the reason for which a case takes an edge.
type GraphEdgeKind string

// The kinds of edges.
const (
	EdgeNext    GraphEdgeKind = "next"    // the only edge, or a branch of a fork
	EdgeOutcome GraphEdgeKind = "outcome" // of a stage or saga; Label names it
	EdgeVerdict GraphEdgeKind = "verdict" // of a review; Label names it
	EdgeReturn  GraphEdgeKind = "return"  // leads to the node after the submitter's answer
	EdgeBranch  GraphEdgeKind = "branch"  // Label is the guard
	EdgeDefault GraphEdgeKind = "default" // no branch is true
	EdgeTimeout GraphEdgeKind = "timeout" // Label is the time
	EdgeError   GraphEdgeKind = "error"   // Label lists the failure codes, "" for all
	EdgeAbandon GraphEdgeKind = "abandon" // from any node; From is ""
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

// NewGraph returns the definition as nodes and edges.
func NewGraph(def *Definition) Graph {
	graph := Graph{Nodes: def.Shown()}
	if def.RemindSubmitter > 0 {
		graph.RemindSubmitter = shortTime(def.RemindSubmitter)
	}
	for _, node := range graph.Nodes {
		for i, edge := range node.Edges {
			if edge.target.isClosing() {
				continue
			}
			drawn := GraphEdge{ID: fmt.Sprintf("%s.%d", node.ID, i), From: node.ID, To: edge.To,
				Cancels: edge.Cancels, CancelsAll: edge.CancelsAll}
			drawn.Kind, drawn.Label = edge.graphLabel(node)
			graph.Edges = append(graph.Edges, drawn)
		}
	}
	if def.OnAbandon != "" && !def.Callable {
		graph.Edges = append(graph.Edges,
			GraphEdge{ID: "abandon", To: def.OnAbandon, Kind: EdgeAbandon, CancelsAll: true})
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
	case from.Call != nil || from.Ends && from.endName() == OutcomeDone:
		return EdgeNext, ""
	case from.Ends:
		return EdgeOutcome, from.endName()
	case from.Kind == KindExclusive && e.When == "":
		return EdgeDefault, ""
	case from.Kind == KindExclusive:
		return EdgeBranch, e.When
	case e.On != "" && e.On != OutcomeDone:
		return EdgeOutcome, e.On
	}
	return EdgeNext, ""
}

// PathNode returns the node of an event on a counter-example's path, "" for an event of the case as
// a whole.
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

// WithVersion returns the YAML text with its version set to n: it changes the version line, or adds
// one after the key line. A text with neither line in block style is returned unchanged.
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
	return slices.DeleteFunc(slices.Clone(d.Nodes),
		func(n *Node) bool { return n.Kind != KindReview })
}

// Types returns the document types that a case of the process can have, or one empty name if it
// accepts any.
func (d *Definition) Types() []string {
	if len(d.DocumentTypes) == 0 {
		return []string{""}
	}
	return d.DocumentTypes
}
