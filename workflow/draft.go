package workflow

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
)

// Draft is what the text of a definition says, before it is checked: attributes that the text leaves
// out have no entry. DraftOf and YAML are the inverse of Parse.
type Draft struct {
	Key     string
	Version int // 0: left out
	Title   map[string]string

	Callable                               bool
	DocumentTypes, KeyFacts, Needs, Reopen []string

	NoAmount                                      bool
	Order, ReEnter, OnReplace, OnEnter, OnAbandon string
	RemindSubmitter                               string

	Attributes []domain.AttributeRule
	Documents  []domain.DocumentRule
	Nodes      []DraftNode
}

// DraftNode is what the text of a definition says about one node.
type DraftNode struct {
	ID         string
	Kind       Kind
	Title      map[string]string
	Attributes []Attribute // with one value each, in the order of the text
	QueueFor   map[string]string
	Remind     []string
	Skills     []string
	Bulk       []Attribute // max_amount, max_risk and undo
	Steps      []SagaStep
	Timeout    string // of the boundary timer, "" if there is none
	Edges      []Edge
}

// Attribute is one attribute of a node, with its value as the text of a definition has it.
type Attribute struct{ Name, Value string }

// Attribute returns the value of an attribute; ok is false if the text leaves it out.
func (n *DraftNode) Attribute(name string) (value string, ok bool) {
	at := slices.IndexFunc(n.Attributes, func(a Attribute) bool { return a.Name == name })
	if at < 0 {
		return "", false
	}
	return n.Attributes[at].Value, true
}

type nodeAttribute struct {
	name  string
	value func(*Node) string
}

// nodeAttributes are the attributes with one value, in the order in which a text has them.
var nodeAttributes = []nodeAttribute{
	{"process", func(n *Node) string {
		if n.Call == nil {
			return ""
		}
		return n.Call.Process
	}},
	{"behaviour", func(n *Node) string { return n.Behaviour }},
	{"topic", func(n *Node) string { return n.Topic }},
	{"queue", func(n *Node) string { return n.Queue }},
	{"required", func(n *Node) string { return strconv.FormatBool(n.Required) }},
	{"waits_for_budget", func(n *Node) string { return strconv.FormatBool(n.WaitsForBudget) }},
	{"lease", func(n *Node) string { return shortTime(n.Lease) }},
	{"pays", func(n *Node) string { return strconv.FormatBool(!n.PaysNothing) }},
	{"after", func(n *Node) string { return shortTime(n.After) }},
	{"level", func(n *Node) string { return strconv.Itoa(n.Level) }},
	{"duty", func(n *Node) string { return n.Duty }},
	{"seats", func(n *Node) string { return strconv.Itoa(n.Seats) }},
	{"quorum", func(n *Node) string { return strconv.Itoa(n.Quorum) }},
	{"decide_by", func(n *Node) string { return string(n.DecideBy) }},
	{"abstain", func(n *Node) string { return strconv.FormatBool(n.Abstain) }},
	{"votes", func(n *Node) string { return string(n.Votes) }},
	{"chair_queue", func(n *Node) string { return n.ChairQueue }},
	{"chair_level", func(n *Node) string { return strconv.Itoa(n.ChairLevel) }},
	{"veto_queue", func(n *Node) string { return n.VetoQueue }},
	{"veto_level", func(n *Node) string { return strconv.Itoa(n.VetoLevel) }},
	{"claim_within", func(n *Node) string { return shortTime(n.ClaimWithin) }},
	{"overdue", func(n *Node) string { return string(n.Overdue) }},
	{"decide_within", func(n *Node) string { return shortTime(n.DecideWithin) }},
	{"escalate_to", func(n *Node) string { return n.EscalateTo }},
	{"escalate_level", func(n *Node) string { return strconv.Itoa(n.EscalateLevel) }},
	{"undo", func(n *Node) string { return shortTime(n.Undo) }},
	{"signature_above", func(n *Node) string {
		if n.SignatureAbove == nil {
			return ""
		}
		return strconv.FormatInt(*n.SignatureAbove, 10)
	}},
	{"attempts", func(n *Node) string { return strconv.Itoa(n.Attempts) }},
	{"backoff", func(n *Node) string { return shortTime(n.Backoff) }},
	{"status", func(n *Node) string { return string(n.Status) }},
	{"outcome", func(n *Node) string { return string(n.Outcome) }},
}

// numbers and truths are the attributes whose value is not a text.
var (
	numbers = []string{"level", "seats", "quorum", "escalate_level", "signature_above", "attempts",
		"chair_level", "veto_level", "max_amount", "max_risk"}
	truths = []string{"required", "waits_for_budget", "pays", "abstain"}
)

// DraftOf returns what the text of a definition says, without the attributes that have their default.
func DraftOf(def *Definition) Draft {
	draft := Draft{Key: def.Key, Version: def.Version, Title: def.Title, Callable: def.Callable,
		DocumentTypes: def.DocumentTypes, KeyFacts: def.KeyFacts, Needs: def.Needs,
		NoAmount: !def.HasAmount, Order: string(def.Order), ReEnter: def.ReEnter,
		OnReplace: def.OnReplace, OnEnter: def.OnEnter, OnAbandon: def.OnAbandon,
		Attributes: def.Attributes, Documents: def.Documents}
	for _, status := range def.Reopen {
		draft.Reopen = append(draft.Reopen, string(status))
	}
	if def.RemindSubmitter > 0 {
		draft.RemindSubmitter = shortTime(def.RemindSubmitter)
	}
	usual := builder{def: &Definition{index: def.index, start: def.start, HasAmount: def.HasAmount}}
	usual.orderRule("")
	usual.resolveEntryPoints(definitionText{ReEnter: "", OnAbandon: def.OnAbandon})
	omitUsual(&draft.Order, string(usual.def.Order))
	omitUsual(&draft.OnEnter, def.ReEnter)
	omitUsual(&draft.ReEnter, usual.def.ReEnter)
	omitUsual(&draft.OnReplace, usual.def.OnReplace)
	if draft.Version == 1 {
		draft.Version = 0
	}
	if def.Callable {
		draft.Order, draft.ReEnter, draft.OnReplace, draft.OnEnter, draft.OnAbandon = "", "", "", "", ""
	}
	for _, node := range def.Shown() {
		if node.Within == "" {
			draft.Nodes = append(draft.Nodes, draftNode(node))
		}
	}
	return draft
}

func omitUsual(value *string, usual string) {
	if *value == usual {
		*value = ""
	}
}

func draftNode(node *Node) DraftNode {
	draft := DraftNode{ID: node.ID, Kind: node.ShownKind(), Title: node.Title, QueueFor: node.QueueFor,
		Skills: node.Skills, Steps: node.Steps, Edges: node.ownEdges()}
	attributes := nodeKinds[draft.Kind].attributes()
	for _, attribute := range nodeAttributes {
		if !slices.Contains(attributes, attribute.name) {
			continue
		}
		value := attribute.value(node)
		if value != attribute.value(node.without(attribute.name)) {
			draft.Attributes = append(draft.Attributes, Attribute{attribute.name, value})
		}
	}
	if node.Timeout > 0 {
		draft.Timeout = shortTime(node.Timeout)
	}
	for _, before := range node.Remind {
		draft.Remind = append(draft.Remind, shortTime(before))
	}
	if node.Bulk != nil {
		draft.Bulk = []Attribute{
			{"max_amount", strconv.FormatInt(node.Bulk.MaxBaseMinor, 10)},
			{"max_risk", strconv.Itoa(node.Bulk.MaxRisk)}}
		if node.Bulk.Undo != node.Undo {
			draft.Bulk = append(draft.Bulk, Attribute{"undo", shortTime(node.Bulk.Undo)})
		}
	}
	return draft
}

// ownEdges returns the edges of the node as its text has them.
func (n *Node) ownEdges() []Edge {
	edges := n.Edges
	switch {
	case n.Call != nil:
		edges = n.Call.Results
	case n.Ends:
		return nil
	}
	edges = slices.Clone(edges)
	for i := range edges {
		edges[i].Cancels = callsOf(edges[i].Cancels)
	}
	return edges
}

// callsOf replaces the nodes of called processes by the calls around them.
func callsOf(ids []string) (own []string) {
	for _, id := range ids {
		id, _, _ = strings.Cut(id, callSeparator)
		if !slices.Contains(own, id) {
			own = append(own, id)
		}
	}
	return own
}

// without returns the node as the parser reads it when its text leaves an attribute out. Of the other
// attributes it has those on which a default depends.
func (n *Node) without(name string) *Node {
	text := nodeText{ID: n.ID, Kind: string(n.ShownKind()), Behaviour: n.Behaviour, Queue: n.Queue,
		Outcome: string(n.Outcome), Level: &n.Level, Seats: &n.Seats,
		ChairQueue: n.ChairQueue, VetoQueue: n.VetoQueue}
	switch name {
	case "behaviour":
		text.Behaviour = ""
	case "queue":
		text.Queue = ""
	case "outcome":
		text.Outcome = ""
	case "chair_queue":
		text.ChairQueue = ""
	case "veto_queue":
		text.VetoQueue = ""
	case "level":
		text.Level = nil
	case "seats":
		text.Seats = nil
	}
	b := builder{def: &Definition{index: map[string]*Node{}}}
	b.node(text)
	return b.def.index[n.ID]
}

// AttributeProblem returns why the text of a definition cannot have the attribute at a node of the
// kind, as the end of a sentence; "" if it can. It does not check values that are texts.
func AttributeProblem(kind Kind, attribute Attribute) string {
	impl := nodeKinds[kind]
	known := slices.ContainsFunc(nodeAttributes,
		func(one nodeAttribute) bool { return one.name == attribute.Name })
	switch {
	case impl == nil:
		return "has the unknown kind " + strconv.Quote(string(kind))
	case !known || !slices.Contains(impl.attributes(), attribute.Name):
		return "cannot have the attribute " + strconv.Quote(attribute.Name)
	}
	return ValueProblem(attribute)
}

// ValueProblem returns why the attribute cannot have its value, "" if it can. A text is not checked.
func ValueProblem(attribute Attribute) string {
	if slices.Contains(numbers, attribute.Name) {
		if _, err := strconv.ParseUint(attribute.Value, 10, 63); err != nil {
			return "needs a number as " + attribute.Name
		}
	}
	if slices.Contains(truths, attribute.Name) && attribute.Value != "true" &&
		attribute.Value != "false" {
		return "needs true or false as " + attribute.Name
	}
	return ""
}

// KnownCode reports whether a boundary error can have the code.
func KnownCode(code domain.Code) bool { return slices.Contains(domain.Codes(), code) }

// ShortDuration formats a duration as the text of a definition has it: 72h instead of 72h0m0s.
func ShortDuration(length time.Duration) string { return shortTime(length) }
