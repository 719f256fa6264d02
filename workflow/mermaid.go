package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/domain"
)

// anyState is the diagram's name for any state of a case that has not ended.
const anyState = "anywhere"

// Mermaid draws a definition as a Mermaid state diagram for the documentation, in the order of the
// definition. A call is one state; the called process has a diagram of its own.
func Mermaid(def *Definition) string {
	var out strings.Builder
	out.WriteString("stateDiagram-v2\n")
	own := slices.DeleteFunc(def.Shown(), func(node *Node) bool { return node.Within != "" })
	for _, node := range own {
		if declaration := node.declaration(); declaration != "" {
			fmt.Fprintf(&out, "    %s\n", declaration)
		}
	}
	var reentries []string
	for _, node := range own {
		for _, edge := range node.ownEdges() {
			edge.target = def.index[edge.To]
			if edge.returns(node) && !slices.Contains(reentries, edge.To) {
				reentries = append(reentries, edge.To)
			}
			drawEdge(&out, node, edge)
		}
		if node.Kind == KindReview && node.EscalateTo != "" {
			fmt.Fprintf(&out, "    %s --> %s: escalate to %s\n", node.ID, node.ID, node.EscalateTo)
		}
	}
	if def.OnAbandon != "" && !def.Callable {
		fmt.Fprintf(&out, "    %s: any open state\n    %s --> %s: abandoned\n", anyState, anyState,
			def.OnAbandon)
	}
	if len(reentries) == 0 || def.Callable {
		return out.String()
	}
	fmt.Fprintf(&out, "    %s: waits for the submitter\n", Returned)
	for _, node := range reentries {
		fmt.Fprintf(&out, "    %s --> %s: resubmitted\n", Returned, node)
	}
	if !slices.Contains(reentries, def.OnReplace) {
		fmt.Fprintf(&out, "    %s --> %s: document replaced\n", Returned, def.OnReplace)
	}
	return out.String()
}

// declaration returns the declaration of a node, "" if it needs none.
func (n *Node) declaration() string {
	switch {
	case n.Call != nil:
		return stateDeclaration(n, " (calls "+n.Call.Process+")")
	case n.Ends:
		return ""
	}
	return n.impl.draw(n)
}

func drawEdge(out *strings.Builder, node *Node, edge Edge) {
	from, to, label := node.ID, edge.To, edge.On
	switch {
	case node.Kind == KindStart:
		from = "[*]"
	case edge.returns(node):
		to = Returned
	case edge.Trigger == TriggerTimeout:
		label = "after " + shortTime(node.Timeout)
	case edge.Trigger == TriggerError:
		label = "fails" + codesOf(edge)
	case edge.When != "":
		label = edge.When
	case node.Kind == KindExclusive && node.Call == nil:
		label = "otherwise"
	case label == OutcomeDone:
		label = ""
	}
	switch {
	case edge.target.Ends:
		to, label = "[*]", strings.TrimSpace(label+" "+edge.To)
	case edge.target.Kind == KindEnd:
		to, label = "[*]", strings.TrimSpace(label+" "+string(edge.target.Status))
	}
	if edge.CancelsAll && !edge.returns(node) {
		label += " (withdraws all other work)"
	}
	if len(edge.Cancels) > 0 {
		label += " (withdraws " + strings.Join(edge.Cancels, ", ") + ")"
	}
	fmt.Fprintf(out, "    %s --> %s", from, to)
	if label != "" {
		// A colon or semicolon would end the label for Mermaid.
		out.WriteString(": " + strings.NewReplacer(":", "꞉", ";", ",", "\n", " ").Replace(label))
	}
	out.WriteByte('\n')
}

func (e Edge) returns(from *Node) bool {
	return from.Kind == KindReview && e.On == string(domain.Return)
}

// stateDeclaration declares a node that waits for work: its id, its title and a detail.
func stateDeclaration(node *Node, detail string) string {
	title := node.Title["en"]
	if title == "" {
		title = strings.ReplaceAll(node.ID, "_", " ")
	}
	return node.ID + ": " + title + detail
}

func codesOf(edge Edge) string {
	var codes strings.Builder
	for i, code := range edge.Codes {
		codes.WriteString([]string{" with ", " or "}[min(i, 1)] + string(code))
	}
	return codes.String()
}

// shortTime formats a duration without zero units: 72h instead of 72h0m0s.
func shortTime(length time.Duration) string {
	text := length.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
