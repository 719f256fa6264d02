package views

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// Definition is one published version of a process as a person may see it.
type Definition struct {
	store.DefinitionRow
	Parsed *workflow.Definition
	Newest bool
	// Staff see the graph; who keeps definitions or the audit sees text, proposals and staffing besides.
	Staff, Trusted bool
}

// DefinitionFilter narrows a list of definitions.
type DefinitionFilter struct {
	Key    string
	Newest bool
}

// Definitions reads the published process definitions, by key, newest version first. One that cannot be read any more is
// left out; the doctor names it.
func (v *Views) Definitions(ctx context.Context, actor domain.Actor, filter DefinitionFilter) ([]Definition, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	definitions := make([]Definition, 0, len(rows))
	for i, row := range rows {
		newest := i == 0 || rows[i-1].Key != row.Key
		if filter.Key != "" && row.Key != filter.Key || filter.Newest && !newest {
			continue
		}
		parsed, err := v.parseDefinition(row)
		if err != nil {
			continue
		}
		definitions = append(definitions, viewer.definitionFor(row, parsed, newest))
	}
	return definitions, nil
}

func (viewer viewer) definitionFor(row store.DefinitionRow, parsed *workflow.Definition, newest bool) Definition {
	return Definition{DefinitionRow: row, Parsed: parsed, Newest: newest, Staff: audienceOf(viewer.user) == domain.AudienceStaff, Trusted: viewer.seesDefinitions()}
}

// seesDefinitions: the person keeps what is published, or reads the audit trail.
func (viewer viewer) seesDefinitions() bool {
	for _, action := range []domain.Action{domain.ActPublish, domain.ActReadAudit} {
		if _, err := viewer.policy.AuthorizeGlobal(viewer.user, action); err == nil {
			return true
		}
	}
	return false
}

// parseDefinition parses each version once.
func (v *Views) parseDefinition(row store.DefinitionRow) (*workflow.Definition, error) {
	wanted := versionKey{row.Key, row.Version}
	if known, ok := v.definitions.Load(wanted); ok {
		if def, ok := known.(*workflow.Definition); ok {
			return def, nil
		}
	}
	def, err := workflow.Parse([]byte(row.Document))
	if err != nil {
		return nil, fmt.Errorf("views: published definition %s version %d: %w", row.Key, row.Version, err)
	}
	v.definitions.Store(wanted, def)
	return def, nil
}

// DefinitionOf reads the version of the process that a case goes by, whose reading was allowed before.
func (v *Views) DefinitionOf(ctx context.Context, actor domain.Actor, c domain.Case) (Definition, error) {
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
	definition := viewer.definitionFor(row, parsed, newest == row.Version)
	definition.Staff = definition.Staff && AudienceOn(viewer.user, c) == domain.AudienceStaff
	return definition, err
}

// Visits are the nodes that a case entered, with how often, in the order of its definition.
func (v *Views) Visits(ctx context.Context, c domain.Case) ([]domain.Token, error) {
	def, err := v.definition(ctx, c)
	if err != nil {
		return nil, err
	}
	visits := []domain.Token{}
	for _, node := range def.Nodes {
		if n := c.Marking.Visits[node.ID]; n > 0 {
			visits = append(visits, domain.Token{Node: node.ID, Visit: n})
		}
	}
	return visits, nil
}

// Staffing returns the ways for which there were not enough people when the version in force was last asked.
func (v *Views) Staffing(ctx context.Context, key string, number int) ([]workflow.Problem, error) {
	known, err := v.reader.Staffings(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(known, func(s store.Staffing) bool { return s.Key == key && s.Version == number })
	if at < 0 {
		return nil, nil
	}
	var problems []workflow.Problem
	err = json.Unmarshal(known[at].Problems, &problems)
	return problems, err
}

// ProposalPage is one page of proposals.
type ProposalPage struct {
	Proposals []domain.Proposal
	HasMore   bool
}

// Proposals reads what was proposed, the newest first, for those who keep what is published or read the audit trail.
func (v *Views) Proposals(ctx context.Context, actor domain.Actor, query store.ProposalQuery) (ProposalPage, error) {
	if err := v.requireDefinitionAccess(ctx, actor); err != nil {
		return ProposalPage{}, err
	}
	size := pageSize(query.Limit)
	query.Limit = size + 1
	proposals, err := v.reader.Proposals(ctx, query)
	return ProposalPage{proposals[:min(len(proposals), size)], len(proposals) > size}, err
}

// Proposal reads one; NotFound for whoever may see none.
func (v *Views) Proposal(ctx context.Context, actor domain.Actor, id domain.ID) (domain.Proposal, error) {
	if err := actor.RequireScope(domain.ActRead, domain.ActPublish); err != nil {
		return domain.Proposal{}, err
	}
	if err := v.requireDefinitionAccess(ctx, actor); err != nil {
		return domain.Proposal{}, firstError(notPermittedIsNone(err), err)
	}
	return v.reader.Proposal(ctx, id)
}

func notPermittedIsNone(err error) error {
	if domain.HasCode(err, domain.NotPermitted) {
		return domain.Errorf(domain.NotFound, "There is no such proposal, or you may not see it.")
	}
	return nil
}

func (v *Views) requireDefinitionAccess(ctx context.Context, actor domain.Actor) error {
	viewer, err := v.loadViewer(ctx, actor, domain.ActRead, domain.ActPublish)
	if err == nil && !viewer.seesDefinitions() {
		err = domain.Errorf(domain.NotPermitted, "Only administrators, managers and auditors see what was proposed.")
	}
	return err
}
