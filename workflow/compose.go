package workflow

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// maxCallDepth limits how many processes call each other in a row.
	maxCallDepth = 3
	// maxComposedID limits the ids of nodes in called processes.
	maxComposedID = 128
)

// nodePart is what composing a definition adds to the text of a node.
type nodePart struct {
	line     int
	composed bool   // the node is not in the text itself
	within   string // the call around the node
	// entry, version and sha256 are those of the process that a call calls.
	entry, sha256 string
	version       int
	// end is where the case continues after an end of a called process.
	end *targetText
}

// composer puts the nodes of called processes behind their calls.
type composer struct {
	keys     []string   // of the processes that call each other, outermost first
	calls    []nodeText // around the text that is being expanded, outermost first
	problems []Problem
	count    int // nodes of the whole definition
}

// compose returns the text with the nodes of every called process behind its call: kyc is followed by
// kyc/identity and so on. All later checks, the engine and every other user of a definition see one
// net.
func compose(text definitionText, lines []int) (definitionText, []Problem) {
	c := composer{keys: []string{text.Key}, count: len(text.Nodes)}
	for i := range text.Nodes {
		if i < len(lines) {
			text.Nodes[i].part.line = lines[i]
		}
	}
	c.checkEntryPoints(text)
	if text.Callable {
		c.checkCallable(text)
	}
	text.Nodes = c.expand(text)
	if text.Callable {
		closeCallable(&text)
	}
	return text, c.problems
}

// addProblem reports a problem at a node; one of a called text is at the line of the call.
func (c *composer) addProblem(node nodeText, rule, format string, args ...any) {
	problem := Problem{Node: node.ID, Line: node.part.line, Rule: rule,
		Message: fmt.Sprintf(format, args...)}
	for i := len(c.calls) - 1; i >= 0; i-- {
		problem.Node = c.calls[i].ID + callSeparator + problem.Node
		problem.Line = c.calls[i].part.line
	}
	c.problems = append(c.problems, problem)
}

// expand returns the nodes of a text with those of the processes that it calls.
func (c *composer) expand(text definitionText) []nodeText {
	nodes := make([]nodeText, 0, len(text.Nodes))
	waiting := map[string][]string{} // nodes of each call where work can be open
	for _, node := range text.Nodes {
		node.eachTarget(func(to *string, cancel *cancelText) {
			for _, id := range append([]string{*to}, cancel.nodes...) {
				if isComposed(id) {
					c.addProblem(node, "unknown_target", "An edge leads to %q, which does not exist.", id)
				}
			}
		})
		if node.Kind != string(KindCall) {
			nodes = append(nodes, node)
			continue
		}
		inner := c.called(text, &node)
		nodes = append(append(nodes, node), inner...)
		waiting[node.ID] = waitingNodes(inner)
	}
	for i := range nodes {
		nodes[i].eachTarget(func(_ *string, cancel *cancelText) { cancel.replaceCalls(waiting) })
	}
	return nodes
}

// called returns the nodes of the process that the node calls, and sets where it is entered.
func (c *composer) called(caller definitionText, node *nodeText) []nodeText {
	version, callee, ok := c.calleeOf(caller, *node)
	if !ok {
		return nil
	}
	node.part.version, node.part.sha256 = version.Version, version.SHA256
	c.checkAgreement(caller, *node, callee)
	targets := c.resultTargets(*node, callee)
	if c.count += len(callee.Nodes); c.count > maxNodes {
		c.addProblem(*node, "size", "With the nodes of %s the definition has more than %d nodes.",
			node.Process, maxNodes)
		return nil
	}
	c.keys, c.calls = append(c.keys, node.Process), append(c.calls, *node)
	defer func() { c.keys, c.calls = c.keys[:len(c.keys)-1], c.calls[:len(c.calls)-1] }()
	return c.inner(callee, node, targets)
}

// calleeOf returns the text of the process that the node calls.
func (c *composer) calleeOf(
	caller definitionText, node nodeText,
) (called calledText, callee definitionText, ok bool) {
	at := slices.IndexFunc(caller.Called,
		func(called calledText) bool { return called.Process == node.Process })
	switch {
	case node.Process == "":
		c.addProblem(node, "call", "A call needs the process that it calls.")
		return called, callee, false
	case slices.Contains(c.keys, node.Process):
		c.addProblem(node, "recursion", "A process cannot call itself: %s.",
			strings.Join(append(slices.Clone(c.keys), node.Process), " calls "))
		return called, callee, false
	case at < 0:
		c.addProblem(node, "call", "There is no published process %q that can be called.", node.Process)
		return called, callee, false
	case len(c.keys) > maxCallDepth:
		c.addProblem(node, "call_depth", "At most %d processes can call each other in a row: %s.",
			maxCallDepth, strings.Join(append(slices.Clone(c.keys), node.Process), " calls "))
		return called, callee, false
	}
	called = caller.Called[at]
	if sum := sha256.Sum256([]byte(called.Text)); hex.EncodeToString(sum[:]) != called.SHA256 {
		c.addProblem(node, "call", "The text of version %d of %s is not the one that was published.",
			called.Version, called.Process)
		return called, callee, false
	}
	var problem *Problem
	callee, _, problem = readText([]byte(called.Text))
	switch {
	case problem != nil:
		c.addProblem(node, "call", "Version %d of %s is not readable: %s", called.Version, called.Process,
			problem.Message)
		return called, callee, false
	case !callee.Callable:
		c.addProblem(node, "call", "The process %s cannot be called: it is not marked callable: true.",
			called.Process)
		return called, callee, false
	}
	return called, callee, true
}

// inner returns the nodes of a called process under the id of the call.
func (c *composer) inner(
	callee definitionText, call *nodeText, targets map[string]targetText,
) []nodeText {
	var nodes []nodeText
	for _, node := range c.expand(callee) {
		if node.Kind == string(KindStart) {
			call.part.entry = call.ID + callSeparator + node.Next
		} else {
			nodes = append(nodes, node)
		}
	}
	waiting := waitingNodes(nodes)
	titles := call.Title
	if len(titles) == 0 {
		titles = callee.Title
	}
	for i := range nodes {
		node := &nodes[i]
		isResult := node.Kind == string(KindEnd) && node.part.end == nil
		result := targets[node.ID]
		node.Title = composedTitle(titles, call.ID, *node)
		node.moveInto(call, waiting)
		if isResult {
			node.part.end = &result
		}
		if len(node.ID) > maxComposedID {
			c.addProblem(*call, "size", "The id %s is longer than %d characters.", node.ID, maxComposedID)
		}
	}
	return nodes
}

// moveInto puts the node under the id of a call. What withdraws all other work in the called process
// withdraws none of the caller's.
func (n *nodeText) moveInto(call *nodeText, waiting []string) {
	own := n.ID
	under := func(id string) string { return call.ID + callSeparator + id }
	n.eachTarget(func(to *string, cancel *cancelText) {
		if *to != "" {
			*to = under(*to)
		}
		if cancel.word == cancelAll {
			cancel.word, cancel.nodes = "", slices.DeleteFunc(slices.Clone(waiting),
				func(id string) bool { return id == own })
		}
		for i, id := range cancel.nodes {
			cancel.nodes[i] = under(id)
		}
	})
	if n.ID = under(n.ID); n.Kind == string(KindCall) {
		n.part.entry = under(n.part.entry)
	}
	if n.part.within == "" {
		n.part.within = call.ID
	} else {
		n.part.within = under(n.part.within)
	}
	n.part.composed, n.part.line = true, call.part.line
}

// composedTitle returns the titles of a node in a called process, in the languages that the call or the
// node has: KYC / Identity.
func composedTitle(call map[string]string, callID string, node nodeText) map[string]string {
	titles := map[string]string{}
	for _, named := range []map[string]string{{"en": ""}, call, node.Title} {
		for language := range named {
			titles[language] = cmp.Or(call[language], call["en"], wordsOf(callID)) + " / " +
				cmp.Or(node.Title[language], node.Title["en"], wordsOf(node.ID))
		}
	}
	return titles
}

// wordsOf returns an id as words.
func wordsOf(id string) string {
	return strings.ReplaceAll(id[strings.LastIndex(id, callSeparator)+1:], "_", " ")
}

// isComposed reports whether an id is one that only composing a definition gives.
func isComposed(id string) bool { return strings.ContainsAny(id, callSeparator+closingMark) }

// waitingNodes lists the nodes where work can be open.
func waitingNodes(nodes []nodeText) (ids []string) {
	for _, node := range nodes {
		if impl := nodeKinds[Kind(node.Kind)]; impl != nil && impl.holdsToken() {
			ids = append(ids, node.ID)
		}
	}
	return ids
}

// replaceCalls replaces the ids of calls by the nodes of the called processes where work can be open.
func (t *cancelText) replaceCalls(waiting map[string][]string) {
	var nodes []string
	for _, id := range t.nodes {
		if inner, ok := waiting[id]; ok {
			nodes = append(nodes, inner...)
		} else {
			nodes = append(nodes, id)
		}
	}
	t.nodes = nodes
}

// eachTarget calls fn for every target of the node's edges, and the work that the edge withdraws.
func (n *nodeText) eachTarget(fn func(to *string, cancel *cancelText)) {
	for _, to := range []*string{&n.Next, &n.Default} {
		fn(to, &cancelText{})
	}
	for _, name := range slices.Sorted(maps.Keys(n.On)) {
		target := n.On[name]
		fn(&target.To, &target.Cancel)
		n.On[name] = target
	}
	for i := range n.Branches {
		fn(&n.Branches[i].To, &cancelText{})
	}
	for i := range n.To {
		fn(&n.To[i], &cancelText{})
	}
	if n.Timeout != nil {
		fn(&n.Timeout.To, &n.Timeout.Cancel)
	}
	for i := range n.Errors {
		fn(&n.Errors[i].To, &n.Errors[i].Cancel)
	}
	if n.part.end != nil {
		fn(&n.part.end.To, &n.part.end.Cancel)
	}
}
