package graph

import (
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/live"
	"countersign/views"
)

// processCosts adds the cost of checking, rehearsing and converting a process.
func processCosts(c *generated.ComplexityRoot) {
	c.Query.CheckProcessDefinition = func(child int, _ string) int { return 200 + child }
	c.Query.ImportBpmn = func(child int, _ string) int { return 50 + child }
	c.ProcessDefinition.Bpmn = func(int) int { return 10 }
	c.Query.RehearseProcessDefinition = func(child int, _ string, last int) int {
		return 500 + max(last, 1)/10 + child
	}
	c.Query.Rehearse = func(child int, in donotuse.RehearsalInput) int {
		return 500 + max(in.Closed, 1)/100 + child
	}
	c.Rehearsal.Different = func(child int) int { return 1 + 20*child }
	c.Rehearsal.People = func(child int) int { return 1 + 20*child }
}

// fieldCosts returns the cost of list fields: that of their members, times the requested or usual
// number.
func fieldCosts() generated.ComplexityRoot {
	var c generated.ComplexityRoot
	times := func(n int) func(int) int { return func(child int) int { return 1 + n*child } }
	c.Query.Cases = func(child, first int, _ *string, _ *donotuse.CaseFilter, _ views.CaseSort) int {
		return 1 + max(first, 1)*child
	}
	c.Query.Reviews = func(child, first int, _ *string, _ *donotuse.ReviewFilter, _ views.ReviewSort) int {
		return 1 + max(first, 1)*child
	}
	c.Query.Incidents = func(child, first int, _ *string, _ *donotuse.IncidentFilter) int {
		return 1 + max(first, 1)*child
	}
	c.Query.Conflicts = func(child, first int, _ *string, _ *donotuse.ConflictFilter) int {
		return 1 + max(first, 1)*child
	}
	c.Query.ProcessDefinitions = func(child, first int, _ *string, _ *donotuse.ProcessDefinitionFilter) int {
		return 1 + max(first, 1)*child/20
	}
	c.Query.Proposals = func(child, first int, _ *string, _ *donotuse.ProposalFilter) int {
		return 1 + max(first, 1)*child/10
	}
	c.Query.RuleSets = func(child, first int, _ *string, _ *donotuse.ProcessDefinitionFilter) int {
		return 1 + max(first, 1)*child/20
	}
	documentTypeCosts(&c)
	c.Query.TryRuleSet = func(child int, _, _ string) int { return 200 + child }
	processCosts(&c)
	c.Case.Process = func(child int) int { return 5 + child }
	c.Query.Policies = func(child, first int, _ *string) int { return 1 + max(first, 1)*child/10 }
	c.Query.CheckPolicy = func(child int, _ string) int { return 100 + child }
	c.Query.PreviewPolicy = func(child int, _ string) int { return 500 + child }
	c.Query.ProposedEffect = c.Query.PreviewPolicy
	c.PolicyPreview.People, c.PolicyPreview.Together = times(20), times(5)
	c.Query.PolicyMatrix = func(child int, _ *string) int { return 200 + child }
	c.Query.Delegations = func(child, first int, _ *string, _ *string) int {
		return 1 + max(first, 1)*child
	}
	c.Query.Colleagues, c.Person.APITokens = times(100), times(3)
	c.Review.Delegators = func(child int) int { return 20 + child }
	c.Review.StandInFor = c.Review.Delegators
	c.Case.LastEvents = func(child, last int) int { return 1 + max(last, 1)*child }
	c.Case.Documents, c.Case.Reviews, c.Case.Decisions, c.Case.Parts = times(2), times(2), times(2), times(4)
	c.Case.SupportingDocuments, c.Case.SupportingReadings, c.SupportingReading.Pages = times(3), times(3), times(3)
	c.Case.FieldForm = times(len(domain.FieldNames()))
	c.QueueCount.Forecast = func(child int, _ []int) int { return 20 + child }
	// Each of these reads everything about one object, and pages request only a few.
	c.Case.Explain = func(child int, _ domain.Action) int { return 20 + child }
	c.Review.Explain = func(child int, _ domain.Action) int { return 20 + child }
	c.Review.AfterApproval = func(child int) int { return 20 + child }
	c.Document.Pages = times(3)
	c.Page.Words = times(50)
	c.Mutation.LeaseExternalTasks = func(child int, in donotuse.LeaseExternalTasksInput) int {
		return 1 + max(in.Most, 1)*child
	}
	c.ExternalDocument.Pages = times(3)
	addAssertionCosts(&c)
	addAuditCosts(&c)
	addNoteCosts(&c)
	return c
}

// addQualityCosts adds the costs of the quality sample.
func addQualityCosts(c *generated.ComplexityRoot) {
	c.Query.QualitySamples = func(child, first int, _ *string) int {
		return 1 + max(first, 1)*child/5
	}
	c.Query.SumDocuments = func(child int, _, _ string, first int, _ *string) int { return 5 + max(first, 1)*child }
	c.Query.QualityFigures = func(child, _ int) int { return 50 + child }
}

// addAssertionCosts adds the costs of line items, assertions and the feed.
func addAssertionCosts(c *generated.ComplexityRoot) {
	c.FeedFrame.Events = func(child int) int { return 1 + feedFrameSize*child }
	c.Case.LineItems = func(child int) int { return 20 + child }
	c.LineItems.Items = func(child, _ int) int { return 1 + 10*child }
	c.LineItem.Boxes = func(child int) int { return 1 + child }
	c.Case.ApprovalRequirements = func(child int) int { return 1 + 3*child }
	c.Order.OnEvidence = func(child int) int { return 10 + child }
	c.Case.CountryRoles = func(child int) int { return 1 + 3*child }
	c.Case.Differences = func(child int) int { return 1 + 3*child }
	c.Case.Suggestions = func(child int) int { return 1 + 3*child }
	c.Case.ModelRuns = func(child int) int { return 20 + 5*child }
	c.ModelRun.Calls = func(child int) int { return 1 + 2*child }
	c.ModelRun.Images = func(child int) int { return 1 + child }
	c.ModelRun.OmittedImages = func(child int) int { return 1 + child }
	c.Case.FieldHistory = func(child int, _ string) int { return 1 + 5*child }
	addQualityCosts(c)
	addStatisticsCosts(c)
	c.FieldDifference.Values = func(child int) int { return 1 + 2*child }
}

// allowanceError returns a RateLimited error with the time to retry after.
func allowanceError(answer live.Allowance) error {
	if answer.Allowed {
		return nil
	}
	refusal := domain.Errorf(domain.RateLimited, "Too many requests.").
		WithRetryAfter(answer.RetryAfter)
	return refusal.WithRemedy("Wait %s seconds.", refusal.Detail[domain.RetryAfterDetail])
}

func addNoteCosts(c *generated.ComplexityRoot) {
	c.Case.Notes = func(child, last int, _ *string) int { return 10 + max(last, 1)*child/2 }
	c.Query.NoteReaders = func(child int, _ string, _ domain.NoteAudience, _ string) int {
		return 50 + 5*child
	}
	c.Proposal.Discussion = func(child int) int { return 10 + child }
	c.Proposal.Rehearsals = func(child int) int { return 10 + 5*child }
	c.ProposalDiscussion.Comments = func(child int) int { return 1 + 10*child }
	c.Proposal.OwnerReviews = func(child int) int { return 5 + child }
	c.ControlChange.OwnerReviews = func(child int) int { return 5 + child }
	c.Query.OwnerTasks = func(child int) int { return 20 + child }
	c.OwnerTasks.Nodes = func(child int) int { return 1 + 10*child }
	c.OwnerReview.Owners = func(child int) int { return 1 + 3*child }
	c.ProcessOwners.Owners = func(child int) int { return 1 + 5*child }
	c.ProcessOwners.Changes = func(child int) int { return 1 + 3*child }
	c.Subscription.CaseNotes = func(child int, _ string, last int) int { return 10 + max(last, 1)*child/2 }
}

func addAuditCosts(c *generated.ComplexityRoot) {
	c.Query.Search = func(child int, _ string, _ bool, _ *string, first int, _ *string) int {
		return 50 + max(first, 1)*child
	}
	c.SearchHit.Snippets = func(child int) int { return 1 + 4*child }
	c.Query.AuditTrail = func(child int, _ string, first int, _ *string) int {
		return 1 + max(first, 1)*child/10
	}
	c.Query.AuditSearch = func(child int, _ *donotuse.AuditSearchFilter, first int, _ *string) int {
		return 200 + max(first, 1)*child/10
	}
	c.Query.VerifyAudit = func(child int, _ *string) int { return 500 + child }
}
