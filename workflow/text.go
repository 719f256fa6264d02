package workflow

import (
	"bytes"
	"fmt"
	"regexp"

	"countersign/internal/yamltext"
)

// maxNodes limits the nodes of a definition; yamltext limits the size of its text.
const maxNodes = 500

// definitionText is the decoded YAML; see definition.schema.json.
type definitionText struct {
	Key           string            `yaml:"key"`
	Version       int               `yaml:"version"`
	Title         map[string]string `yaml:"title"`
	Callable      bool              `yaml:"callable"`
	DocumentTypes []string          `yaml:"document_types"`
	HasAmount     *bool             `yaml:"has_amount"`
	KeyFacts      []string          `yaml:"key_facts"`
	Needs         []string          `yaml:"needs"`
	Order         string            `yaml:"order"`
	ReEnter       string            `yaml:"re_enter"`
	OnReplace     string            `yaml:"on_replace"`
	OnEnter       string            `yaml:"on_enter"`
	OnAbandon     string            `yaml:"on_abandon"`

	RemindSubmitter string `yaml:"remind_submitter"`

	Reopen     []string        `yaml:"reopen"`
	Attributes []attributeText `yaml:"attributes"`
	Documents  []documentText  `yaml:"documents"`
	Nodes      []nodeText      `yaml:"nodes"`
	Called     []calledText    `yaml:"called"`
}

// calledText is the YAML of a called process; see Record.
type calledText struct {
	Process string `yaml:"process"`
	Version int    `yaml:"version"`
	SHA256  string `yaml:"sha256"`
	Text    string `yaml:"text"`
}

type nodeText struct {
	ID           string                `yaml:"id"`
	Kind         string                `yaml:"kind"`
	Title        map[string]string     `yaml:"title"`
	Behaviour    string                `yaml:"behaviour"`
	Queue        string                `yaml:"queue"`
	QueueFor     map[string]string     `yaml:"queue_for"`
	Attempts     *int                  `yaml:"attempts"`
	Backoff      string                `yaml:"backoff"`
	Status       string                `yaml:"status"`
	Outcome      string                `yaml:"outcome"`
	Next         string                `yaml:"next"`
	On           map[string]targetText `yaml:"on"`
	Level        *int                  `yaml:"level"`
	Duty         string                `yaml:"duty"`
	Seats        *int                  `yaml:"seats"`
	Quorum       *int                  `yaml:"quorum"`
	DecideBy     string                `yaml:"decide_by"`
	Abstain      *bool                 `yaml:"abstain"`
	Votes        string                `yaml:"votes"`
	ChairQueue   string                `yaml:"chair_queue"`
	ChairLevel   *int                  `yaml:"chair_level"`
	VetoQueue    string                `yaml:"veto_queue"`
	VetoLevel    *int                  `yaml:"veto_level"`
	ClaimWithin  string                `yaml:"claim_within"`
	DecideWithin string                `yaml:"decide_within"`
	Overdue      string                `yaml:"overdue"`
	Remind       []string              `yaml:"remind"`
	EscalateTo   *string               `yaml:"escalate_to"`
	Skills       []string              `yaml:"skills"`
	Undo         string                `yaml:"undo"`
	Bulk         *bulkLimitsText       `yaml:"bulk"`

	SignatureAbove *int64       `yaml:"signature_above"`
	EscalateLevel  *int         `yaml:"escalate_level"`
	Branches       []branchText `yaml:"branches"`
	Default        string       `yaml:"default"`
	To             []string     `yaml:"to"`
	Topic          string       `yaml:"topic"`
	Lease          string       `yaml:"lease"`
	Pays           *bool        `yaml:"pays"`
	Required       *bool        `yaml:"required"`
	WaitsForBudget *bool        `yaml:"waits_for_budget"`
	After          string       `yaml:"after"`
	Timeout        *timeoutText `yaml:"timeout"`
	Errors         []errorText  `yaml:"errors"`
	Steps          []stepText   `yaml:"steps"`
	Process        string       `yaml:"process"`

	part nodePart
}

// timeoutText is the YAML of a boundary timer.
type timeoutText struct {
	After  string     `yaml:"after"`
	To     string     `yaml:"to"`
	Cancel cancelText `yaml:"cancel"`
}

// errorText is the YAML of a boundary error; no codes: every failure.
type errorText struct {
	Codes  []string   `yaml:"codes"`
	To     string     `yaml:"to"`
	Cancel cancelText `yaml:"cancel"`
}

// stepText is the YAML of one call of a saga.
type stepText struct {
	ID   string `yaml:"id"`
	Call string `yaml:"call"`
	Undo string `yaml:"undo"`
}

type branchText struct {
	When string `yaml:"when"`
	To   string `yaml:"to"`
}

// targetText is a node's id, or {to: node, cancel: all or a list of nodes}.
type targetText struct {
	To     string
	Cancel cancelText
}

// UnmarshalYAML accepts both forms.
func (t *targetText) UnmarshalYAML(decode func(any) error) error {
	if decode(&t.To) == nil {
		return nil
	}
	var long struct {
		To     string     `yaml:"to"`
		Cancel cancelText `yaml:"cancel"`
	}
	if err := decode(&long); err != nil {
		return fmt.Errorf("a target must be a node's id or {to, cancel}: %w", err)
	}
	t.To, t.Cancel = long.To, long.Cancel
	return nil
}

// cancelAll is the word for all other work.
const cancelAll = "all"

// cancelText is the work that an edge withdraws: the word all, or the nodes of a region.
type cancelText struct {
	word  string
	nodes []string
}

// UnmarshalYAML accepts both forms.
func (c *cancelText) UnmarshalYAML(decode func(any) error) error {
	if decode(&c.nodes) == nil {
		return nil
	}
	c.nodes = nil
	if err := decode(&c.word); err != nil {
		return fmt.Errorf("cancel must be all or a list of nodes: %w", err)
	}
	return nil
}

// readText parses the YAML strictly: it rejects unknown and repeated keys, anchors, aliases, tags
// and more than one document, each with its line. lines holds the line of every node.
func readText(source []byte) (text definitionText, lines []int, problem *Problem) {
	document, unreadable := yamltext.Parse(source, "a definition")
	if unreadable == nil {
		unreadable = document.Decode(&text)
	}
	if unreadable != nil {
		problem = problemOf(unreadable)
		problem.Node = nodeAt(source, problem.Line)
		return text, nil, problem
	}
	return text, document.EntryLines("nodes"), nil
}

// nodePattern matches the first line of a node in the list of nodes, however it is written.
var nodePattern = regexp.MustCompile(`^\s*-\s+(?:[&!]\S+\s+)?\{?\s*(?:[^,{}]*,\s*)*?id:\s*([a-z][a-z0-9_]*)`)

// nodeAt returns the node to which a line of a text belongs that cannot be read, "" if it is not known.
func nodeAt(source []byte, line int) (node string) {
	number := 0
	for text := range bytes.Lines(source) {
		if number++; number > line {
			return node
		}
		if found := nodePattern.FindSubmatch(text); found != nil {
			node = string(found[1])
		} else if len(text) > 0 && (text[0] >= 'a' && text[0] <= 'z' || text[0] == '"') {
			node = "" // a key of the definition itself
		}
	}
	return node
}

func problemOf(unreadable *yamltext.Problem) *Problem {
	rule := "syntax"
	if unreadable.TooLarge {
		rule = "size"
	}
	return &Problem{Line: unreadable.Line, Column: unreadable.Column, Rule: rule,
		Message: unreadable.Message}
}
