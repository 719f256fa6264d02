package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// checkEntryPoints refuses entry points within a called process: a case would skip what comes before.
func (c *composer) checkEntryPoints(text definitionText) {
	for _, entry := range []Attribute{{"re_enter", text.ReEnter}, {"on_replace", text.OnReplace},
		{"on_enter", text.OnEnter}, {"on_abandon", text.OnAbandon}} {
		if isComposed(entry.Value) {
			c.addProblem(nodeText{}, "unknown_target", "%s names %q, which does not exist.", entry.Name,
				entry.Value)
		}
	}
}

// checkCallable refuses what a process that is called cannot have: it decides nothing about the case as
// a whole, pays nothing and seals nothing. Its callers do.
func (c *composer) checkCallable(text definitionText) {
	for _, entry := range []struct {
		name string
		set  bool
	}{
		{"order", text.Order != ""}, {"re_enter", text.ReEnter != ""},
		{"on_replace", text.OnReplace != ""}, {"on_enter", text.OnEnter != ""},
		{"on_abandon", text.OnAbandon != ""}, {"reopen", len(text.Reopen) > 0},
		{"remind_submitter", text.RemindSubmitter != ""}, {"documents", len(text.Documents) > 0},
	} {
		if entry.set {
			c.addProblem(nodeText{}, "callable",
				"A process that can be called cannot have %s: the calling process has it.", entry.name)
		}
	}
	for _, node := range text.Nodes {
		switch {
		case node.Kind == string(KindSaga):
			c.addProblem(node, "callable", "A process that can be called cannot have a saga: "+
				"the calling process makes the calls to other systems.")
		case node.Kind == string(KindStage) && (node.Outcome != "" ||
			node.Behaviour == domain.BehaviourArchive):
			c.addProblem(node, "callable",
				"A process that can be called cannot seal the case: the calling process does.")
		case node.Kind == string(KindExternal) && (node.Pays == nil || *node.Pays):
			c.addProblem(node, "callable", "An external stage of a process that can be called must say "+
				"pays: false: only the calling process pays.")
		case node.Kind == string(KindEnd) && node.Status != "":
			c.addProblem(node, "callable", "An end of a process that can be called has no status: "+
				"the case continues in the calling process.")
		}
	}
}

// checkAgreement checks that the calling process declares what the called one needs.
func (c *composer) checkAgreement(caller definitionText, node nodeText, callee definitionText) {
	for _, fact := range callee.Needs {
		if !slices.Contains(caller.Needs, fact) {
			c.addProblem(node, "call_facts", "%s needs the fact %s: add it to needs.", node.Process, fact)
		}
	}
	for _, fact := range callee.KeyFacts {
		if !slices.Contains(caller.KeyFacts, fact) && !slices.Contains(implicitKeyFacts, fact) {
			c.addProblem(node, "call_facts", "%s has the key fact %s: add it to key_facts.", node.Process,
				fact)
		}
	}
	if amounts := callee.HasAmount == nil || *callee.HasAmount; amounts && caller.HasAmount != nil &&
		!*caller.HasAmount {
		c.addProblem(node, "call_facts", "%s has an amount, and this process has none.", node.Process)
	}
	if len(callee.DocumentTypes) == 0 {
		return
	}
	var other []string
	for _, documentType := range caller.DocumentTypes {
		if !slices.Contains(callee.DocumentTypes, documentType) {
			other = append(other, documentType)
		}
	}
	if len(other) > 0 || len(caller.DocumentTypes) == 0 {
		c.addProblem(node, "call_facts", "%s accepts the document types %s; this process accepts %s.",
			node.Process, strings.Join(callee.DocumentTypes, ", "), anyOf(other))
	}
}

func anyOf(types []string) string {
	if len(types) == 0 {
		return "any"
	}
	return strings.Join(types, ", ")
}

// resultTargets returns where the case continues after each end of the called process. Every end needs
// a target of its own name: a rejection must not continue like an approval because it was forgotten.
func (c *composer) resultTargets(node nodeText, callee definitionText) map[string]targetText {
	var ends []string
	targets := map[string]targetText{}
	for _, end := range callee.Nodes {
		if end.Kind == string(KindEnd) {
			ends = append(ends, end.ID)
		}
	}
	for _, end := range ends {
		target, ok := node.On[end]
		if node.Next != "" && len(ends) == 1 {
			target, ok = targetText{To: node.Next}, true
		}
		if targets[end] = target; !ok {
			c.addProblem(node, "call_results", "%s can end in %s, which has no target under on.",
				node.Process, end)
		}
	}
	for name := range node.On {
		if !slices.Contains(ends, name) {
			c.addProblem(node, "call_results", "%s cannot end in %s; its ends are %s.", node.Process, name,
				strings.Join(ends, ", "))
		}
	}
	return targets
}
