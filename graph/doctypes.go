package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/views"
)

func (r queryResolver) DocumentTypes(ctx context.Context, first int, after *string,
	filter *donotuse.ProcessDefinitionFilter) (*donotuse.DocumentTypeConnection, error) {
	wanted := versionsWanted(filter)
	skip, err := offsetAfter(first, after)
	if err != nil {
		return nil, err
	}
	found, err := r.views.DocumentTypes(ctx, callerOf(ctx), wanted)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.DocumentTypeConnection{Edges: []donotuse.DocumentTypeEdge{},
		Nodes: []donotuse.DocumentType{}}
	connection.PageInfo = offsetPage(found, skip, first,
		func(one views.DocumentType, cursor string) {
			result := documentTypeOf(one)
			connection.Nodes = append(connection.Nodes, result)
			connection.Edges = append(connection.Edges,
				donotuse.DocumentTypeEdge{Cursor: cursor, Node: result})
		})
	return connection, nil
}

func documentTypeOf(found views.DocumentType) donotuse.DocumentType {
	result := donotuse.DocumentType{Key: found.Key, Version: found.Version,
		Title: titleOf(found.Parsed.Title, found.Key), Titles: namedValues(found.Parsed.Title),
		Newest: found.Newest, PublishedAt: found.PublishedAt, Fields: found.Parsed.Fields}
	if found.Trusted {
		result.Document, result.ProposalID = &found.Document, found.ProposalID
		if found.PublishedBy != domain.SystemUserID {
			result.By = found.PublishedBy
		}
	}
	return result
}

func (r queryResolver) CheckDocumentType(ctx context.Context, document string) (
	*donotuse.DocumentTypeCheck, error) {
	begun := r.clock.Now()
	kind, report, err := r.service.CheckDocumentType(ctx, callerOf(ctx), document)
	if err != nil {
		return nil, err
	}
	result := &donotuse.DocumentTypeCheck{Report: *reportOf(report),
		Fields:       []domain.DocumentField{},
		Milliseconds: float64(r.clock.Now().Sub(begun).Microseconds()) / 1000}
	if kind != nil {
		result.Key, result.Fields = kind.Key, kind.Fields
	}
	return result, nil
}

func (r documentTypeResolver) PublishedBy(ctx context.Context, found *donotuse.DocumentType) (
	*domain.User, error) {
	return loadPerson(ctx, found.By)
}

func (r documentTypeResolver) Proposal(ctx context.Context, found *donotuse.DocumentType) (
	*domain.Proposal, error) {
	if found.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, found.ProposalID)
}

func (documentFieldResolver) Type(_ context.Context, field *domain.DocumentField) (
	views.FieldType, error) {
	return views.FieldType(field.Type), nil
}

func (documentFieldResolver) Labels(_ context.Context, field *domain.DocumentField) (
	[]donotuse.NameValue, error) {
	return labelsOf(field.English, field.Chinese), nil
}

func (documentFieldResolver) Options(_ context.Context, field *domain.DocumentField) (
	[]donotuse.FieldOption, error) {
	return optionsOf(field), nil
}

func (fieldFormResolver) Labels(_ context.Context, line *views.FieldForm) (
	[]donotuse.NameValue, error) {
	return labelsOf(line.Spec.English, line.Spec.Chinese), nil
}

func (fieldFormResolver) Options(_ context.Context, line *views.FieldForm) (
	[]donotuse.FieldOption, error) {
	return optionsOf(&line.Spec), nil
}

func (fieldFormResolver) MaxLength(_ context.Context, line *views.FieldForm) (int, error) {
	return line.Spec.MaxLength, nil
}

func labelsOf(english, chinese string) []donotuse.NameValue {
	return []donotuse.NameValue{{Name: "en", Value: english}, {Name: "zh", Value: chinese}}
}

func optionsOf(field *domain.DocumentField) []donotuse.FieldOption {
	options := make([]donotuse.FieldOption, 0, len(field.Options))
	for _, option := range field.Options {
		options = append(options, donotuse.FieldOption{Value: option.Value,
			Labels: labelsOf(option.English, option.Chinese)})
	}
	return options
}

func (r mutationResolver) ProposeDocumentType(ctx context.Context,
	in donotuse.ProposeDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposeText(ctx, in, r.service.ProposeDocumentType)
}

func (r mutationResolver) RestoreDocumentType(ctx context.Context,
	in donotuse.RestoreDefinitionInput) (*donotuse.ProposalPayload, error) {
	return proposalPayload(r.service.RestoreDocumentType(ctx, callerOf(ctx), restoreCommand(in)))
}

func (r mutationResolver) PublishDocumentType(ctx context.Context,
	in donotuse.PublishProposalInput) (*donotuse.ProposalPayload, error) {
	return publishProposal(ctx, in, r.service.PublishDocumentType)
}

func (r mutationResolver) WithdrawDocumentType(ctx context.Context,
	in donotuse.WithdrawProposalInput) (*donotuse.ProposalPayload, error) {
	return endProposal(ctx, in.ProposalID, withdrawCommand(in), r.service.WithdrawDocumentType)
}

// documentTypeCosts sets the costs of the checks of rule sets and document types, and of the list of
// document types.
func documentTypeCosts(c *generated.ComplexityRoot) {
	c.Query.DocumentTypes = func(
		child, first int, _ *string, _ *donotuse.ProcessDefinitionFilter,
	) int {
		return 1 + max(first, 1)*child/20
	}
	c.Query.CheckRuleSet = func(child int, _ string) int { return 200 + child }
	c.Query.CheckDocumentType = func(child int, _ string) int { return 100 + child }
}
