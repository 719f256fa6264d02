package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"time"

	"countersign/domain"
	"countersign/expr"
)

// The defaults and limits of a node's attributes.
const (
	defaultAttempts = 3
	defaultBackoff  = time.Second
	defaultClaim    = 2 * time.Hour
	defaultDecide   = 24 * time.Hour
	defaultLease    = 5 * time.Minute
	maxSeats        = 9
	maxSteps        = 20
	maxAttempts     = 20
	maxDuration     = 366 * 24 * time.Hour
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// nameRule describes namePattern in problem messages.
const nameRule = "use lower-case letters, digits and underscores, starting with a letter"

// Parse reads a definition from YAML and checks it statically. If it has problems, the error is
// UnsoundDefinition with the first one; Check returns all of them.
func Parse(source []byte) (*Definition, error) {
	def, problems := Check(source)
	if err := problemsError(problems); err != nil {
		return nil, err
	}
	return def, nil
}

// Check is Parse for an editor: it returns every static problem it finds. The definition is nil if
// there is any. Check does not explore the reachable markings; Verify does.
func Check(source []byte) (*Definition, []Problem) {
	text, lines, problem := readText(source)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	return build(text, lines)
}

// build makes the definition of a decoded text, or lists its problems. lines holds the line of each
// node.
func build(text definitionText, lines []int) (*Definition, []Problem) {
	text, problems := compose(text, lines)
	b := builder{def: &Definition{index: map[string]*Node{}}, problems: problems}
	b.header(text)
	if len(text.Nodes) > maxNodes {
		b.addProblem(nil, "size", "A definition can have at most %d nodes; this one has %d.",
			maxNodes, len(text.Nodes))
		return nil, b.problems
	}
	if n := operatorsIn(text); n > expr.MaxOperatorsInAll {
		b.addProblem(nil, "size",
			"The conditions of a definition can have at most %d operators; these have %d.",
			expr.MaxOperatorsInAll, n)
		return nil, b.problems
	}
	for _, node := range text.Nodes {
		b.node(node)
	}
	b.resolveEdges(text)
	if len(b.problems) == 0 {
		b.checkGraph()
	}
	if len(b.problems) > 0 {
		b.addProblemPaths()
		sort.SliceStable(b.problems,
			func(i, j int) bool { return b.problems[i].Line < b.problems[j].Line })
		return nil, b.problems
	}
	b.def.routes = newRouteMap(b.def)
	return b.def, nil
}

func operatorsIn(text definitionText) (n int) {
	for _, node := range text.Nodes {
		for _, branch := range node.Branches {
			n += expr.Operators(branch.When)
		}
	}
	return n
}

// builder makes a definition from its text and collects the problems.
type builder struct {
	def      *Definition
	facts    expr.Environment // what guards can use
	problems []Problem
}

// addProblem adds a problem of the node, nil for the whole definition. The result is valid until the next one is added.
func (b *builder) addProblem(node *Node, rule, format string, args ...any) *Problem {
	problem := Problem{Rule: rule, Message: fmt.Sprintf(format, args...)}
	if node != nil {
		problem.Node, problem.Line = node.ID, node.Line
		if node.Ends && node.Within != "" { // its edge is in the text of the call
			problem.Node = node.Within
		}
	}
	b.problems = append(b.problems, problem)
	return &b.problems[len(b.problems)-1]
}

func (b *builder) header(text definitionText) {
	def := b.def
	def.Key, def.Version, def.Title, def.Callable = text.Key, text.Version, text.Title, text.Callable
	def.DocumentTypes, def.KeyFacts = text.DocumentTypes, text.KeyFacts
	def.HasAmount = text.HasAmount == nil || *text.HasAmount
	if !namePattern.MatchString(text.Key) {
		b.addProblem(nil, "name", "The key %q is not valid: "+nameRule+".", text.Key)
	}
	def.RemindSubmitter = b.duration(nil, "remind_submitter", text.RemindSubmitter, 0)
	b.neededFacts(text.Needs)
	b.orderRule(text.Order)
	b.reopenStatuses(text.Reopen)
	b.submissionAttributes(text.Attributes)
	b.supportingDocuments(text.Documents)
	if text.Version == 0 {
		def.Version = 1
	}
	if def.Version < 1 {
		b.addProblem(nil, "version", "The version must be at least 1, not %d.", text.Version)
	}
}

// node adds one node with its attributes; resolveEdges resolves the targets of its edges later.
func (b *builder) node(text nodeText) {
	node := &Node{ID: text.ID, Kind: Kind(text.Kind), Title: text.Title, Line: text.part.line,
		Behaviour: text.Behaviour, Within: text.part.within}
	if node.Behaviour == "" {
		node.Behaviour = text.Kind
	}
	switch {
	case !text.part.composed && !namePattern.MatchString(text.ID):
		b.addProblem(node, "name", "The id %q is not valid: "+nameRule+".", text.ID)
	case text.ID == Returned:
		b.addProblem(node, "name", "The id %q is reserved.", Returned)
	case b.def.index[text.ID] != nil:
		b.addProblem(node, "duplicate_id", "The id is already used in line %d.",
			b.def.index[text.ID].Line)
		return
	}
	node.impl = nodeKinds[node.Kind]
	b.checkAttributes(node, text)
	if node.impl == nil {
		b.addProblem(node, "kind", "The kind %q is unknown.", text.Kind)
	} else {
		node.impl.parse(b, node, text)
	}
	node.number = len(b.def.Nodes)
	b.def.Nodes = append(b.def.Nodes, node)
	b.def.index[node.ID] = node
}

// attempts reads how often and at which intervals the work of a node is attempted.
func (b *builder) attempts(node *Node, text nodeText) {
	node.Attempts = b.number(node, "attempts", text.Attempts, defaultAttempts, 1, maxAttempts)
	node.Backoff = b.duration(node, "backoff", text.Backoff, defaultBackoff)
}

// stageOutcomes adds the edges of a stage, which has either next or on.
func (b *builder) stageOutcomes(node *Node, text nodeText) {
	if (text.Next == "") == (len(text.On) == 0) {
		b.addProblem(node, "outcomes", "A stage needs either next or on.")
	}
	if text.Next != "" {
		node.Edges = []Edge{{On: OutcomeDone, To: text.Next}}
	}
	b.outcomes(node, text.On)
}

// outcomes adds the edges of "on" sorted by name, because a YAML mapping has no order.
func (b *builder) outcomes(node *Node, on map[string]targetText) {
	names := make([]string, 0, len(on))
	for name := range on {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !namePattern.MatchString(name) {
			b.addProblem(node, "outcomes", "The outcome %q is not valid: "+nameRule+".", name)
		}
		node.Edges = append(node.Edges,
			b.cancels(node, Edge{On: name, To: on[name].To}, on[name].Cancel))
	}
}

// boundaryTimeout reads the boundary timer.
func (b *builder) boundaryTimeout(node *Node, text *timeoutText) {
	if text == nil {
		return
	}
	if node.Timeout = b.duration(node, "timeout", text.After, 0); node.Timeout == 0 {
		b.addProblem(node, "timeout", "A timeout needs after, the time until it fires.")
	}
	node.Edges = append(node.Edges,
		b.cancels(node, Edge{Trigger: TriggerTimeout, To: text.To}, text.Cancel))
}

// boundaryErrors reads the boundary errors. The edge for every failure must be the last one and a
// code may be listed only once, because otherwise an edge would never be taken.
func (b *builder) boundaryErrors(node *Node, texts []errorText) {
	var used []domain.Code
	known := domain.Codes()
	for i, text := range texts {
		if len(text.Codes) == 0 && i < len(texts)-1 {
			b.addProblem(node, "errors", "The edge for every failure must be the last one.")
		}
		edge := Edge{Trigger: TriggerError, To: text.To}
		for _, name := range text.Codes {
			code := domain.Code(name)
			if !slices.Contains(known, code) {
				b.addProblem(node, "errors", "The failure code %q is unknown.", name)
			}
			if slices.Contains(used, code) {
				b.addProblem(node, "errors", "The failure code %s is listed twice.", name)
			}
			used = append(used, code)
			edge.Codes = append(edge.Codes, code)
		}
		node.Edges = append(node.Edges, b.cancels(node, edge, text.Cancel))
	}
}

// cancels adds to an edge which open work it withdraws.
func (b *builder) cancels(node *Node, edge Edge, text cancelText) Edge {
	if text.word != "" && text.word != cancelAll {
		b.addProblem(node, "cancel", "cancel must be all or a list of nodes, not %q.", text.word)
	}
	edge.CancelsAll, edge.Cancels = text.word == cancelAll, text.nodes
	return edge
}

func (b *builder) status(node *Node, text string, usual domain.Status) {
	node.Status = domain.Status(text)
	switch node.Status {
	case "":
		node.Status = usual
	case domain.Processing, domain.InReview, domain.Approved, domain.Settling:
	default:
		b.addProblem(node, "status",
			"The status of a %s must be processing, in_review, approved or settling, not %q.",
			node.Kind, text)
	}
}

func (b *builder) finalStatus(node *Node, text string) {
	if node.Status = domain.Status(text); !node.Status.Final() {
		b.addProblem(node, "status",
			"The status of an end must be archived, rejected or abandoned, not %q.", text)
	}
}

func (b *builder) number(node *Node, name string, value *int, usual, least, most int) int {
	if value == nil {
		return usual
	}
	if *value < least || *value > most {
		b.addProblem(node, name, "%s must be between %d and %d, not %d.", name, least, most, *value)
		return usual
	}
	return *value
}

func (b *builder) duration(node *Node, name, text string, usual time.Duration) time.Duration {
	if text == "" {
		return usual
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 || value > maxDuration {
		b.addProblem(node, name, "%s must be a duration such as 90s, 30m or 24h, not %q.",
			name, text)
		return usual
	}
	return value
}

func messageOf(err error) string {
	if failure := asDomainError(err); failure != nil {
		return failure.Message
	}
	return err.Error()
}
