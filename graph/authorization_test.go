package graph

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
)

// violation is one way to call a mutation without the right to.
type violation string

// Violations. Each has a user of the same name.
const (
	outsider    violation = "outsider"    // may not read the case; for them it does not exist
	auditing    violation = "auditing"    // reads everything, decides nothing
	administers violation = "administers" // manages people and policy, decides nothing
	submitted   violation = "submitted"   // submitted the document
	conflicted  violation = "conflicted"  // excluded by a conflict of interest
	voted       violation = "voted"       // has voted on the case before
	overLimit   violation = "overLimit"   // the amount is above their limit
	unclaimed   violation = "unclaimed"   // may decide but has not claimed the review
)

var violations = []violation{outsider, auditing, administers, submitted, conflicted, voted,
	overLimit, unclaimed}

// mutationCase is the expectation for one mutation.
type mutationCase struct {
	input func(*authorizationCase) map[string]any
	// answers holds the error code for each violation; "" applies to violations that are not
	// listed. The code "-" means that the mutation allows it.
	answers map[violation]string
	nested  bool // the refusals are in the results
}

// authorizationCase is the data for one mutation: a case in review, and one whose vote was cast at
// the previous level.
type authorizationCase struct {
	*testEnv
	by             violation
	caseID, review string
	other, second  string // user ids
}

func onReviewInput(more map[string]any) func(*authorizationCase) map[string]any {
	return func(s *authorizationCase) map[string]any {
		input := map[string]any{"reviewId": s.review}
		maps.Copy(input, more)
		return input
	}
}

func onCaseInput(more map[string]any) func(*authorizationCase) map[string]any {
	return func(s *authorizationCase) map[string]any {
		input := map[string]any{"caseId": s.caseID}
		maps.Copy(input, more)
		return input
	}
}

// hardRules returns the codes of a mutation that only an eligible reviewer may call.
func hardRules(change map[violation]string) map[violation]string {
	answers := map[violation]string{outsider: "NotFound", auditing: "NotPermitted",
		administers: "NotPermitted", submitted: "OwnDocument",
		conflicted: "ConflictOfInterest", voted: "FourEyes", overLimit: "ApprovalLimitExceeded",
		unclaimed: "NotClaimedByYou"}
	maps.Copy(answers, change)
	return answers
}

// staffOnly holds the codes of a mutation that only administrators may call.
var staffOnly = map[violation]string{"": "NotPermitted", administers: "-"}

// unknownToAdministrators holds the codes of such a mutation for an object that does not exist.
var unknownToAdministrators = map[violation]string{"": "NotPermitted", administers: "NotFound"}

// onConnector is the input about a connector that does not exist. Connectors that exist are tested in
// TestConnectors.
var onConnector = fixedInput(map[string]any{
	"connectorId": scalar.GlobalID(scalar.KindConnector, domain.NewID())})

// managersAllowed holds the codes of a mutation that managers may call too; deadlineMutation those
// of one that managers may call unless they are excluded from the case.
var (
	managersAllowed = map[violation]string{"": "NotPermitted", administers: "-", conflicted: "-",
		voted: "-"}
	deadlineAnswers = map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
		voted: "-", "": "NotPermitted"}
)

// ownCaseOnly holds the codes of a mutation that only the submitter or a manager may call.
var ownCaseOnly = map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
	submitted: "-", "": "NotPermitted"}

const soon = "2099-01-01T00:00:00Z"

// unknownSample is the id of a sample that does not exist. Samples that exist are tested in package
// casework.
var unknownSample = scalar.GlobalID(scalar.KindSample, domain.NewID())

// mutationCases has an entry for every mutation of the schema. Mutations of a review or a case list
// a code for each violation; mutations of rights list one for everyone who may not call them.
var mutationCases = map[string]mutationCase{
	"claimReview": {input: onReviewInput(nil),
		answers: hardRules(map[violation]string{unclaimed: "-"})},
	"claimNextReview": {input: func(*authorizationCase) map[string]any { return map[string]any{} },
		answers: map[violation]string{"": "NothingToClaim", unclaimed: "-", voted: "-"}},
	"decideReview": {input: onReviewInput(map[string]any{"decision": "APPROVE"}),
		answers: hardRules(nil)},
	"prepareApproval": {input: onReviewInput(nil), answers: hardRules(nil)},
	"correctFields": {input: onReviewInput(
		map[string]any{"fields": []any{map[string]any{"name": "net", "value": "1.00"}}}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"splitCase": {input: onReviewInput(map[string]any{"parts": []any{
		map[string]any{"first": 1, "last": 1}, map[string]any{"first": 2, "last": 2}}}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"mergeParts": {input: onReviewInput(map[string]any{"reason": "x"}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"overrideFindings": {input: onReviewInput(map[string]any{"overrides": []any{
		map[string]any{"rule": "arithmetic", "reason": "rounded"}}}),
		answers: hardRules(nil)},
	"clearDuplicate": {input: onReviewInput(map[string]any{"reference": "CS-2026-000001",
		"reason": "a part delivery"}), answers: hardRules(nil)},
	"correctArchivedCase": {input: onCaseInput(map[string]any{"reason": "x"}),
		answers: hardRules(map[violation]string{submitted: "FourEyes", voted: "StateMismatch",
			unclaimed: "StateMismatch", auditing: "NotEligible", administers: "NotEligible",
			overLimit: "NotEligible"})},
	"correctLineItems": {input: onReviewInput(map[string]any{"items": []any{
		map[string]any{"description": "Nails", "amount": "1.00"}}}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"confirmFields": {input: onReviewInput(map[string]any{"names": []any{"total"}}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"acceptOrder": {input: onReviewInput(nil),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"stateOrderGround": {input: onReviewInput(map[string]any{"ground": map[string]any{
		"kind": "CHARGES", "explanation": "x"}}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"confirmOrderGround": {input: onReviewInput(map[string]any{"ground": 1}),
		answers: hardRules(map[violation]string{overLimit: "NotClaimedByYou"})},
	"releaseReview": {input: onReviewInput(nil),
		answers: hardRules(map[violation]string{submitted: "NotClaimedByYou",
			voted: "NotClaimedByYou", overLimit: "NotClaimedByYou",
			conflicted: "NotClaimedByYou"})},
	"heartbeatReview": {input: onReviewInput(nil),
		answers: map[violation]string{"": "NotClaimedByYou"}},
	"saveDraft": {input: onReviewInput(map[string]any{"draft": map[string]any{}}),
		answers: map[violation]string{"": "NotClaimedByYou"}},
	"reassignReviews": {nested: true, input: func(s *authorizationCase) map[string]any {
		return map[string]any{"reviewIds": []any{s.review}, "to": s.other}
	}, answers: hardRules(map[violation]string{submitted: "NotPermitted", voted: "NotEligible",
		overLimit: "NotPermitted", unclaimed: "NotPermitted"})},

	"resubmitCase": {input: onCaseInput(nil),
		answers: map[violation]string{outsider: "NotFound", submitted: "StateMismatch",
			"": "NotPermitted"}},
	"replaceDocument": {input: onCaseInput(
		map[string]any{"uploadId": "00000000-0000-0000-0000-000000000001"}),
		answers: map[violation]string{outsider: "NotFound", submitted: "NotFound",
			"": "NotPermitted"}},
	"addDocument": {input: onCaseInput(map[string]any{"document": map[string]any{"kind": "payslip",
		"uploadId": "00000000-0000-0000-0000-000000000001"}}),
		answers: map[violation]string{outsider: "NotFound", submitted: "NotFound",
			"": "NotPermitted"}},
	"enterFields": {input: onCaseInput(map[string]any{"fields": []any{map[string]any{"name": "net",
		"value": "1.00"}}}),
		answers: map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
			auditing: "NotPermitted", administers: "NotPermitted", "": "StateMismatch"}},
	"restateOrder": {input: onCaseInput(map[string]any{"order": map[string]any{"payer": "A",
		"payee": "B", "account": "1", "country": "DE", "purpose": "x", "reference": "x",
		"amount": map[string]any{"amount": "1.00", "currency": "EUR"}}}),
		answers: map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
			submitted: "StateMismatch", "": "NotPermitted"}},
	"retryIncident": {input: onCaseInput(nil),
		answers: map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
			submitted: "StateMismatch", voted: "StateMismatch", "": "NotPermitted"}},
	"abandonCase": {input: onCaseInput(map[string]any{"reason": "x"}),
		answers: maps.Collect(concatSeq(maps.All(ownCaseOnly),
			maps.All(map[violation]string{voted: "-"})))},

	"pauseDeadlines": {input: onReviewInput(map[string]any{"reason": "x"}),
		answers: deadlineAnswers},
	"resumeDeadlines": {input: onReviewInput(nil), answers: deadlineAnswers},
	"setQueueAssignment": {input: fixedInput(map[string]any{"queue": "L1", "strategy": "PULL"}),
		answers: managersAllowed},
	"setCalendar": {input: fixedInput(
		map[string]any{"name": "x", "zone": "UTC",
			"hours": []any{map[string]any{"weekday": 1, "from": "09:00", "to": "17:00"}}}),
		answers: managersAllowed},
	"setSkills": {input: func(s *authorizationCase) map[string]any {
		return map[string]any{"personId": s.other, "skills": []string{"de"}}
	}, answers: managersAllowed},

	"claimReviews": {nested: true, input: itemsInput,
		answers: hardRules(map[violation]string{unclaimed: "-"})},
	"releaseReviews": {nested: true, input: itemsInput,
		answers: hardRules(map[violation]string{submitted: "NotClaimedByYou", voted: "NotClaimedByYou",
			overLimit: "NotClaimedByYou", conflicted: "NotClaimedByYou"})},
	// above the limit of bulk approval
	"approveReviews": {nested: true, input: itemsInput,
		answers: hardRules(map[violation]string{unclaimed: "NotPermitted"})},
	"undoDecision": {input: onReviewInput(nil),
		answers: map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
			"": "StateMismatch"}},
	"reopenCase": {input: onCaseInput(map[string]any{"reason": "x"}),
		answers: map[violation]string{outsider: "NotFound", conflicted: "ConflictOfInterest",
			voted: "StateMismatch", "": "NotPermitted"}},

	// A caller without the lease gets the same error for every task, whether it exists or not.
	"leaseExternalTasks": {input: fixedInput(map[string]any{"topic": "translation"}),
		answers: map[violation]string{"": "NotPermitted"}},
	"completeExternalTask": {input: taskInput(nil), answers: map[violation]string{"": "LeaseLost"}},
	"extendExternalTask":   {input: taskInput(nil), answers: map[violation]string{"": "LeaseLost"}},
	"failExternalTask": {input: taskInput(map[string]any{"message": "x"}),
		answers: map[violation]string{"": "LeaseLost"}},

	"proposeRuleSet": {input: fixedInput(map[string]any{"document": "key: x"}),
		answers: staffOnly},
	"publishRuleSet": {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},
	"restoreRuleSet": {input: fixedInput(map[string]any{"key": "invoices",
		"definitionVersion": 1}), answers: staffOnly},
	"withdrawRuleSet": {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},
	"proposeDocumentType": {input: fixedInput(map[string]any{"document": "key: x"}),
		answers: staffOnly},
	"publishDocumentType": {input: withReason("proposalId", scalar.KindProposal),
		answers: staffOnly},
	"restoreDocumentType": {input: fixedInput(map[string]any{"key": "invoices",
		"definitionVersion": 1}), answers: staffOnly},
	"withdrawDocumentType": {input: withReason("proposalId", scalar.KindProposal),
		answers: staffOnly},

	"endConflict": {input: func(*authorizationCase) map[string]any {
		return map[string]any{"conflictId": scalar.GlobalID(scalar.KindConflict, domain.NewID()),
			"reason": "over"}
	}, answers: staffOnly},
	"importConflicts": {input: fixedInput(
		map[string]any{"csv": "email,counterparty\nx@example.com,Acme"}), answers: staffOnly},
	"groupParty": {input: fixedInput(map[string]any{"counterparty": "A", "with": "B"}),
		answers: staffOnly},
	"setCountryRisks": {input: fixedInput(map[string]any{"reason": "x",
		"countries": []any{map[string]any{"country": "AE", "level": "HIGH"}}}), answers: staffOnly},
	"setExchangeRates": {input: fixedInput(map[string]any{"reason": "x",
		"rates": []any{map[string]any{"currency": "EUR", "rate": "1.11"}}}), answers: staffOnly},
	"proposeSampleShare": {input: fixedInput(map[string]any{"reason": "x", "percent": "3",
		"process": "document_approval", "stratum": "STRAIGHT"}), answers: staffOnly},
	"proposeDrawMark": {input: fixedInput(map[string]any{"reason": "x", "amount": "1000000",
		"process": "document_approval"}), answers: staffOnly},
	"proposeMigration": {input: fixedInput(map[string]any{"reason": "x", "plan": map[string]any{
		"process": "document_approval", "fromVersion": 1, "toVersion": 1}}), answers: staffOnly},
	"undoMigration": {input: fixedInput(map[string]any{"reason": "x",
		"migrationId": scalar.GlobalID(scalar.KindMigration, domain.NewID())}),
		answers: unknownToAdministrators},
	"setRetention": {input: fixedInput(map[string]any{"reason": "x", "documentType": "invoice",
		"days": 4000}), answers: staffOnly},
	"placeLegalHold": {input: onCaseInput(map[string]any{"reason": "x"}),
		answers: map[violation]string{"": "NotPermitted", administers: "-", auditing: "-",
			conflicted: "-", voted: "-"}},
	"proposeHoldLift": {input: fixedInput(map[string]any{"reason": "x",
		"holdId": scalar.GlobalID(scalar.KindLegalHold, domain.NewID())}),
		answers: unknownToAdministrators},
	"addNote": {input: onCaseInput(map[string]any{"text": "x"}),
		answers: map[violation]string{"": "-", outsider: "NotFound", conflicted: "ConflictOfInterest"}},
	"watchCase": {input: onCaseInput(map[string]any{"watch": true}),
		answers: map[violation]string{"": "-", outsider: "NotFound", conflicted: "ConflictOfInterest"}},
	"saveView": {input: fixedInput(map[string]any{"list": "CASES", "name": "x", "parameters": []any{},
		"audience": "EVERYONE"}), answers: map[violation]string{"": "NotPermitted", administers: "-", auditing: "NotPermitted",
		conflicted: "-", voted: "-"}},
	"deleteView": {input: fixedInput(map[string]any{
		"viewId": scalar.GlobalID(scalar.KindView, domain.NewID())}),
		answers: map[violation]string{"": "NotFound"}},
	"setDefaultView": {input: fixedInput(map[string]any{"list": "CASES",
		"viewId": scalar.GlobalID(scalar.KindView, domain.NewID())}),
		answers: map[violation]string{"": "NotFound"}},
	"addProposalComment": {input: fixedInput(map[string]any{"text": "x",
		"proposalId": scalar.GlobalID(scalar.KindProposal, domain.NewID())}), answers: unknownToAdministrators},
	"rehearseProposal": {input: fixedInput(map[string]any{
		"proposalId": scalar.GlobalID(scalar.KindProposal, domain.NewID())}), answers: unknownToAdministrators},
	"resolveProposalComment": {input: fixedInput(map[string]any{
		"commentId": scalar.GlobalID(scalar.KindComment, domain.NewID())}), answers: unknownToAdministrators},
	"decideAsOwner": {input: fixedInput(map[string]any{"sha256": "x", "decision": "APPROVED",
		"proposalId": scalar.GlobalID(scalar.KindProposal, domain.NewID())}),
		answers: map[violation]string{"": "NotFound"}},
	"proposeProcessOwners": {input: fixedInput(map[string]any{"reason": "x", "required": 0,
		"process": "document_approval", "ownerIds": []any{}}), answers: staffOnly},
	"withdrawNote": {input: fixedInput(map[string]any{
		"noteId": scalar.GlobalID(scalar.KindNote, domain.NewID())}),
		answers: map[violation]string{"": "NotFound"}},
	"proposeErasure": {input: onCaseInput(map[string]any{"reason": "x"}),
		answers: map[violation]string{"": "NotPermitted", administers: "StateMismatch"}},
	"putConnector": {input: fixedInput(map[string]any{"reason": "x", "name": "books",
		"url": "https://receiver.example", "secrets": []any{"one"}, "audience": "STAFF"}),
		answers: staffOnly},
	"testConnector": {input: onConnector, answers: unknownToAdministrators},
	"reconcileConnector": {input: fixedInput(map[string]any{"from": "2026-01-01T00:00:00Z",
		"to":          "2026-01-02T00:00:00Z",
		"connectorId": scalar.GlobalID(scalar.KindConnector, domain.NewID())}),
		answers: unknownToAdministrators},
	"pauseConnector":  {input: onConnector, answers: unknownToAdministrators},
	"resumeConnector": {input: onConnector, answers: unknownToAdministrators},
	"replayConnector": {input: onConnector, answers: unknownToAdministrators},
	"retryDelivery": {input: fixedInput(map[string]any{
		"deliveryId": scalar.GlobalID(scalar.KindDelivery, domain.NewID())}),
		answers: unknownToAdministrators},
	"skipDelivery": {input: fixedInput(map[string]any{"reason": "x",
		"deliveryId": scalar.GlobalID(scalar.KindDelivery, domain.NewID())}),
		answers: unknownToAdministrators},
	"takeQualitySample": {input: func(*authorizationCase) map[string]any { return map[string]any{} },
		answers: map[violation]string{"": "NothingToClaim"}},
	"releaseQualitySample": {input: fixedInput(map[string]any{"sampleId": unknownSample}),
		answers: map[violation]string{"": "NotFound"}},
	"checkQualitySample": {input: fixedInput(map[string]any{"sampleId": unknownSample,
		"approves": true, "values": []any{}}), answers: map[violation]string{"": "NotFound"}},
	"settleQualitySample": {input: fixedInput(map[string]any{"sampleId": unknownSample,
		"archivedRightly": true, "reason": "x"}), answers: map[violation]string{"": "NotFound"}},
	"revokeLesson": {input: fixedInput(map[string]any{"reason": "x",
		"lessonId": scalar.GlobalID(scalar.KindLesson, domain.NewID())}), answers: staffOnly},
	"setTrustedProxies": {input: fixedInput(map[string]any{"networks": []string{"10.0.0.0/8"},
		"reason": "another proxy"}), answers: staffOnly},
	"reviewOperatorRequest": {input: func(*authorizationCase) map[string]any {
		return map[string]any{"note": "x",
			"requestId": scalar.GlobalID(scalar.KindOperatorRequest, domain.NewID())}
	}, answers: staffOnly},
	"endOperatorRequest": {input: func(*authorizationCase) map[string]any {
		return map[string]any{"requestId": scalar.GlobalID(scalar.KindOperatorRequest, domain.NewID())}
	}, answers: staffOnly},
	"confirmControlChange":  {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},
	"withdrawControlChange": {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},
	"endOwnAccount": {input: fixedInput(map[string]any{"account": "DE89370400440532013000"}),
		answers: staffOnly},
	"declareOwnAccount": {input: func(s *authorizationCase) map[string]any {
		return map[string]any{"personId": s.other, "account": "DE89370400440532013000"}
	}, answers: staffOnly},
	"declareConflict": {input: func(s *authorizationCase) map[string]any {
		return map[string]any{"personId": s.other, "counterparty": "Elsewhere Ltd", "reason": "x"}
	}, answers: staffOnly},
	"createDelegation": {input: func(s *authorizationCase) map[string]any {
		return map[string]any{"delegatorId": s.other, "delegateId": s.second, "validUntil": soon}
	}, answers: staffOnly},
	"endDelegation": {input: withReason("delegationId", scalar.KindDelegation),
		answers: map[violation]string{"": "NotFound"}},
	"setOutOfOffice": {input: func(s *authorizationCase) map[string]any {
		return map[string]any{"personId": s.other, "validUntil": soon}
	}, answers: managersAllowed},
	"endOutOfOffice": {input: withReason("absenceId", scalar.KindAbsence),
		answers: map[violation]string{"": "NotFound"}},
	"putPerson": {input: fixedInput(map[string]any{"email": "new@example.com", "name": "New",
		"roles": []string{}, "queues": []string{}}), answers: staffOnly},
	"resetSignIn": {input: func(*authorizationCase) map[string]any {
		return map[string]any{"personId": scalar.GlobalID(scalar.KindPerson, domain.NewID()),
			"reason": "forgotten"}
	}, answers: staffOnly},
	"putGroupMapping": {input: fixedInput(map[string]any{"provider": "corp", "group": "g",
		"role": "reviewer_l1", "reason": "r"}), answers: staffOnly},
	"setLimit": {input: fixedInput(map[string]any{"role": "reviewer_l1", "unlimited": true}),
		answers: staffOnly},
	"putRole": {input: fixedInput(map[string]any{"name": "own_role"}), answers: staffOnly},

	"proposePolicy": {input: fixedInput(map[string]any{"document": `{"rules":[]}`}),
		answers: staffOnly},
	"publishPolicy":  {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},
	"restorePolicy":  {input: fixedInput(map[string]any{"policyVersion": 1}), answers: staffOnly},
	"withdrawPolicy": {input: withReason("proposalId", scalar.KindProposal), answers: staffOnly},

	"proposeProcessDefinition": {input: fixedInput(map[string]any{"document": "key: x"}),
		answers: staffOnly},
	"publishProcessDefinition": {input: withReason("proposalId", scalar.KindProposal),
		answers: staffOnly},
	"restoreProcessDefinition": {input: fixedInput(
		map[string]any{"key": "document_approval", "definitionVersion": 1}), answers: staffOnly},
	"withdrawProcessDefinition": {input: withReason("proposalId", scalar.KindProposal),
		answers: staffOnly},

	"setApiTokenRequests": {input: withReason("tokenId", scalar.KindAPIToken),
		answers: map[violation]string{"": "NotFound"}},

	// These change only the caller's own data.
	"submitDocument": {}, "createApiToken": {}, "revokeApiToken": {}, "markNoticesRead": {},
	"setNoticeMail": {}, "setNoticeCalendar": {}, "retryMailAddress": {}, "setPersonSetting": {},
}

func itemsInput(s *authorizationCase) map[string]any {
	return map[string]any{"items": []any{map[string]any{"reviewId": s.review}}}
}

func taskInput(more map[string]any) func(*authorizationCase) map[string]any {
	return func(s *authorizationCase) map[string]any {
		input := map[string]any{"lease": map[string]any{"caseId": s.caseID,
			"taskId":     scalar.GlobalID(scalar.KindTask, domain.NewID()),
			"leaseToken": domain.NewID().String()}}
		maps.Copy(input, more)
		return input
	}
}

func fixedInput(input map[string]any) func(*authorizationCase) map[string]any {
	return func(*authorizationCase) map[string]any { return maps.Clone(input) }
}

// withReason refers to an object that does not exist, because callers without the right are refused
// before it is looked up.
func withReason(name string, kind scalar.Kind) func(*authorizationCase) map[string]any {
	return func(*authorizationCase) map[string]any {
		return map[string]any{name: scalar.GlobalID(kind, domain.NewID())}
	}
}

func concatSeq[K comparable, V any](sequences ...func(func(K, V) bool)) func(func(K, V) bool) {
	return func(yield func(K, V) bool) {
		for _, sequence := range sequences {
			sequence(yield)
		}
	}
}

// newAuthorizationCases creates two cases in review, one of them with a vote at the previous level,
// and a user for each violation.
func newAuthorizationCases(t *testing.T) (*testEnv, map[violation]*authorizationCase) {
	t.Helper()
	w := newTestEnv(t)
	l2 := []domain.Role{domain.RoleSubmitter, domain.RoleL1}
	w.person(string(submitted), l2...)
	w.person(string(outsider), domain.RoleSubmitter)
	w.person(string(auditing), domain.RoleAuditor)
	w.person(string(administers), domain.RoleAdmin)
	w.person(string(voted), domain.RoleManager)
	w.person("free", domain.RoleManager) // may decide, so that who has voted may not claim
	w.person(string(overLimit), domain.RoleL1)
	w.person(string(unclaimed), domain.RoleSenior)
	barred := w.person(string(conflicted), domain.RoleManager)
	plain := w.submit(string(submitted), "600000.00") // 660 000 USD: above a junior's limit
	escalated := w.submit(string(submitted), "600001.00")
	w.runPending()
	review := func(by, caseID string) string {
		answer := w.mustExecute(by, `query($id: ID!) { case(id: $id) { reviews { id status } } }`,
			"id", caseID)
		reviews, _ := answer.at("case", "reviews").([]any)
		for i := range reviews {
			if status := answer.text("case", "reviews", i, "status"); status == "OPEN" ||
				status == "CLAIMED" {
				return answer.text("case", "reviews", i, "id")
			}
		}
		t.Fatalf("no open review: %+v", answer)
		return ""
	}
	first := review(string(auditing), escalated)
	const do = `mutation($id: ID!) { claimReview(input: {reviewId: $id}) { userErrors { ... on Refusal { code } } }
		decideReview(input: {reviewId: $id, decision: ESCALATE, reason: "look"}) { userErrors { ... on Refusal { code message } } } }`
	if answer := w.mustExecute(string(voted), do, "id", first); answer.at("decideReview",
		"userErrors", 0) != nil {
		t.Fatalf("not escalated: %+v", answer)
	}
	// The second case tests only the vote, so users with another violation are excluded from it.
	if _, err := w.service.DeclareConflict(t.Context(), domain.SystemActor(),
		casework.DeclareConflict{Person: barred.UserID, Party: "Muster Werke GmbH"}); err != nil {
		t.Fatal(err)
	}
	other := scalar.GlobalID(scalar.KindPerson, w.person("other", domain.RoleL1).UserID)
	second := scalar.GlobalID(scalar.KindPerson, w.person("second", domain.RoleL1).UserID)
	scenes := map[violation]*authorizationCase{}
	for _, by := range violations {
		scenes[by] = &authorizationCase{testEnv: w, by: by, caseID: plain,
			review: review(string(auditing), plain), other: other, second: second}
	}
	scenes[voted].caseID, scenes[voted].review = escalated, review(string(auditing), escalated)
	return w, scenes
}

// TestEveryMutationRefusesEveryViolation calls every mutation of the schema with every violation.
// It fails for mutations without an entry and for entries without a mutation.
func TestEveryMutationRefusesEveryViolation(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	known := map[string]bool{}
	_, scenes := newAuthorizationCases(t)
	asked := 0
	for _, mutation := range schema.Mutation.Fields {
		known[mutation.Name] = true
		line, ok := mutationCases[mutation.Name]
		if !ok {
			t.Errorf("mutation %s has no entry in mutationCases", mutation.Name)
			continue
		}
		if line.input == nil {
			continue
		}
		for _, by := range violations {
			want, named := line.answers[by]
			if !named {
				want = line.answers[""]
			}
			if want == "-" {
				continue
			}
			if want == "" {
				t.Errorf("%s has no code for %s", mutation.Name, by)
				continue
			}
			asked++
			refusals := "userErrors { ... on Refusal { code message } }"
			path := []any{mutation.Name, "userErrors", 0, "code"}
			if line.nested {
				refusals, path = "results { "+refusals+" } userErrors { ... on Refusal { code } }",
					[]any{mutation.Name, "results", 0, "userErrors", 0, "code"}
			}
			query := fmt.Sprintf("mutation($in: %s) { %s(input: $in) { %s } }",
				mutation.Arguments[0].Type, mutation.Name, refusals)
			answer := scenes[by].mustExecute(string(by), query, "in", line.input(scenes[by]))
			if got := answer.text(path...); got != want {
				t.Errorf("%s by %s: %q, want %q (%+v)", mutation.Name, by, got, want,
					answer.at(mutation.Name))
			}
		}
	}
	for name := range mutationCases {
		if !known[name] {
			t.Errorf("mutationCases has %s, the schema does not", name)
		}
	}
	t.Logf("%d mutations, %d violations tried", len(known), asked)
}

// TestDecideAndClaimNext checks that one request decides a review and claims the next one, and that
// a refused decision claims none.
func TestDecideAndClaimNext(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("mia", domain.RoleManager)
	w.submit("sam", "600000.00")
	w.submit("sam", "600001.00")
	w.runPending()
	first := w.mustExecute("mia", `mutation { claimNextReview(input: {}) { review { id } } }`).
		text("claimNextReview", "review", "id")
	both := `mutation($id: ID!, $reason: String) {
		decideReview(input: {reviewId: $id, decision: REJECT, reason: $reason}) {
			review { status } userErrors { ... on Refusal { code } } }
		claimNextReview(input: {afterReview: $id}) {
			review { id } userErrors { ... on Refusal { code } } } }`
	answer := w.mustExecute("mia", both, "id", first, "reason", "")
	if answer.text("decideReview", "userErrors", 0, "code") != "ValidationFailed" ||
		answer.text("claimNextReview", "userErrors", 0, "code") != "StateMismatch" {
		t.Fatalf("a refused decision: %+v", answer.Data)
	}
	answer = w.mustExecute("mia", both, "id", first, "reason", "not ours")
	second := answer.text("claimNextReview", "review", "id")
	if answer.at("decideReview", "userErrors", 0) != nil || second == first || second == "" {
		t.Fatalf("decided and claimed: %+v", answer.Data)
	}
}

// Who skips a review claims the one after it, and none if there is no other; the skipped one stays for
// others. The review says what follows its approval.
func TestClaimNextSkipsReviews(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("mia", domain.RoleManager)
	w.submit("sam", "600000.00")
	w.submit("sam", "600001.00")
	w.runPending()
	const skipping = `mutation($ids: [ID!]) { claimNextReview(input: {skip: $ids}) {
		review { id status afterApproval { step queue level } } userErrors { ... on Refusal { code } } } }`
	claim := func(skipped ...string) string {
		answer := w.mustExecute("mia", skipping, "ids", skipped)
		if code, refused := answer.at("claimNextReview", "userErrors", 0, "code").(string); refused {
			return code
		}
		if answer.text("claimNextReview", "review", "afterApproval", "step") != "ARCHIVE" {
			t.Errorf("what follows: %+v", answer.Data)
		}
		return answer.text("claimNextReview", "review", "id")
	}
	first := claim()
	w.mustExecute("mia", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) {
		review { id } userErrors { ... on Refusal { code } } } }`, "id", first)
	second := claim(first)
	if second == first || second == "NothingToClaim" {
		t.Fatalf("after %s was skipped: %s", first, second)
	}
	if got := claim(first); got != "NothingToClaim" {
		t.Errorf("with nothing else: %s", got)
	}
	if got := claim(); got != first {
		t.Errorf("the skipped review: %s", got)
	}
}

// TestAliasesDecideOnce checks that several decisions in one request run as separate commands, and
// that no user gets two votes that way.
func TestAliasesDecideOnce(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("mia", domain.RoleManager)
	w.person("max", domain.RoleManager) // could decide what mia escalates
	w.person("aud", domain.RoleAuditor)
	w.submit("sam", "600000.00")
	w.runPending()
	answer := w.mustExecute("mia", `mutation { one: claimNextReview(input: {}) { review { id }
		userErrors { ... on Refusal { code } } } }`)
	id := answer.text("one", "review", "id")
	many := `mutation($id: ID!) { up: decideReview(input: {reviewId: $id, decision: ESCALATE, reason: "look"}) { userErrors { ... on Refusal { code } } }
		again: decideReview(input: {reviewId: $id, decision: APPROVE}) { userErrors { ... on Refusal { code } } }
		next: claimNextReview(input: {}) { review { id } userErrors { ... on Refusal { code } } } }`
	answer = w.mustExecute("mia", many, "id", id)
	if answer.at("up", "userErrors", 0) != nil ||
		answer.text("again", "userErrors", 0, "code") != "AlreadyDecided" ||
		answer.text("next", "userErrors", 0, "code") != "NothingToClaim" {
		t.Fatalf("aliases: %+v", answer.Data)
	}
	second := w.mustExecute("aud", `{ cases(first: 1) { nodes { reviews { id status } } } }`)
	for i := range second.at("cases", "nodes", 0, "reviews").([]any) {
		if second.text("cases", "nodes", 0, "reviews", i, "status") == "OPEN" {
			id = second.text("cases", "nodes", 0, "reviews", i, "id")
		}
	}
	level2 := `mutation($id: ID!) { a: claimReview(input: {reviewId: $id}) { userErrors { ... on Refusal { code } } }
		b: decideReview(input: {reviewId: $id, decision: APPROVE}) { userErrors { ... on Refusal { code } } } }`
	answer = w.mustExecute("mia", level2, "id", id)
	if answer.text("a", "userErrors", 0, "code") != "FourEyes" ||
		answer.text("b", "userErrors", 0, "code") != "FourEyes" {
		t.Errorf("both levels in one request: %+v", answer.Data)
	}
}

// TestNewPolicyAppliesImmediately checks that a second server on the same database applies a policy
// published at the first, at its next command and within a second.
func TestNewPolicyAppliesImmediately(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	found := w.mustExecute("ada", `{ policy { version document newest rules { name role action
		object condition effect } } policyTerms { names actions { action objects } } roles { name
		builtIn people } limits { role amount { amount } } }`)
	if found.at("policy", "version") != 1.0 || found.at("policy", "newest") != true {
		t.Fatalf("in force: %+v", found.at("policy", "version"))
	}
	text := strings.Replace(found.text("policy", "document"), `"version": 1`, `"version": 2`, 1)
	proposed := w.mustExecute("ada", `mutation($d: String!) { proposePolicy(input: {document: $d,
		note: "same"}) { proposal { id kind nextVersion } problems { message } userErrors { ... on
		Refusal { code message } } } }`, "d", text)
	id := proposed.text("proposePolicy", "proposal", "id")
	const publish = `mutation($id: ID!) { publishPolicy(input: {proposalId: $id}) { proposal {
		status } userErrors { ... on Refusal { code } } } }`
	if got := w.mustExecute("ada", publish, "id", id); got.text("publishPolicy", "userErrors", 0,
		"code") != "FourEyes" {
		t.Errorf("alone: %+v", got)
	}
	began := time.Now()
	if got := w.mustExecute("adam", publish, "id", id); got.text("publishPolicy", "proposal",
		"status") != "PUBLISHED" {
		t.Fatalf("published: %+v", got)
	}
	list := w.mustExecute("adam", `{ policies(first: 5) { nodes { version newest publishedBy {
		name } proposal { id } } pageInfo { hasNextPage } } }`)
	if list.text("policies", "nodes", 0, "publishedBy", "name") != "adam" ||
		list.at("policies", "nodes", 0, "version") != 2.0 || time.Since(began) > time.Minute {
		t.Errorf("listed %+v", list)
	}
	bad := w.mustExecute("ada", `query($d: String!) { checkPolicy(document: $d) { node message } }`,
		"d", `{"rules":[{"name":"n","role":"manager","action":"claim","object":"review","condition":"1+1==2"}]}`)
	if bad.text("checkPolicy", 0, "node") != "n" {
		t.Errorf("checked %+v", bad)
	}
	const put = `mutation($in: PutPersonInput!) { putPerson(input: $in) { person { id version
		roles roleNames } proposal { id subject } userErrors { ... on Refusal { code message field } } } }`
	w.mustExecute("ada", `mutation { putRole(input: {name: "reviewer_asia", description: "Asia"})
		{ userErrors { ... on Refusal { code } } } }`)
	made := w.mustExecute("ada", put, "in", map[string]any{"email": "aiko@example.com",
		"name": "Aiko", "roles": []string{"reviewer_asia", "auditor"}, "queues": []string{"L1"}})
	if made.at("putPerson", "person") != nil ||
		made.text("putPerson", "proposal", "subject") != "Aiko" {
		t.Errorf("one administrator made an account: %+v", made)
	}
	confirmed := w.mustExecute("adam", `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied signInLink { secret expiresAt } proposal { after } }
		userErrors { ... on Refusal { code message } } } }`, "id", made.text("putPerson", "proposal", "id"))
	if confirmed.text("confirmControlChange", "results", 0, "signInLink", "secret") == "" ||
		confirmed.text("confirmControlChange", "results", 0, "proposal", "after") !=
			"aiko@example.com; auditor, reviewer_asia; L1" {
		t.Errorf("confirmed %+v", confirmed)
	}
	limit := w.mustExecute("ada", `mutation { setLimit(input: {role: "reviewer_asia", amount: {amount: "1000.00", currency: "USD"}}) { userErrors { ... on Refusal { code } } }
		own: setLimit(input: {role: "reviewer_asia", amount: {amount: "1.00", currency: "USD"}}) { proposal { after } }
		both: setLimit(input: {role: "reviewer_asia", unlimited: true, drop: true}) { userErrors { ... on Refusal { code field } } } }`)
	if limit.at("setLimit", "userErrors", 0) != nil ||
		limit.text("own", "proposal", "after") == "" ||
		limit.text("both", "userErrors", 0, "field") != "amount" {
		t.Errorf("limits %+v", limit)
	}
}
