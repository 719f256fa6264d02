package workflow

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// Mermaid draws a definition as a Mermaid state diagram, in the order of the definition, for the documentation.
func Mermaid(def *Definition) string {
	var out strings.Builder
	out.WriteString("stateDiagram-v2\n")
	for _, node := range def.Nodes {
		switch node.Kind {
		case KindExclusive:
			fmt.Fprintf(&out, "    state %s <<choice>>\n", node.ID)
		case KindFork, KindJoin:
			fmt.Fprintf(&out, "    state %s <<%s>>\n", node.ID, node.Kind)
		case KindStage, KindReview:
			fmt.Fprintf(&out, "    %s: %s\n", node.ID, captionOf(node))
		}
	}
	var goesOn []string
	for _, node := range def.Nodes {
		for _, edge := range node.Edges {
			if edge.returns(node) && !slices.Contains(goesOn, edge.To) {
				goesOn = append(goesOn, edge.To)
			}
			drawEdge(&out, node, edge)
		}
		if node.Kind == KindReview && node.EscalateTo != "" {
			fmt.Fprintf(&out, "    %s --> %s: escalate to %s\n", node.ID, node.ID, node.EscalateTo)
		}
	}
	if len(goesOn) == 0 {
		return out.String()
	}
	fmt.Fprintf(&out, "    %s: waits for the submitter\n", Returned)
	for _, node := range goesOn {
		fmt.Fprintf(&out, "    %s --> %s: resubmitted\n", Returned, node)
	}
	if !slices.Contains(goesOn, def.OnReplace) {
		fmt.Fprintf(&out, "    %s --> %s: document replaced\n", Returned, def.OnReplace)
	}
	return out.String()
}

func drawEdge(out *strings.Builder, node *Node, edge Edge) {
	from, to, label := node.ID, edge.To, edge.On
	switch {
	case node.Kind == KindStart:
		from = "[*]"
	case edge.returns(node):
		to = Returned
	case edge.When != "":
		label = edge.When
	case node.Kind == KindExclusive:
		label = "otherwise"
	case label == OutcomeDone:
		label = ""
	}
	if edge.target.Kind == KindEnd {
		to, label = "[*]", strings.TrimSpace(label+" "+string(edge.target.Status))
	}
	if edge.CancelsAll && !edge.returns(node) {
		label += " (withdraws all else)"
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

func captionOf(node *Node) string {
	caption := node.Title["en"]
	if caption == "" {
		caption = strings.ReplaceAll(node.ID, "_", " ")
	}
	if node.Kind == KindReview {
		caption += fmt.Sprintf(" (queue %s", node.Queue)
		if node.Seats > 1 {
			caption += fmt.Sprintf(", %d of %d", node.Quorum, node.Seats)
		}
		caption += ")"
	}
	return caption
}
