package workflow

import (
	"fmt"
	"regexp"
	"sort"
	"time"

	"countersign/domain"
	"countersign/expr"
)

// Defaults of nodes that do not say otherwise.
const (
	defaultStageQueue = "light"
	defaultAttempts   = 3
	defaultBackoff    = time.Second
	defaultClaim      = 2 * time.Hour
	defaultDecide     = 24 * time.Hour
	defaultLease      = 5 * time.Minute
	maxSeats          = 9
	maxSteps          = 20
	maxAttempts       = 20
	maxDuration       = 366 * 24 * time.Hour
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// Parse reads a definition from YAML and checks it statically. A fault is UnsoundDefinition; Check lists all of them.
func Parse(source []byte) (*Definition, error) {
	def, problems := Check(source)
	if err := problemsError(problems); err != nil {
		return nil, err
	}
	return def, nil
}

// Check is Parse for an editor: it returns every fault it can find in one go. The definition is nil when there is one.
// It does not explore the net; Prove does.
func Check(source []byte) (*Definition, []Problem) {
	text, lines, problem := readText(source)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	return build(text, lines)
}

// build makes the definition of a text that was read, or lists its faults; lines holds the line of each node.
func build(text definitionText, lines []int) (*Definition, []Problem) {
	b := builder{def: &Definition{index: map[string]*Node{}}}
	b.header(text)
	if len(text.Nodes) > maxNodes {
		b.addProblem(nil, "size", "a definition has at most %d nodes, this one has %d", maxNodes, len(text.Nodes))
		return nil, b.problems
	}
	if n := operatorsIn(text); n > expr.MaxOperatorsInAll {
		b.addProblem(nil, "size", "the conditions of a definition have at most %d operators, these have %d", expr.MaxOperatorsInAll, n)
		return nil, b.problems
	}
	for i, node := range text.Nodes {
		line := 0
		if i < len(lines) {
			line = lines[i]
		}
		b.node(node, line)
	}
	b.resolveEdges(text)
	if len(b.problems) == 0 {
		b.checkGraph()
	}
	if len(b.problems) > 0 {
		b.addProblemPaths()
		sort.SliceStable(b.problems, func(i, j int) bool { return b.problems[i].Line < b.problems[j].Line })
		return nil, b.problems
	}
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

// builder makes a definition out of its text and gathers the faults.
type builder struct {
	def      *Definition
	problems []Problem
}

func (b *builder) addProblem(node *Node, rule, format string, args ...any) {
	problem := Problem{Rule: rule, Message: fmt.Sprintf(format, args...)}
	if node != nil {
		problem.Node, problem.Line = node.ID, node.Line
	}
	b.problems = append(b.problems, problem)
}

func (b *builder) header(text definitionText) {
	def := b.def
	def.Key, def.Version, def.Title = text.Key, text.Version, text.Title
	def.DocumentTypes, def.KeyFacts = text.DocumentTypes, text.KeyFacts
	def.HasAmount = text.HasAmount == nil || *text.HasAmount
	if !namePattern.MatchString(text.Key) {
		b.addProblem(nil, "name", "key %q: small letters, digits and underscores, a letter first", text.Key)
	}
	b.reopenStatuses(text.Reopen)
	if text.Version == 0 {
		def.Version = 1
	}
	if def.Version < 1 {
		b.addProblem(nil, "version", "version %d: versions count from 1", text.Version)
	}
}

// node adds one node with its attributes; targets are resolved by connect.
func (b *builder) node(text nodeText, line int) {
	node := &Node{ID: text.ID, Kind: Kind(text.Kind), Title: text.Title, Line: line, Behaviour: text.Behaviour}
	if node.Behaviour == "" {
		node.Behaviour = text.Kind
	}
	switch {
	case !namePattern.MatchString(text.ID):
		b.addProblem(node, "name", "id %q: small letters, digits and underscores, a letter first", text.ID)
	case text.ID == Returned:
		b.addProblem(node, "name", "the id %q is reserved", Returned)
	case b.def.index[text.ID] != nil:
		b.addProblem(node, "duplicate_id", "the id is used twice, first in line %d", b.def.index[text.ID].Line)
		return
	}
	b.checkAttributes(node, text)
	switch node.Kind {
	case KindStart, KindJoin:
		node.Edges = []Edge{{To: text.Next}}
	case KindStage:
		b.stage(node, text)
	case KindExternal:
		b.external(node, text)
	case KindSaga:
		b.saga(node, text)
	case KindTimer:
		b.timer(node, text)
	case KindReview:
		b.review(node, text)
	case KindExclusive:
		b.gateway(node, text)
	case KindFork:
		for _, to := range text.To {
			node.Edges = append(node.Edges, Edge{To: to})
		}
	case KindEnd:
		if node.Status = domain.Status(text.Status); !node.Status.Final() {
			b.addProblem(node, "status", "the status of an end is archived, rejected or abandoned, not %q", text.Status)
		}
	default:
		b.addProblem(node, "kind", "the kind %q is not known", text.Kind)
	}
	b.def.Nodes = append(b.def.Nodes, node)
	b.def.index[node.ID] = node
}

func (b *builder) stage(node *Node, text nodeText) {
	node.Queue, node.QueueFor = text.Queue, text.QueueFor
	if node.Queue == "" {
		node.Queue = defaultStageQueue
	}
	node.Attempts = b.number(node, "attempts", text.Attempts, defaultAttempts, 1, maxAttempts)
	node.Backoff = b.duration(node, "backoff", text.Backoff, defaultBackoff)
	node.Outcome = domain.Status(text.Outcome)
	if text.Outcome != "" && !node.Outcome.Final() {
		b.addProblem(node, "outcome", "the outcome of a sealing stage is archived, rejected or abandoned, not %q", text.Outcome)
	}
	usual := domain.Processing
	switch {
	case node.Outcome == domain.Archived:
		usual = domain.Approved
	case node.Outcome != "":
		usual = domain.Settling
	}
	b.status(node, text.Status, usual)
	if (text.Next == "") == (len(text.On) == 0) {
		b.addProblem(node, "outcomes", "a stage has either next or on")
	}
	if text.Next != "" {
		node.Edges = []Edge{{On: OutcomeDone, To: text.Next}}
	}
	b.outcomes(node, text.On)
	b.boundaryErrors(node, text.Errors)
}

func (b *builder) review(node *Node, text nodeText) {
	node.Queue, node.Duty = text.Queue, text.Duty
	if node.Queue == "" {
		b.addProblem(node, "queue", "a review names its queue")
	}
	if node.Duty == "" {
		node.Duty = DutyApproval
	}
	node.Level = b.number(node, "level", text.Level, 1, 1, 9)
	node.Seats = b.number(node, "seats", text.Seats, 1, 1, maxSeats)
	node.Quorum = b.number(node, "quorum", text.Quorum, node.Seats, 1, node.Seats)
	node.ClaimWithin = b.duration(node, "claim_within", text.ClaimWithin, defaultClaim)
	node.DecideWithin = b.duration(node, "decide_within", text.DecideWithin, defaultDecide)
	switch node.Overdue = Overdue(text.Overdue); node.Overdue {
	case "":
		node.Overdue = OverdueAlert
	case OverdueAlert, OverdueReassign:
	default:
		b.addProblem(node, "overdue", "overdue is alert or reassign, not %q", text.Overdue)
	}
	if text.EscalateTo != nil {
		node.EscalateTo = *text.EscalateTo
	} else if node.Queue != domain.QueueL2 {
		node.EscalateTo = domain.QueueL2
	}
	if node.EscalateTo != "" && node.EscalateTo == node.Queue {
		b.addProblem(node, "escalate_to", "a review is escalated to another queue than its own")
	}
	node.EscalateLevel = b.number(node, "escalate_level", text.EscalateLevel, min(node.Level+1, 9), 1, 9)
	b.status(node, text.Status, domain.InReview)
	b.outcomes(node, text.On)
	for _, verdict := range []domain.Verdict{domain.Approve, domain.Reject} {
		if node.outcomeEdge(string(verdict)) == nil {
			b.addProblem(node, "outcomes", "a review says where %s leads", verdict)
		}
	}
	for i := range node.Edges {
		switch domain.Verdict(node.Edges[i].On) {
		case domain.Approve, domain.Reject:
		case domain.Return:
			node.Edges[i].CancelsAll = true
		default:
			b.addProblem(node, "outcomes", "%q is not a verdict that leads somewhere (approve, reject, return)", node.Edges[i].On)
		}
	}
	b.boundaryTimeout(node, text.Timeout)
	b.reviewTerms(node, text)
}

// outcomes adds the edges of "on" in a fixed order, whatever the order in the text.
func (b *builder) outcomes(node *Node, on map[string]targetText) {
	names := make([]string, 0, len(on))
	for name := range on {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if !namePattern.MatchString(name) {
			b.addProblem(node, "outcomes", "the outcome %q: small letters, digits and underscores", name)
		}
		node.Edges = append(node.Edges, b.cancels(node, Edge{On: name, To: on[name].To}, on[name].Cancel))
	}
}

func (b *builder) gateway(node *Node, text nodeText) {
	for _, branch := range text.Branches {
		guard, err := expr.Compile(branch.When, expr.ProcessFacts())
		if err != nil {
			b.addProblem(node, "guard", "%s", messageOf(err))
		}
		node.Edges = append(node.Edges, Edge{When: branch.When, To: branch.To, guard: guard})
	}
	if text.Default == "" {
		b.addProblem(node, "no_default", "a gateway names a default, for the case that no branch is true")
		return
	}
	node.Edges = append(node.Edges, Edge{To: text.Default})
}

func (b *builder) status(node *Node, text string, usual domain.Status) {
	node.Status = domain.Status(text)
	switch node.Status {
	case "":
		node.Status = usual
	case domain.Processing, domain.InReview, domain.Approved, domain.Settling:
	default:
		b.addProblem(node, "status", "the status of a %s is processing, in_review, approved or settling, not %q", node.Kind, text)
	}
}

func (b *builder) number(node *Node, name string, given *int, usual, least, most int) int {
	if given == nil {
		return usual
	}
	if *given < least || *given > most {
		b.addProblem(node, name, "%s is between %d and %d, not %d", name, least, most, *given)
		return usual
	}
	return *given
}

func (b *builder) duration(node *Node, name, text string, usual time.Duration) time.Duration {
	if text == "" {
		return usual
	}
	value, err := time.ParseDuration(text)
	if err != nil || value < 0 || value > maxDuration {
		b.addProblem(node, name, "%s is a time like 90s, 30m or 24h, not %q", name, text)
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
