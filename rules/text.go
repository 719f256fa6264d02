package rules

import "countersign/internal/yamltext"

// Limits of one set; yamltext limits the size of its text.
const (
	maxRules  = 200
	maxValues = 20
)

// setText is the YAML as written.
type setText struct {
	Key           string            `yaml:"key"`
	Version       int               `yaml:"version"`
	Title         map[string]string `yaml:"title"`
	DocumentTypes []string          `yaml:"document_types"`
	Rules         []ruleText        `yaml:"rules"`
}

type ruleText struct {
	ID            string                                  `yaml:"id"`
	Title         map[string]string                       `yaml:"title"`
	Phase         string                                  `yaml:"phase"`
	Severity      string                                  `yaml:"severity"`
	Score         int                                     `yaml:"score"`
	Override      string                                  `yaml:"override"`
	OverrideQueue string                                  `yaml:"override_queue"`
	Asks          map[string]string                       `yaml:"asks"`
	When          string                                  `yaml:"when"`
	Fields        string                                  `yaml:"fields"`
	Values        map[string]string                       `yaml:"values"`
	Words         map[string]map[string]map[string]string `yaml:"words"`
	Message       map[string]string                       `yaml:"message"`
	Sums          []sumText                               `yaml:"sums"`
}

// readSet parses the YAML and refuses unknown fields; lines holds the line of each rule.
func readSet(source []byte) (text setText, lines []int, problem *Problem) {
	document, unreadable := yamltext.Parse(source, "a rule set")
	if unreadable == nil {
		unreadable = document.Decode(&text)
	}
	if unreadable != nil {
		return text, nil, problemOf(unreadable)
	}
	return text, document.EntryLines("rules"), nil
}

func problemOf(unreadable *yamltext.Problem) *Problem {
	check := "syntax"
	if unreadable.TooLarge {
		check = "size"
	}
	return &Problem{
		Line: unreadable.Line, Column: unreadable.Column, Check: check,
		Message: unreadable.Message,
	}
}
