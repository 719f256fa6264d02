package casework

import (
	"context"
	"fmt"
	"slices"

	"countersign/doctype"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// documentTypePublishable implements publishable for document types.
type documentTypePublishable struct {
	selfContained
	svc *Service
}

func (documentTypePublishable) kind() domain.ProposalKind { return domain.ProposeDocumentType }

func (documentTypePublishable) stream(key string) domain.SystemStream {
	return domain.DocumentTypeStream(key)
}

func (documentTypePublishable) parseKey(document string) (string, validationResult) {
	kind, problems := doctype.Check([]byte(document))
	if len(problems) > 0 {
		return "", refusedDefinition(typeProblems(problems))
	}
	return kind.Key, validationResult{}
}

func (documentTypePublishable) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (p documentTypePublishable) validate(
	ctx context.Context, r store.Reader, document string,
) (validationResult, error) {
	kind, report, err := p.svc.checkDocumentType(ctx, r, document)
	if err != nil || len(report.Problems) > 0 {
		refused := refusedDefinition(report.Problems)
		refused.Report = report
		return refused, err
	}
	return validationResult{Report: report, key: kind.Key, version: kind.Version}, nil
}

func (documentTypePublishable) newestVersion(
	ctx context.Context, r store.Reader, key string,
) (int, error) {
	return r.NewestDocumentType(ctx, key)
}

func (documentTypePublishable) document(
	ctx context.Context, r store.Reader, key string, version int,
) (string, error) {
	row, err := r.DocumentType(ctx, key, version)
	return row.Document, err
}

func (documentTypePublishable) publish(
	ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID,
) (bool, error) {
	return tx.PublishDocumentType(ctx, store.DocumentTypeRow{Key: p.Key, Version: p.Base + 1,
		Document: p.Document, PublishedBy: by, ProposalID: p.ID})
}

// translateEvent translates a proposal event into the event types of document types, because the
// landed contracts of the others list the kinds.
func (documentTypePublishable) translateEvent(body events.Body, _ string) events.Body {
	switch event := body.(type) {
	case generated.DefinitionProposedV1:
		return generated.DocumentTypeProposedV1{Key: event.Key, ProposalID: event.ProposalID,
			By: event.By, Base: event.Base, DefinitionVersion: event.DefinitionVersion,
			SHA256: event.SHA256, RestoredFrom: event.RestoredFrom, Note: event.Note}
	case generated.DefinitionPublishedV2:
		return generated.DocumentTypePublishedV1{Key: event.Key,
			DefinitionVersion: event.DefinitionVersion, Base: event.Base, SHA256: event.SHA256,
			By: event.By, ProposedBy: event.ProposedBy, ProposalID: event.ProposalID,
			RestoredFrom: event.RestoredFrom}
	case generated.DefinitionWithdrawnV1:
		return generated.DocumentTypeWithdrawnV1{Key: event.Key, ProposalID: event.ProposalID,
			By: event.By, ProposedBy: event.ProposedBy,
			DefinitionVersion: event.DefinitionVersion, Reason: event.Reason}
	}
	return body
}

// typeProblems converts the problems of a document type to those of definitions; Node is the field's
// name.
func typeProblems(found []doctype.Problem) []workflow.Problem {
	problems := make([]workflow.Problem, 0, len(found))
	for _, p := range found {
		problems = append(problems, workflow.Problem{Line: p.Line, Column: p.Column, Node: p.Field,
			Rule: p.Check, Message: p.Message})
	}
	return problems
}

// ProposeDocumentType proposes a document type as the next version of its key.
func (svc *Service) ProposeDocumentType(
	ctx context.Context, actor domain.Actor, in Propose,
) (ProposalResult, error) {
	return svc.propose(ctx, actor, documentTypePublishable{svc: svc}, in, 0)
}

// RestoreDocumentType proposes an earlier version of a document type as the next one.
func (svc *Service) RestoreDocumentType(
	ctx context.Context, actor domain.Actor, in Restore,
) (ProposalResult, error) {
	return svc.restore(ctx, actor, documentTypePublishable{svc: svc}, in)
}

// PublishDocumentType publishes another administrator's proposal. New cases use it; running cases
// keep their version.
func (svc *Service) PublishDocumentType(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.publish(ctx, actor, documentTypePublishable{svc: svc}, in)
}

// WithdrawDocumentType ends a proposal without publishing it.
func (svc *Service) WithdrawDocumentType(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, documentTypePublishable{svc: svc}, in)
}

// CheckDocumentType parses a document type and checks it against the processes and rule sets in
// force that name it. The returned type is nil if the text has problems.
func (svc *Service) CheckDocumentType(
	ctx context.Context, actor domain.Actor, document string,
) (*domain.DocumentType, ValidationReport, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return nil, ValidationReport{}, err
	}
	return svc.checkDocumentType(ctx, svc.db.Reader(), document)
}

func (svc *Service) checkDocumentType(
	ctx context.Context, r store.Reader, document string,
) (*domain.DocumentType, ValidationReport, error) {
	kind, found := doctype.Check([]byte(document))
	report := ValidationReport{Problems: typeProblems(found)}
	if len(found) > 0 {
		return nil, report, nil
	}
	defs, err := svc.newestProcesses(ctx, r)
	if err != nil {
		return nil, report, err
	}
	for _, def := range defs {
		if !slices.Contains(def.DocumentTypes, kind.Key) {
			continue
		}
		for _, gap := range fieldGaps(def, kind) {
			report.Problems = append(report.Problems, workflow.Problem{Node: gap.field,
				Rule: "field_missing", Message: fmt.Sprintf(
					"the type %s has no field %s, but the process %s accepts the type, and %s",
					kind.Key, gap.field, def.Key, gap.reason)})
		}
	}
	sets, err := svc.currentRuleSets(ctx, r)
	if err != nil {
		return nil, report, err
	}
	report.Problems = append(report.Problems, unreadableByRules(kind, sets)...)
	if len(report.Problems) > 0 {
		return nil, report, nil
	}
	return kind, report, nil
}

// unreadableByRules returns a problem for each rule that would no longer see a field, in the set for
// documents of the type. A set for all other types has rules that a type may not need.
func unreadableByRules(kind *domain.DocumentType, sets []*rules.Set) []workflow.Problem {
	set, err := rules.SetFor(sets, kind.Key)
	if err != nil || !slices.Contains(set.DocumentTypes, kind.Key) {
		return nil
	}
	var problems []workflow.Problem
	for _, reference := range set.FieldsRead() {
		if !kind.Has(reference.Field) {
			problems = append(problems, workflow.Problem{Node: reference.Field,
				Rule: "field_missing", Message: fmt.Sprintf(
					"the type %s has no field %s, but the rule %s of the rule set %s reads it",
					kind.Key, reference.Field, reference.Rule.ID, set.Key)})
		}
	}
	return problems
}

// undeclaredFields returns a problem for each field that a rule of the set names and that none of its
// document types has. A set for all other types may name the fields of every type.
func undeclaredFields(set *rules.Set, types []*domain.DocumentType) []workflow.Problem {
	covered := []*domain.DocumentType{}
	for _, key := range set.DocumentTypes {
		if key == rules.AnyType {
			covered = append(append(covered, types...), domain.UndefinedDocumentType(key))
			continue
		}
		covered = append(covered, typeNamed(types, key))
	}
	var problems []workflow.Problem
	for _, reference := range set.FieldReferences() {
		if !slices.ContainsFunc(covered, func(t *domain.DocumentType) bool {
			return t.Has(reference.Field)
		}) {
			problems = append(problems, workflow.Problem{Line: reference.Rule.Line,
				Node: reference.Rule.ID, Rule: "field_unknown", Message: fmt.Sprintf(
					"it reads the field %s, which no document type of the set has",
					reference.Field)})
		}
	}
	return problems
}

// newestProcesses returns the newest version of every process.
func (svc *Service) newestProcesses(
	ctx context.Context, r store.Reader,
) ([]*workflow.Definition, error) {
	rows, err := r.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var newest []*workflow.Definition
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		def, err := svc.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			return nil, err
		}
		newest = append(newest, def)
	}
	return newest, nil
}

// typeProblemsOfProcess returns a problem for each field that a document type of the process lacks
// and that the process depends on, or that a gateway names and none of the types has. A gateway of a
// process with external stages may name what a program adds.
func (svc *Service) typeProblemsOfProcess(
	ctx context.Context, r store.Reader, def *workflow.Definition,
) ([]workflow.Problem, error) {
	types, err := svc.newestDocumentTypes(ctx, r)
	if err != nil {
		return nil, err
	}
	var problems []workflow.Problem
	var accepted []*domain.DocumentType
	for _, key := range def.DocumentTypes {
		kind := typeNamed(types, key)
		accepted = append(accepted, kind)
		for _, gap := range fieldGaps(def, kind) {
			problems = append(problems, workflow.Problem{Rule: "field_missing",
				Message: fmt.Sprintf("the document type %s has no field %s, but %s", key,
					gap.field, gap.reason)})
		}
	}
	external := slices.ContainsFunc(def.Nodes,
		func(n *workflow.Node) bool { return n.Kind == workflow.KindExternal })
	if len(accepted) == 0 || external {
		return problems, nil
	}
	for _, reference := range def.FieldReferences() {
		if !slices.ContainsFunc(accepted, func(t *domain.DocumentType) bool {
			return t.Has(reference.Field)
		}) {
			problems = append(problems, workflow.Problem{Line: reference.Node.Line,
				Node: reference.Node.ID, Rule: "field_unknown", Message: fmt.Sprintf(
					"it reads the field %s, which no document type of the process has",
					reference.Field)})
		}
	}
	return problems, nil
}
