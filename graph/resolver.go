package graph

import (
	"context"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/transport"
	"countersign/live"
	"countersign/views"
)

// resolver is the root of all resolvers. Each parses its arguments, calls the service layer or the
// read side once, and returns the result.
type resolver struct {
	service *casework.Service
	views   *views.Views
	hub     *live.Hub
	clock   domain.Clock
}

var _ generated.ResolverRoot = (*resolver)(nil)

type (
	queryResolver         struct{ *resolver }
	mutationResolver      struct{ *resolver }
	subscriptionResolver  struct{ *resolver }
	caseResolver          struct{ *resolver }
	caseEventResolver     struct{ *resolver }
	casePayloadResolver   struct{ *resolver }
	submitPayloadResolver struct{ *resolver }
	documentResolver      struct{ *resolver }
	pageResolver          struct{ *resolver }
	findingResolver       struct{ *resolver }
	incidentResolver      struct{ *resolver }
	reviewResolver        struct{ *resolver }
	reviewPayloadResolver struct{ *resolver }
	reassignResolver      struct{ *resolver }
	decisionResolver      struct{ *resolver }
	viewerResolver        struct{ *resolver }
	personResolver        struct{ *resolver }
	apiTokenResolver      struct{ *resolver }
	conflictResolver      struct{ *resolver }
	auditEntryResolver    struct{ *resolver }
	nextStepResolver      struct{ *resolver }
	explanationResolver   struct{ *resolver }
	limitResolver         struct{ *resolver }
	assertedValueResolver struct{ *resolver }
	differenceResolver    struct{ *resolver }
	lineItemsResolver     struct{ *resolver }
	requirementResolver   struct{ *resolver }
	overrideResolver      struct{ *resolver }
	orderResolver         struct{ *resolver }
	groundResolver        struct{ *resolver }
	earlierValueResolver  struct{ *resolver }

	processDefinitionResolver  struct{ *resolver }
	proposalResolver           struct{ *resolver }
	ruleSetResolver            struct{ *resolver }
	documentTypeResolver       struct{ *resolver }
	documentFieldResolver      struct{ *resolver }
	fieldFormResolver          struct{ *resolver }
	proposalPayloadResolver    struct{ *resolver }
	declareConflictResolver    struct{ *resolver }
	policyResolver             struct{ *resolver }
	policyPersonEffectResolver struct{ *resolver }
	rehearsedPersonResolver    struct{ *resolver }
	rehearsedStopResolver      struct{ *resolver }
	rehearsalReportResolver    struct{ *resolver }

	rehearseProposalPayloadResolver struct{ *resolver }

	policyActionEffectResolver struct{ *resolver }
	delegationResolver         struct{ *resolver }
	absenceResolver            struct{ *resolver }
	controlChangeResolver      struct{ *resolver }
	controlResultResolver      struct{ *resolver }
	countryRiskResolver        struct{ *resolver }
	exchangeRateResolver       struct{ *resolver }
	drawMarkResolver           struct{ *resolver }
	caseMigrationResolver      struct{ *resolver }
	movedReviewResolver        struct{ *resolver }
	revokedVoteResolver        struct{ *resolver }
	caseErasureResolver        struct{ *resolver }
	legalHoldResolver          struct{ *resolver }
	proposalCommentResolver    struct{ *resolver }
	processOwnersResolver      struct{ *resolver }
	ownerTaskResolver          struct{ *resolver }
	ownerOpinionResolver       struct{ *resolver }
	proposalDiscussionResolver struct{ *resolver }
	noteResolver               struct{ *resolver }
	notePayloadResolver        struct{ *resolver }
	watchPayloadResolver       struct{ *resolver }
	retentionPeriodResolver    struct{ *resolver }
	connectorResolver          struct{ *resolver }
	deliveryResolver           struct{ *resolver }
	endConflictResolver        struct{ *resolver }
	groupPartyResolver         struct{ *resolver }
	putPersonResolver          struct{ *resolver }
	setLimitResolver           struct{ *resolver }
	listedCaseResolver         struct{ *resolver }
)

func (r *resolver) Query() generated.QueryResolver               { return queryResolver{r} }
func (r *resolver) Mutation() generated.MutationResolver         { return mutationResolver{r} }
func (r *resolver) Subscription() generated.SubscriptionResolver { return subscriptionResolver{r} }
func (r *resolver) Case() generated.CaseResolver                 { return caseResolver{r} }
func (r *resolver) CaseEvent() generated.CaseEventResolver       { return caseEventResolver{r} }
func (r *resolver) CasePayload() generated.CasePayloadResolver   { return casePayloadResolver{r} }
func (r *resolver) SubmitDocumentPayload() generated.SubmitDocumentPayloadResolver {
	return submitPayloadResolver{r}
}
func (r *resolver) Document() generated.DocumentResolver { return documentResolver{r} }
func (r *resolver) Page() generated.PageResolver         { return pageResolver{r} }
func (r *resolver) Finding() generated.FindingResolver   { return findingResolver{r} }
func (r *resolver) Incident() generated.IncidentResolver { return incidentResolver{r} }
func (r *resolver) Review() generated.ReviewResolver     { return reviewResolver{r} }
func (r *resolver) ReviewPayload() generated.ReviewPayloadResolver {
	return reviewPayloadResolver{r}
}
func (r *resolver) ReassignResult() generated.ReassignResultResolver { return reassignResolver{r} }
func (r *resolver) Decision() generated.DecisionResolver             { return decisionResolver{r} }
func (r *resolver) Viewer() generated.ViewerResolver                 { return viewerResolver{r} }
func (r *resolver) Person() generated.PersonResolver                 { return personResolver{r} }
func (r *resolver) ApiToken() generated.ApiTokenResolver             { return apiTokenResolver{r} }
func (r *resolver) Conflict() generated.ConflictResolver             { return conflictResolver{r} }
func (r *resolver) AuditEntry() generated.AuditEntryResolver {
	return auditEntryResolver{r}
}

func (r *resolver) BulkResult() generated.BulkResultResolver { return bulkResultResolver{r} }
func (r *resolver) LoadChange() generated.LoadChangeResolver { return loadChangeResolver{r} }

func (r *resolver) QueueCount() generated.QueueCountResolver { return queueCountResolver{r} }
func (r *resolver) QueueSettings() generated.QueueSettingsResolver {
	return queueSettingsResolver{r}
}
func (r *resolver) Calendar() generated.CalendarResolver { return calendarResolver{r} }
func (r *resolver) DeadlinesPayload() generated.DeadlinesPayloadResolver {
	return deadlinesPayloadResolver{r}
}
func (r *resolver) SetSkillsPayload() generated.SetSkillsPayloadResolver {
	return skillsPayloadResolver{r}
}

func (r *resolver) NextStep() generated.NextStepResolver { return nextStepResolver{r} }
func (r *resolver) AfterApproval() generated.AfterApprovalResolver {
	return afterApprovalResolver{}
}
func (r *resolver) Explanation() generated.ExplanationResolver { return explanationResolver{r} }
func (r *resolver) Limit() generated.LimitResolver             { return limitResolver{r} }
func (r *resolver) Order() generated.OrderResolver             { return orderResolver{r} }

func (r *resolver) OrderEarlierValue() generated.OrderEarlierValueResolver {
	return earlierValueResolver{r}
}
func (r *resolver) OrderGround() generated.OrderGroundResolver { return groundResolver{r} }

func (r *resolver) AssertedValue() generated.AssertedValueResolver {
	return assertedValueResolver{r}
}
func (r *resolver) FieldDifference() generated.FieldDifferenceResolver {
	return differenceResolver{r}
}

func (r *resolver) LineItems() generated.LineItemsResolver {
	return lineItemsResolver{r}
}
func (r *resolver) Proposal() generated.ProposalResolver { return proposalResolver{r} }
func (r *resolver) RuleSet() generated.RuleSetResolver   { return ruleSetResolver{r} }
func (r *resolver) DocumentType() generated.DocumentTypeResolver {
	return documentTypeResolver{r}
}
func (r *resolver) DocumentField() generated.DocumentFieldResolver {
	return documentFieldResolver{r}
}
func (r *resolver) FieldForm() generated.FieldFormResolver { return fieldFormResolver{r} }
func (r *resolver) ProcessDefinition() generated.ProcessDefinitionResolver {
	return processDefinitionResolver{r}
}
func (r *resolver) ProposalPayload() generated.ProposalPayloadResolver {
	return proposalPayloadResolver{r}
}

func (r *resolver) Policy() generated.PolicyResolver               { return policyResolver{r} }
func (r *resolver) RehearsedStop() generated.RehearsedStopResolver { return rehearsedStopResolver{r} }
func (r *resolver) RehearsalReport() generated.RehearsalReportResolver {
	return rehearsalReportResolver{r}
}
func (r *resolver) RehearseProposalPayload() generated.RehearseProposalPayloadResolver {
	return rehearseProposalPayloadResolver{r}
}
func (r *resolver) RehearsedPerson() generated.RehearsedPersonResolver {
	return rehearsedPersonResolver{r}
}

func (r *resolver) PolicyPersonEffect() generated.PolicyPersonEffectResolver {
	return policyPersonEffectResolver{r}
}
func (r *resolver) PolicyActionEffect() generated.PolicyActionEffectResolver {
	return policyActionEffectResolver{r}
}
func (r *resolver) Delegation() generated.DelegationResolver { return delegationResolver{r} }
func (r *resolver) Absence() generated.AbsenceResolver       { return absenceResolver{r} }

func (r *resolver) DeclareConflictPayload() generated.DeclareConflictPayloadResolver {
	return declareConflictResolver{r}
}

func (r *resolver) ControlChange() generated.ControlChangeResolver { return controlChangeResolver{r} }
func (r *resolver) ControlResult() generated.ControlResultResolver { return controlResultResolver{r} }
func (r *resolver) CountryRisk() generated.CountryRiskResolver     { return countryRiskResolver{r} }
func (r *resolver) ExchangeRate() generated.ExchangeRateResolver   { return exchangeRateResolver{r} }
func (r *resolver) CaseMigration() generated.CaseMigrationResolver { return caseMigrationResolver{r} }
func (r *resolver) MovedReview() generated.MovedReviewResolver     { return movedReviewResolver{r} }
func (r *resolver) RevokedVote() generated.RevokedVoteResolver     { return revokedVoteResolver{r} }
func (r *resolver) DrawMark() generated.DrawMarkResolver           { return drawMarkResolver{r} }
func (r *resolver) CaseErasure() generated.CaseErasureResolver     { return caseErasureResolver{r} }
func (r *resolver) ProposalComment() generated.ProposalCommentResolver {
	return proposalCommentResolver{r}
}
func (r *resolver) ProcessOwners() generated.ProcessOwnersResolver { return processOwnersResolver{r} }
func (r *resolver) OwnerTask() generated.OwnerTaskResolver         { return ownerTaskResolver{r} }
func (r *resolver) OwnerOpinion() generated.OwnerOpinionResolver   { return ownerOpinionResolver{r} }

func (r *resolver) ProposalDiscussion() generated.ProposalDiscussionResolver {
	return proposalDiscussionResolver{r}
}
func (r *resolver) Note() generated.NoteResolver               { return noteResolver{r} }
func (r *resolver) NotePayload() generated.NotePayloadResolver { return notePayloadResolver{r} }
func (r *resolver) WatchCasePayload() generated.WatchCasePayloadResolver {
	return watchPayloadResolver{r}
}
func (r *resolver) LegalHold() generated.LegalHoldResolver { return legalHoldResolver{r} }
func (r *resolver) RetentionPeriod() generated.RetentionPeriodResolver {
	return retentionPeriodResolver{r}
}
func (r *resolver) Connector() generated.ConnectorResolver { return connectorResolver{r} }
func (r *resolver) Delivery() generated.DeliveryResolver   { return deliveryResolver{r} }
func (r *resolver) EndConflictPayload() generated.EndConflictPayloadResolver {
	return endConflictResolver{r}
}
func (r *resolver) GroupPartyPayload() generated.GroupPartyPayloadResolver {
	return groupPartyResolver{r}
}

func (r *resolver) PutPersonPayload() generated.PutPersonPayloadResolver {
	return putPersonResolver{r}
}

func (r *resolver) SetLimitPayload() generated.SetLimitPayloadResolver {
	return setLimitResolver{r}
}

func (r *resolver) SetQueueAssignmentPayload() generated.SetQueueAssignmentPayloadResolver {
	return setQueueResolver{r}
}

func (r *resolver) SetCalendarPayload() generated.SetCalendarPayloadResolver {
	return setCalendarResolver{r}
}

func (r *resolver) DelegationPayload() generated.DelegationPayloadResolver {
	return delegationPayloadResolver{r}
}

func (r *resolver) AbsencePayload() generated.AbsencePayloadResolver {
	return absencePayloadResolver{r}
}

func (r *resolver) OperatorRequest() generated.OperatorRequestResolver {
	return operatorRequestResolver{r}
}

func callerOf(ctx context.Context) domain.Actor { return transport.Caller(ctx) }

// valueOrEmpty returns the value of an optional input, or "" if it was omitted.
func valueOrEmpty[T any](given *T) T {
	if given == nil {
		var empty T
		return empty
	}
	return *given
}

func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// nullIfNotFound converts NotFound to null, which reads by id return.
func nullIfNotFound[T any](value *T, err error) (*T, error) {
	if domain.HasCode(err, domain.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return value, nil
}

func (r *resolver) ListedCase() generated.ListedCaseResolver { return listedCaseResolver{r} }

func (r *resolver) ApprovalRequirement() generated.ApprovalRequirementResolver {
	return requirementResolver{r}
}

func (r *resolver) FindingOverride() generated.FindingOverrideResolver { return overrideResolver{r} }
