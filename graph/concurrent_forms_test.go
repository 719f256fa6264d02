package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/graph/generated"
)

// whySecondIsSafe says, for each mutation whose input names no version or value that the sender read, why the
// later of two people who have the same form open overwrites nothing. A new mutation needs an expected
// version, or an entry with its reason.
var whySecondIsSafe = map[string]string{
	// each call adds something of its own
	"addProposalComment": "adds a comment", "addNote": "adds a note", "submitDocument": "adds a case",
	"placeLegalHold": "adds a hold", "declareConflict": "adds a conflict", "importConflicts": "adds conflicts",
	"createDelegation":   "adds a delegation beside others",
	"setOutOfOffice":     "adds an absence; one of the same period is refused",
	"declareOwnAccount":  "adds an account to a set",
	"groupParty":         "joins two named parties",
	"createApiToken":     "adds a key",
	"rehearseProposal":   "adds a report",
	"takeQualitySample":  "takes a free sample",
	"claimNextReview":    "takes a free review",
	"leaseExternalTasks": "takes free tasks",
	// a proposal that says what was before; another person confirms it, and a changed base ends it
	"putConnector": "proposal with before, after and base", "proposeDrawMark": "proposal with before, after and base",
	"proposeSampleShare":   "proposal with before, after and base",
	"proposeProcessOwners": "proposal with before, after and base",
	"proposeMigration":     "proposal of one plan", "undoMigration": "proposal about one migration",
	"proposeErasure": "proposal about one case", "proposeHoldLift": "proposal about one hold",
	"resetSignIn":     "proposal about one account",
	"putGroupMapping": "adds or ends one named mapping; an added one is a proposal",
	// ends or moves one named thing; the second sender is refused because its state has changed
	"resolveProposalComment": "ends one comment", "pauseConnector": "moves one state",
	"resumeConnector": "moves one state", "replayConnector": "moves one position, with an event",
	"retryDelivery": "moves one state", "skipDelivery": "moves one state",
	"reviewOperatorRequest": "adds the review of one person", "endOperatorRequest": "ends one request",
	"revokeLesson": "ends one lesson", "withdrawNote": "ends one note", "endOwnAccount": "ends one account",
	"endDelegation": "ends one delegation", "endOutOfOffice": "ends one absence", "endConflict": "ends one conflict",
	"deleteView": "ends one view", "revokeApiToken": "ends one key",
	"releaseQualitySample": "the holder only", "checkQualitySample": "the holder only, once",
	"settleQualitySample": "once, about two checks that do not change",
	"correctArchivedCase": "once for each case", "undoDecision": "the person who decided, once",
	"pauseDeadlines": "moves one state", "resumeDeadlines": "moves one state",
	"extendExternalTask": "names its lease", "completeExternalTask": "names its lease",
	"failExternalTask": "names its lease", "heartbeatReview": "the holder only",
	// about the sender alone
	"watchCase": "own", "markNoticesRead": "own", "setNoticeMail": "own", "setNoticeCalendar": "own",
	"retryMailAddress": "own", "setDefaultView": "own", "saveDraft": "own", "setPersonSetting": "own",
	// changes nothing, or one number that grants nothing
	"testConnector": "changes nothing", "reconcileConnector": "changes nothing",
	"setApiTokenRequests": "one number, shown with the key",
}

// whyNoKey says, for each mutation without an idempotency key, why a resend does no harm.
var whyNoKey = map[string]string{
	"testConnector": "changes nothing", "reconcileConnector": "changes nothing",
	"leaseExternalTasks": "a lease that is lost expires", "extendExternalTask": "extends the same lease",
	"heartbeatReview": "the same claim", "saveDraft": "the same text", "prepareApproval": "changes nothing",
	"createApiToken": "the secret is shown once; a lost answer needs another key",
	"revokeApiToken": "ends the same key", "setApiTokenRequests": "the same number",
}

// namesWhatWasRead reports whether an input names a version, a value or the hash of a text that the sender
// read.
func namesWhatWasRead(schema *ast.Schema, of *ast.Type) bool {
	for of.Elem != nil {
		of = of.Elem
	}
	definition := schema.Types[of.NamedType]
	return definition.Kind == ast.InputObject &&
		slices.ContainsFunc(definition.Fields, func(field *ast.FieldDefinition) bool {
			return strings.HasPrefix(field.Name, "expected") && field.Name != "expectedStatus" ||
				field.Name == "sha256" || namesWhatWasRead(schema, field.Type)
		})
}

func TestTheSecondOfTwoSendersOverwritesNothing(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	known := map[string]bool{}
	for _, mutation := range schema.Mutation.Fields {
		if strings.HasPrefix(mutation.Name, "__") {
			continue
		}
		known[mutation.Name] = true
		input := mutation.Arguments.ForName("input").Type
		versioned := namesWhatWasRead(schema, input)
		why, exempt := whySecondIsSafe[mutation.Name]
		switch {
		case !versioned && why == "":
			t.Errorf("%s names nothing that its sender read: add expectedVersion, or say in whySecondIsSafe why "+
				"the second of two senders overwrites nothing", mutation.Name)
		case versioned && exempt:
			t.Errorf("%s has an expected version and needs no exemption", mutation.Name)
		}
		keyed := schema.Types[input.Name()].Fields.ForName("idempotencyKey") != nil
		if why := whyNoKey[mutation.Name]; keyed == (why != "") {
			t.Errorf("%s: a key is %t, and its exemption is %q", mutation.Name, keyed, why)
		}
	}
	for _, exemptions := range []map[string]string{whySecondIsSafe, whyNoKey} {
		for name := range exemptions {
			if !known[name] {
				t.Errorf("%s is no mutation", name)
			}
		}
	}
}
