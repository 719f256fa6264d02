package graph

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
	"countersign/views"
)

func (r queryResolver) ProcessDefinitions(ctx context.Context, first int, after *string,
	filter *donotuse.ProcessDefinitionFilter) (*donotuse.ProcessDefinitionConnection, error) {
	wanted := versionsWanted(filter)
	skip, err := offsetAfter(first, after)
	if err != nil {
		return nil, err
	}
	found, err := r.views.Definitions(ctx, callerOf(ctx), wanted)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.ProcessDefinitionConnection{Edges: []donotuse.ProcessDefinitionEdge{},
		Nodes: []donotuse.ProcessDefinition{}}
	connection.PageInfo = offsetPage(found, skip, first, func(one views.Definition, cursor string) {
		result := processDefinition(one)
		connection.Nodes = append(connection.Nodes, result)
		connection.Edges = append(connection.Edges,
			donotuse.ProcessDefinitionEdge{Cursor: cursor, Node: result})
	})
	return connection, nil
}

func versionsWanted(filter *donotuse.ProcessDefinitionFilter) views.DefinitionFilter {
	if filter == nil {
		return views.DefinitionFilter{}
	}
	return views.DefinitionFilter{Key: valueOrEmpty(filter.Key), Version: valueOrEmpty(filter.Version),
		Newest: filter.Newest != nil && *filter.Newest, Callable: filter.Callable}
}

// offsetPage returns a page of a short list that is read completely, with a cursor for each item.
func offsetPage[T any](list []T, skip, first int,
	show func(item T, cursor string)) donotuse.PageInfo {
	from := min(skip, len(list))
	to := min(from+first, len(list))
	page := donotuse.PageInfo{HasNextPage: to < len(list), HasPreviousPage: from > 0}
	for i, item := range list[from:to] {
		cursor := offsetCursor(from + i + 1)
		if page.EndCursor = &cursor; page.StartCursor == nil {
			page.StartCursor = &cursor
		}
		show(item, cursor)
	}
	return page
}

// offsetCursor is the cursor of a position in such a list.
func offsetCursor(place int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("n" + strconv.Itoa(place)))
}

func offsetAfter(first int, after *string) (int, error) {
	if err := checkPageSize(first); err != nil || after == nil {
		return 0, err
	}
	plain, err := base64.RawURLEncoding.DecodeString(*after)
	if err == nil && len(plain) > 1 && plain[0] == 'n' {
		if place, err := strconv.Atoi(string(plain[1:])); err == nil && place >= 0 {
			return place, nil
		}
	}
	return 0, domain.Invalid("after", "%.60q is not a valid cursor of this list.", *after)
}

func processDefinition(d views.Definition) donotuse.ProcessDefinition {
	result := donotuse.ProcessDefinition{Key: d.Key, Version: d.Version,
		Title: titleOf(d.Parsed.Title, d.Key), Titles: namedValues(d.Parsed.Title),
		DocumentTypes: append([]string{}, d.Parsed.DocumentTypes...), Newest: d.Newest,
		Needs: append([]string{}, d.Parsed.Needs...), Order: d.Parsed.Order,
		Attributes:          attributeDeclarations(d.Parsed.Attributes),
		SupportingDocuments: documentDeclarations(d.Parsed.Documents),
		PublishedAt:         d.PublishedAt, Nodes: []donotuse.ProcessNode{}, Shown: d,
		Callable: d.Parsed.Callable, Ends: append([]string{}, d.Parsed.EndNames()...),
		Calls: []donotuse.ProcessCall{}}
	for _, call := range d.Calls {
		result.Calls = append(result.Calls, donotuse.ProcessCall{Node: call.Node, Process: call.Process,
			Version: call.Version, NewestVersion: optional(call.Newest)})
	}
	if d.Parsed.Order != domain.OrderRuleNone &&
		slices.Contains(result.DocumentTypes, casework.OrderDocumentType) {
		result.OrderDocumentType = optional(casework.OrderDocumentType)
	}
	if d.Staff {
		result.Graph = graphOf(views.NewGraph(d.Parsed))
	}
	if d.Trusted {
		result.Document, result.ProposalID = &d.Document, d.ProposalID
		if d.PublishedBy != domain.SystemUserID {
			result.By = d.PublishedBy
		}
	}
	for _, node := range d.Parsed.Shown() {
		shown := donotuse.ProcessNode{ID: node.ID, Kind: string(node.ShownKind()),
			Label: titleOf(node.Title, node.ID), Labels: namedValues(node.Title), Next: node.Next()}
		if d.Staff && node.SignatureAbove != nil {
			shown.SignatureAbove = &domain.Money{Minor: *node.SignatureAbove,
				Currency: domain.BaseCurrency}
		}
		result.Nodes = append(result.Nodes, shown)
	}
	return result
}

func graphOf(drawn views.Graph) *donotuse.ProcessGraph {
	result := &donotuse.ProcessGraph{Nodes: []donotuse.GraphNode{}, Lines: []donotuse.GraphLine{},
		RemindSubmitter: optional(drawn.RemindSubmitter)}
	for _, node := range drawn.Nodes {
		one := donotuse.GraphNode{ID: node.ID, Kind: string(node.ShownKind()), Within: node.Within,
			Label: titleOf(node.Title, node.ID), Labels: namedValues(node.Title),
			Behaviour: node.Behaviour, Queue: node.Queue, Level: node.Level, Duty: node.Duty,
			Seats: node.Seats, Quorum: node.Quorum, DecideBy: string(node.DecideBy),
			VotesHidden: node.HidesVotes(), Remind: node.Reminders(),
			EscalateTo: node.EscalateTo, Line: node.Line}
		if node.Status != "" {
			one.Status = &node.Status
		}
		result.Nodes = append(result.Nodes, one)
	}
	for _, line := range drawn.Edges {
		result.Lines = append(result.Lines, donotuse.GraphLine{ID: line.ID, From: line.From,
			To: line.To, Kind: donotuse.GraphLineKind(strings.ToUpper(string(line.Kind))),
			Label:   line.Label,
			Cancels: append([]string{}, line.Cancels...), CancelsAll: line.CancelsAll})
	}
	return result
}

func problemsOf(problems []views.Problem) []donotuse.DefinitionProblem {
	result := make([]donotuse.DefinitionProblem, 0, len(problems))
	for _, problem := range problems {
		one := donotuse.DefinitionProblem{Rule: problem.Rule, Message: problem.Message,
			Line: problem.Line, Column: problem.Column, Node: problem.Node,
			Path: []donotuse.PathStep{}, Values: namedValues(problem.Values)}
		for _, step := range problem.Steps {
			one.Path = append(one.Path, donotuse.PathStep(step))
		}
		result = append(result, one)
	}
	return result
}

func reportOf(report casework.ValidationReport) *donotuse.DefinitionReport {
	return &donotuse.DefinitionReport{Sound: len(report.Problems) == 0,
		Problems:     problemsOf(views.NewProblems(report.Problems)),
		Warnings:     problemsOf(views.NewProblems(report.Warnings)),
		Understaffed: problemsOf(views.NewProblems(report.Understaffed)), Markings: report.Markings}
}

func (r queryResolver) CheckProcessDefinition(ctx context.Context, document string) (
	*donotuse.DefinitionCheck, error) {
	begun := r.clock.Now()
	checked, err := r.service.CheckProcess(ctx, callerOf(ctx), document)
	if err != nil {
		return nil, err
	}
	result := &donotuse.DefinitionCheck{Report: *reportOf(checked.Report),
		Milliseconds: float64(r.clock.Now().Sub(begun).Microseconds()) / 1000}
	if checked.Definition != nil {
		result.Key, result.Graph = checked.Definition.Key,
			graphOf(views.NewGraph(checked.Definition))
	}
	return result, nil
}

func (r queryResolver) ImportBpmn(ctx context.Context, file string) (*donotuse.BpmnImport, error) {
	read, err := r.service.ImportBPMN(ctx, callerOf(ctx), file)
	if err != nil {
		return nil, err
	}
	return &donotuse.BpmnImport{Document: optional(string(read.Text)),
		Refused: problemsOf(views.NewProblems(read.Refused)),
		Notes:   problemsOf(views.NewProblems(read.Notes))}, nil
}

func (processDefinitionResolver) Bpmn(_ context.Context, d *donotuse.ProcessDefinition) (
	*string, error) {
	return optional(d.Shown.BPMN()), nil
}

func (r processDefinitionResolver) PublishedBy(ctx context.Context, d *donotuse.ProcessDefinition) (
	*domain.User, error) {
	return loadPerson(ctx, d.By)
}

func (r processDefinitionResolver) Proposal(ctx context.Context, d *donotuse.ProcessDefinition) (
	*domain.Proposal, error) {
	if d.ProposalID == domain.NoID {
		return nil, nil
	}
	return r.proposalByID(ctx, d.ProposalID)
}

func (r processDefinitionResolver) Understaffed(ctx context.Context,
	d *donotuse.ProcessDefinition) ([]donotuse.DefinitionProblem, error) {
	if d.Document == nil {
		return []donotuse.DefinitionProblem{}, nil
	}
	problems, err := r.views.Staffing(ctx, d.Key, d.Version)
	return problemsOf(problems), err
}

func (r caseResolver) Process(ctx context.Context, c *shape.Case) (
	*donotuse.ProcessDefinition, error) {
	definition, err := r.views.DefinitionOf(ctx, callerOf(ctx), c.Case)
	if err != nil {
		return nil, err
	}
	result := processDefinition(definition)
	return &result, nil
}

func (caseResolver) Tokens(ctx context.Context, c *shape.Case) ([]domain.Token, error) {
	if !isStaff(c) {
		return []domain.Token{}, nil
	}
	tokens := append([]domain.Token{}, c.Marking.Tokens...)
	if !c.Redacted {
		return tokens, nil
	}
	reviews, err := reviewsOf(ctx, c)
	for _, review := range reviews {
		if review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed {
			tokens = append(tokens, domain.Token{Node: review.Node, Visit: review.Visit})
		}
	}
	return tokens, err
}

func (r caseResolver) Visits(ctx context.Context, c *shape.Case) ([]domain.Token, error) {
	if !isStaff(c) {
		return []domain.Token{}, nil
	}
	var reviews []domain.Review
	if c.Redacted {
		var err error
		if reviews, err = reviewsOf(ctx, c); err != nil {
			return nil, err
		}
	}
	return r.views.Visits(ctx, c.CaseView, reviews)
}

func (proposalResolver) Report(_ context.Context, p *domain.Proposal) (
	*donotuse.DefinitionReport, error) {
	var report casework.ValidationReport
	if err := json.Unmarshal(p.Report, &report); err != nil {
		return nil, err
	}
	return reportOf(report), nil
}
