package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/domain"
)

// anyState stands for every state of a case that is not over.
const anyState = "anywhere"

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
		case KindStage, KindReview, KindExternal, KindSaga, KindTimer:
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
	if def.OnAbandon != "" {
		fmt.Fprintf(&out, "    %s: as long as it is not over\n    %s --> %s: given up\n", anyState, anyState, def.OnAbandon)
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
	case edge.Trigger == TriggerTimeout:
		label = "after " + shortTime(node.Timeout)
	case edge.Trigger == TriggerError:
		label = "fails" + codesOf(edge)
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

func captionOf(node *Node) string {
	caption := node.Title["en"]
	if caption == "" {
		caption = strings.ReplaceAll(node.ID, "_", " ")
	}
	switch node.Kind {
	case KindReview:
		caption += fmt.Sprintf(" (queue %s", node.Queue)
		if node.Seats > 1 {
			caption += fmt.Sprintf(", %d of %d", node.Quorum, node.Seats)
		}
		caption += ")"
	case KindExternal:
		caption += fmt.Sprintf(" (outside, topic %s)", node.Topic)
	case KindTimer:
		caption += fmt.Sprintf(" (waits %s)", shortTime(node.After))
	case KindSaga:
		steps := make([]string, 0, len(node.Steps))
		for _, step := range node.Steps {
			steps = append(steps, step.ID)
		}
		caption += " (" + strings.Join(steps, ", then ") + ")"
	}
	return caption
}

func codesOf(edge Edge) string {
	var codes strings.Builder
	for i, code := range edge.Codes {
		codes.WriteString([]string{" with ", " or "}[min(i, 1)] + string(code))
	}
	return codes.String()
}

// shortTime is 72h for 72h0m0s.
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
