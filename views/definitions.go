package views

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/bpmn"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// Definition is one published version of a process, with what the viewer may see of it.
type Definition struct {
	store.DefinitionRow
	Parsed *workflow.Definition
	Newest bool
	// Staff may see the graph. Trusted viewers (publishers, auditors and owners of processes) also see the
	// text, the proposals and the staffing.
	Staff, Trusted bool
	Calls          []DefinitionCall
}

// DefinitionCall is a process that a definition calls. Newest is its newest version, 0 if it was not
// read.
type DefinitionCall struct {
	Node, Process   string
	Version, Newest int
}

// BPMN returns the definition as BPMN 2.0 XML, "" for viewers who may not see its text.
func (d *Definition) BPMN() string {
	if !d.Trusted {
		return ""
	}
	return string(bpmn.Export(d.Parsed))
}

// DefinitionFilter narrows a list of definitions.
type DefinitionFilter struct {
	Key     string
	Version int // 0 means any
	Newest  bool
	// Callable narrows to processes that others call, or to the others; nil means any.
	Callable *bool
}

func (f DefinitionFilter) matches(key string, version int, newest bool) bool {
	return (f.Key == "" || f.Key == key) && (f.Version == 0 || f.Version == version) &&
		(newest || !f.Newest)
}

// Definitions reads the published process definitions by key, newest version first. It omits
// definitions that no longer parse; `countersign doctor` reports them.
func (v *Views) Definitions(ctx context.Context, actor domain.Actor, filter DefinitionFilter) (
	[]Definition, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	owner, err := v.ownsProcess(ctx, viewer)
	if err != nil {
		return nil, err
	}
	definitions := make([]Definition, 0, len(rows))
	newestOf := map[string]int{}
	for _, row := range rows {
		newestOf[row.Key] = max(newestOf[row.Key], row.Version)
	}
	for i, row := range rows {
		newest := i == 0 || rows[i-1].Key != row.Key
		if !filter.matches(row.Key, row.Version, newest) {
			continue
		}
		parsed, err := v.parseDefinition(row)
		if err != nil || filter.Callable != nil && *filter.Callable != parsed.Callable {
			continue
		}
		definition := viewer.definitionFor(row, parsed, newest, owner)
		for i := range definition.Calls {
			definition.Calls[i].Newest = newestOf[definition.Calls[i].Process]
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

func (viewer viewer) definitionFor(row store.DefinitionRow, parsed *workflow.Definition,
	newest, owner bool) Definition {
	definition := Definition{DefinitionRow: row, Parsed: parsed, Newest: newest,
		Staff:   owner || audienceOf(viewer.user) == domain.AudienceStaff,
		Trusted: owner || viewer.seesDefinitions()}
	if definition.Staff {
		for _, node := range parsed.Calls() {
			definition.Calls = append(definition.Calls, DefinitionCall{Node: node.ID,
				Process: node.Call.Process, Version: node.Call.Version})
		}
	}
	return definition
}

// seesDefinitions reports whether the viewer may publish or read the audit trail.
func (viewer viewer) seesDefinitions() bool {
	for _, action := range []domain.Action{domain.ActPublish, domain.ActReadAudit} {
		if _, err := viewer.policy.AuthorizeGlobal(viewer.user, action); err == nil {
			return true
		}
	}
	return false
}

// parseDefinition parses the definition of a row and caches the result, because versions are
// immutable.
func (v *Views) parseDefinition(row store.DefinitionRow) (*workflow.Definition, error) {
	def, err := v.definitions.Parse(row.Key, row.Version, func() (*workflow.Definition, error) {
		return workflow.Parse([]byte(row.Document))
	})
	if err != nil {
		return nil, fmt.Errorf("views: published definition %s version %d: %w", row.Key,
			row.Version, err)
	}
	return def, nil
}

// parseProposed parses a text of a process as it would be proposed now, with the processes that it calls.
func (v *Views) parseProposed(ctx context.Context, document string) (*workflow.Definition, error) {
	recorded, problems, err := workflow.Record([]byte(document),
		func(process string) (int, string, error) { return v.reader.NewestDefinitionText(ctx, process) })
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, domain.Invalid("document", "%s", problems[0].Message)
	}
	return workflow.Parse(recorded)
}

// DefinitionOf reads the process version that the case uses. The caller has checked that the actor
// may read the case.
func (v *Views) DefinitionOf(ctx context.Context, actor domain.Actor, c domain.Case) (
	Definition, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return Definition{}, err
	}
	row, err := v.reader.Definition(ctx, c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return Definition{}, err
	}
	newest, err := v.reader.NewestDefinition(ctx, c.ProcessKey)
	if err != nil {
		return Definition{}, err
	}
	parsed, err := v.parseDefinition(row)
	definition := viewer.definitionFor(row, parsed, newest == row.Version, false)
	definition.Staff = definition.Staff && AudienceOn(viewer.user, c) == domain.AudienceStaff
	return definition, err
}

// Visits returns the nodes that the case entered, with the number of visits, in the order of the
// definition: those of its marking and of the reviews, as the viewer may see both.
func (v *Views) Visits(ctx context.Context, c CaseView, reviews []domain.Review) (
	[]domain.Token, error) {
	def, err := v.definition(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	visits := []domain.Token{}
	for _, node := range def.Nodes {
		n := c.Marking.Visits[node.ID]
		for _, review := range reviews {
			if review.Node == node.ID {
				n = max(n, review.Visit)
			}
		}
		if n > 0 {
			visits = append(visits, domain.Token{Node: node.ID, Visit: n})
		}
	}
	return visits, nil
}

// Staffing returns the routes without enough eligible people, as found by the last staffing check
// of the version.
func (v *Views) Staffing(ctx context.Context, key string, number int) ([]Problem, error) {
	known, err := v.reader.Staffings(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(known, func(s store.Staffing) bool {
		return s.Key == key && s.Version == number
	})
	if at < 0 {
		return nil, nil
	}
	var problems []workflow.Problem
	err = json.Unmarshal(known[at].Problems, &problems)
	return NewProblems(problems), err
}

// ProposalPage is one page of proposals.
type ProposalPage struct {
	Proposals []domain.Proposal
	HasMore   bool
}

// Proposals reads a page of proposals, newest first, for publishers and auditors.
func (v *Views) Proposals(ctx context.Context, actor domain.Actor, query ProposalQuery) (
	ProposalPage, error) {
	kinds := []domain.ProposalKind{query.Kind}
	if query.Kind == "" {
		kinds = []domain.ProposalKind{domain.ProposeProcess, domain.ProposeRuleSet,
			domain.ProposePolicy, domain.ProposeDocumentType}
	}
	if err := v.requireProposalAccess(ctx, actor, kinds...); err != nil {
		return ProposalPage{}, err
	}
	return v.proposalPage(ctx, query, kinds)
}

func (v *Views) proposalPage(ctx context.Context, query ProposalQuery,
	kinds []domain.ProposalKind) (ProposalPage, error) {
	size := pageSize(query.Limit)
	proposals, err := v.reader.Proposals(ctx, store.ProposalQuery{Kinds: kinds, Key: query.Key,
		Status: query.Status, Before: query.Before, Limit: size + 1})
	return ProposalPage{proposals[:min(len(proposals), size)], len(proposals) > size}, err
}

// Proposal reads one proposal. It returns NotFound for viewers who may not see proposals.
func (v *Views) Proposal(ctx context.Context, actor domain.Actor, id domain.ID) (
	domain.Proposal, error) {
	if err := actor.RequireScope(domain.ActRead, domain.ActPublish); err != nil {
		return domain.Proposal{}, err
	}
	proposal, err := v.reader.Proposal(ctx, id)
	if err == nil && proposal.Kind.IsControl() { // control changes have other readers
		err = notPermittedIsNone(domain.Errorf(domain.NotPermitted, ""))
	}
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		return domain.Proposal{}, err
	}
	if refusal := v.requireProposalAccess(ctx, actor, proposal.Kind); refusal != nil {
		return domain.Proposal{}, firstError(notPermittedIsNone(refusal), refusal)
	}
	if err != nil {
		return domain.Proposal{}, err
	}
	return proposal, nil
}

func notPermittedIsNone(err error) error {
	if domain.HasCode(err, domain.NotPermitted) {
		return domain.Errorf(domain.NotFound, "Proposal not found, or you do not have access.")
	}
	return nil
}

func (v *Views) requireDefinitionAccess(ctx context.Context, actor domain.Actor) error {
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActPublish)
	if err == nil && !viewer.seesDefinitions() {
		err = domain.Errorf(domain.NotPermitted,
			"Only administrators, managers and auditors can see proposals.")
	}
	return err
}
