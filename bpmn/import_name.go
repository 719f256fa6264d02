package bpmn

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"countersign/workflow"
)

var (
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)
	notInNames  = regexp.MustCompile(`[^a-z0-9]+`)
)

const longestNodeID = 63

// nameNodes gives each node of the definition an id: that of its element if it is valid, otherwise one
// made of its name.
func (m *importer) nameNodes() {
	taken := map[string]bool{workflow.Returned: true}
	for _, one := range m.order {
		if one.draft.Kind != "" && namePattern.MatchString(one.id) && one.id != workflow.Returned {
			m.names[one.id], one.draft.ID, taken[one.id] = one.id, one.id, true
		}
	}
	for _, one := range m.order {
		if one.draft.Kind == "" || one.draft.ID != "" {
			continue
		}
		name := slug(one.element.attribute("name"), one.id)
		for i := 2; taken[name]; i++ {
			suffix := fmt.Sprintf("_%d", i)
			base := slug(one.element.attribute("name"), one.id)
			name = base[:min(len(base), longestNodeID-len(suffix))] + suffix
		}
		taken[name] = true
		m.names[one.id], one.draft.ID = name, name
		m.note(one.id, "bpmn_renamed", "The node is {name} in the text.", "name", name)
	}
}

// slug makes an id of a name, or of the id of the element if the name has no letters of ids.
func slug(name, id string) string {
	for _, text := range []string{name, id, "process"} {
		text = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "_"), "_")
		if len(text) > 0 && (text[0] < 'a' || text[0] > 'z') {
			text = "n_" + text
		}
		text = strings.Trim(text[:min(len(text), longestNodeID)], "_")
		if len(text) > 1 {
			return text
		}
	}
	return "process"
}

func languageOf(name string) string {
	if strings.ContainsFunc(name, func(char rune) bool { return unicode.Is(unicode.Han, char) }) {
		return "zh"
	}
	return "en"
}
