package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
	"countersign/graph/transport"
	"countersign/store"
)

// kindUpload is the kind of a resumable upload's id, which is a plain UUID.
const kindUpload scalar.Kind = ""

// acceptedIDs describes a place of the schema: the kinds of ids that it accepts, and other values
// that a meaningful call needs.
type acceptedIDs struct {
	kinds      []scalar.Kind
	extraInput map[string]any
}

func accepts(kinds ...scalar.Kind) acceptedIDs { return acceptedIDs{kinds: kinds} }

func (t acceptedIDs) and(path string, value any) acceptedIDs {
	return acceptedIDs{t.kinds, map[string]any{path: value}}
}

var (
	acceptsCase, acceptsReview, acceptsPerson = accepts(scalar.KindCase),
		accepts(scalar.KindReview), accepts(scalar.KindPerson)
	acceptsProposal = accepts(scalar.KindProposal)
	acceptsSample   = accepts(scalar.KindSample)
	acceptsLesson   = accepts(scalar.KindLesson)

	acceptsComment                    = accepts(scalar.KindComment)
	acceptsConnector, acceptsDelivery = accepts(scalar.KindConnector), accepts(scalar.KindDelivery)
)

// missingIDs are ids of objects that do not exist, for the places that the test does not vary.
var missingIDs = map[scalar.Kind]string{scalar.KindCase: missingID(scalar.KindCase),
	scalar.KindReview: missingID(scalar.KindReview),
	scalar.KindPerson: missingID(scalar.KindPerson),
	scalar.KindTask:   missingID(scalar.KindTask), kindUpload: missingID(kindUpload)}

// foreignPlaces has an entry for every place of the schema that accepts an id.
var foreignPlaces = map[string]acceptedIDs{
	"node.id": accepts(scalar.KindCase, scalar.KindReview, scalar.KindIncident, scalar.KindPerson,
		scalar.KindProposal, scalar.KindAPIToken,
		scalar.KindConflict, scalar.KindDelegation, scalar.KindAbsence, scalar.KindTask),
	"cases.filter.submitterId": acceptsPerson,
	"search.caseId":            acceptsCase.and("query", "gmbh"),
	"sumDocuments.caseId":      acceptsCase.and("rule", "split_small"),
	"comparison.reviewId":      acceptsReview.and("reference", "CS-2026-000001"),
	"case.id":                  acceptsCase, "review.id": acceptsReview, "explain.reviewId": acceptsReview,
	"eligibleReviewers.reviewId": acceptsReview,
	"auditTrail.caseId":          acceptsCase, "verifyAudit.caseId": acceptsCase,
	"statistics.filter.personId":  acceptsPerson,
	"auditSearch.filter.personId": acceptsPerson, "tryRuleSet.caseId": acceptsCase, "caseEvents.caseId": acceptsCase,
	"events.filter.caseId":      acceptsCase,
	"reassignPreview.reviewIds": acceptsReview,
	"reassignPreview.to":        acceptsPerson.and("reviewIds", missingIDs[scalar.KindReview]),
	"reviews.filter.assignee":   acceptsPerson, "reviewQueue.filter.assignee": acceptsPerson,
	"reviews.filter.cases": acceptsCase, "reviewQueue.filter.cases": acceptsCase,
	"conflicts.filter.personId": acceptsPerson, "delegations.personId": acceptsPerson,

	"submitDocument.input.uploadId":           accepts(kindUpload),
	"replaceDocument.input.uploadId":          accepts(kindUpload),
	"replaceDocument.input.caseId":            acceptsCase.and("input.uploadId", missingIDs[kindUpload]),
	"submitDocument.input.documents.uploadId": accepts(kindUpload),
	"addDocument.input.document.uploadId":     accepts(kindUpload),
	"addDocument.input.caseId":                acceptsCase.and("input.document.uploadId", missingIDs[kindUpload]),
	"resubmitCase.input.caseId":               acceptsCase, "enterFields.input.caseId": acceptsCase,
	"retryIncident.input.caseId": acceptsCase, "abandonCase.input.caseId": acceptsCase,
	"reopenCase.input.caseId":      acceptsCase,
	"correctFields.input.reviewId": acceptsReview, "correctFields.input.onBehalfOf": acceptsPerson,
	"splitCase.input.reviewId": acceptsReview, "splitCase.input.onBehalfOf": acceptsPerson,
	"mergeParts.input.reviewId": acceptsReview, "mergeParts.input.onBehalfOf": acceptsPerson,
	"overrideFindings.input.reviewId": acceptsReview, "overrideFindings.input.onBehalfOf": acceptsPerson,
	"clearDuplicate.input.reviewId": acceptsReview, "clearDuplicate.input.onBehalfOf": acceptsPerson,
	"correctLineItems.input.reviewId": acceptsReview, "correctLineItems.input.onBehalfOf": acceptsPerson,
	"confirmFields.input.reviewId": acceptsReview, "confirmFields.input.onBehalfOf": acceptsPerson,
	"restateOrder.input.caseId":  acceptsCase,
	"acceptOrder.input.reviewId": acceptsReview, "acceptOrder.input.onBehalfOf": acceptsPerson,
	"stateOrderGround.input.reviewId":     acceptsReview,
	"stateOrderGround.input.onBehalfOf":   acceptsPerson,
	"confirmOrderGround.input.reviewId":   acceptsReview,
	"confirmOrderGround.input.onBehalfOf": acceptsPerson,
	"claimReview.input.reviewId":          acceptsReview, "claimReview.input.onBehalfOf": acceptsPerson,
	"claimNextReview.input.afterReview": acceptsReview, "claimNextReview.input.skip": acceptsReview,
	"claimNextReview.input.onBehalfOf": acceptsPerson,
	"releaseReview.input.reviewId":     acceptsReview,
	"releaseReview.input.onBehalfOf":   acceptsPerson,
	"heartbeatReview.input.reviewId":   acceptsReview,
	"saveDraft.input.reviewId":         acceptsReview, "decideReview.input.reviewId": acceptsReview,
	"decideReview.input.onBehalfOf":    acceptsPerson,
	"prepareApproval.input.reviewId":   acceptsReview,
	"prepareApproval.input.onBehalfOf": acceptsPerson,
	"reassignReviews.input.reviewIds": acceptsReview.and("input.to",
		missingIDs[scalar.KindPerson]),
	"reassignReviews.input.to":                acceptsPerson,
	"claimReviews.input.items.reviewId":       acceptsReview,
	"releaseReviews.input.items.reviewId":     acceptsReview,
	"approveReviews.input.items.reviewId":     acceptsReview,
	"undoDecision.input.reviewId":             acceptsReview,
	"pauseDeadlines.input.caseId":             acceptsCase,
	"pauseDeadlines.input.reviewId":           acceptsReview,
	"resumeDeadlines.input.caseId":            acceptsCase,
	"resumeDeadlines.input.reviewId":          acceptsReview,
	"completeExternalTask.input.lease.caseId": acceptsCase,
	"completeExternalTask.input.lease.taskId": accepts(scalar.KindTask),
	"extendExternalTask.input.lease.caseId":   acceptsCase,
	"extendExternalTask.input.lease.taskId":   accepts(scalar.KindTask),
	"failExternalTask.input.lease.caseId":     acceptsCase,
	"failExternalTask.input.lease.taskId":     accepts(scalar.KindTask),

	"publishPolicy.input.proposalId":             acceptsProposal,
	"withdrawPolicy.input.proposalId":            acceptsProposal,
	"publishRuleSet.input.proposalId":            acceptsProposal,
	"publishDocumentType.input.proposalId":       acceptsProposal,
	"withdrawDocumentType.input.proposalId":      acceptsProposal,
	"withdrawRuleSet.input.proposalId":           acceptsProposal,
	"publishProcessDefinition.input.proposalId":  acceptsProposal,
	"withdrawProcessDefinition.input.proposalId": acceptsProposal,

	"reviewOperatorRequest.input.requestId":     accepts(scalar.KindOperatorRequest),
	"endOperatorRequest.input.requestId":        accepts(scalar.KindOperatorRequest),
	"confirmControlChange.input.proposalId":     acceptsProposal,
	"withdrawControlChange.input.proposalId":    acceptsProposal,
	"releaseQualitySample.input.sampleId":       acceptsSample,
	"checkQualitySample.input.sampleId":         acceptsSample,
	"settleQualitySample.input.sampleId":        acceptsSample,
	"correctArchivedCase.input.caseId":          acceptsCase,
	"revokeLesson.input.lessonId":               acceptsLesson,
	"markNoticesRead.input.ids":                 accepts(scalar.KindNotice),
	"deliveries.connectorId":                    acceptsConnector,
	"testConnector.input.connectorId":           acceptsConnector,
	"reconcileConnector.input.connectorId":      acceptsConnector,
	"pauseConnector.input.connectorId":          acceptsConnector,
	"resumeConnector.input.connectorId":         acceptsConnector,
	"replayConnector.input.connectorId":         acceptsConnector,
	"retryDelivery.input.deliveryId":            acceptsDelivery,
	"skipDelivery.input.deliveryId":             acceptsDelivery,
	"proposeErasure.input.caseId":               acceptsCase,
	"proposedMigration.proposalId":              acceptsProposal,
	"previewProposedMigration.proposalId":       acceptsProposal,
	"proposedEffect.proposalId":                 acceptsProposal,
	"migratedCases.migrationId":                 accepts(scalar.KindMigration),
	"undoMigration.input.migrationId":           accepts(scalar.KindMigration),
	"placeLegalHold.input.caseId":               acceptsCase,
	"addNote.input.caseId":                      acceptsCase,
	"addNote.input.mentions":                    acceptsPerson,
	"proposeProcessDefinition.input.replaces":   acceptsProposal,
	"proposeRuleSet.input.replaces":             acceptsProposal,
	"proposePolicy.input.replaces":              acceptsProposal,
	"proposeDocumentType.input.replaces":        acceptsProposal,
	"publishProcessDefinition.input.unresolved": acceptsComment,
	"publishRuleSet.input.unresolved":           acceptsComment,
	"publishPolicy.input.unresolved":            acceptsComment,
	"publishDocumentType.input.unresolved":      acceptsComment,
	"addProposalComment.input.proposalId":       acceptsProposal,
	"rehearseProposal.input.proposalId":         acceptsProposal,
	"resolveProposalComment.input.commentId":    acceptsComment,
	"proposalDiscussion.proposalId":             acceptsProposal,
	"decideAsOwner.input.proposalId":            acceptsProposal,
	"proposeProcessOwners.input.ownerIds":       acceptsPerson,
	"withdrawNote.input.noteId":                 accepts(scalar.KindNote),
	"watchCase.input.caseId":                    acceptsCase,
	"saveView.input.viewId":                     accepts(scalar.KindView),
	"deleteView.input.viewId":                   accepts(scalar.KindView),
	"setDefaultView.input.viewId":               accepts(scalar.KindView),
	"noteReaders.caseId":                        acceptsCase,
	"caseNotes.caseId":                          acceptsCase,
	"proposeHoldLift.input.holdId":              accepts(scalar.KindLegalHold),

	"declareConflict.input.personId":   acceptsPerson,
	"endConflict.input.conflictId":     accepts(scalar.KindConflict),
	"declareOwnAccount.input.personId": acceptsPerson,
	"endOwnAccount.input.personId":     acceptsPerson, "putPerson.input.personId": acceptsPerson,
	"resetSignIn.input.personId":        acceptsPerson,
	"setSkills.input.personId":          acceptsPerson,
	"revokeApiToken.input.tokenId":      accepts(scalar.KindAPIToken),
	"setApiTokenRequests.input.tokenId": accepts(scalar.KindAPIToken),
	"createDelegation.input.delegatorId": acceptsPerson.and("input.delegateId",
		missingID(scalar.KindPerson)),
	"createDelegation.input.delegateId": acceptsPerson,
	"createDelegation.input.giverId": acceptsPerson.and("input.takerId",
		missingID(scalar.KindPerson)),
	"createDelegation.input.takerId":    acceptsPerson,
	"endDelegation.input.delegationId":  accepts(scalar.KindDelegation),
	"setOutOfOffice.input.personId":     acceptsPerson,
	"setOutOfOffice.input.substituteId": acceptsPerson,
	"endOutOfOffice.input.absenceId":    accepts(scalar.KindAbsence),
}

// ownedIDs creates one object of each kind that outsiders may not read, and returns their ids.
func ownedIDs(w *testEnv) map[scalar.Kind]string {
	w.t.Helper()
	ctx, system := w.t.Context(), domain.SystemActor()
	rita, rolf, ada, otto := w.actor("rita"), w.actor("rolf"), w.actor("ada"), w.actor("otto")
	caseID := w.submit("sam", "600000.00")
	broken := w.submit("sam", "damaged")
	w.runPending()
	ids := map[scalar.Kind]string{scalar.KindCase: caseID,
		scalar.KindPerson: scalar.GlobalID(scalar.KindPerson, otto.UserID)}
	ids[scalar.KindReview] = w.mustExecute("aud",
		`query($id: ID!) { case(id: $id) { openReview { id } } }`, "id", caseID).
		text("case", "openReview", "id")
	ids[scalar.KindIncident] = w.mustExecute("aud",
		`query($id: ID!) { case(id: $id) { incident { id } } }`, "id", broken).
		text("case", "incident", "id")
	add := func(kind scalar.Kind, id domain.ID, err error) {
		w.t.Helper()
		must(w.t, err)
		ids[kind] = scalar.GlobalID(kind, id)
	}
	token, err := w.service.CreateToken(ctx, rita,
		casework.CreateToken{Name: "script", Hash: []byte("01234567890123456789012345678901")})
	add(scalar.KindAPIToken, token.ID, err)
	conflict, err := w.service.DeclareConflict(ctx, system,
		casework.DeclareConflict{Person: rolf.UserID, Party: "Elsewhere Ltd"})
	add(scalar.KindConflict, conflict, err)
	until := time.Now().Add(24 * time.Hour)
	delegation, err := w.service.CreateDelegation(ctx, rita,
		casework.CreateDelegation{Delegator: rita.UserID, Delegate: rolf.UserID, Until: until})
	add(scalar.KindDelegation, delegation.ID, err)
	away, err := w.service.SetAbsence(ctx, rolf,
		casework.SetAbsence{Person: rolf.UserID, Until: until})
	add(scalar.KindAbsence, away.ID, err)
	text := strings.Replace(w.mustExecute("ada", `{ policy { document } }`).
		text("policy", "document"), `"version": 1`, `"version": 2`, 1)
	proposed, err := w.service.ProposePolicy(ctx, ada,
		casework.Propose{Document: text, Note: "mine"})
	add(scalar.KindProposal, proposed.ProposalID, err)
	upload, err := w.service.BeginUpload(ctx, w.actor("sam"), "a.pdf", 10)
	must(w.t, err)
	ids[kindUpload] = upload.String()
	run, err := w.db.Reader().RunsOf(ctx, caseIDOf(w.t, caseID))
	must(w.t, err)
	ids[scalar.KindTask] = scalar.GlobalID(scalar.KindTask, run[0].ID)
	sample := domain.Sample{ID: domain.NewID(), CaseID: caseIDOf(w.t, caseID),
		Process: "document_approval", Stratum: domain.StratumApproved, Reasons: []string{},
		Probability: 1, ArchivedAt: time.Now()}
	add(scalar.KindSample, sample.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.EndDraw(ctx, nil, []domain.Sample{sample})
	}))
	// An entry of the vendor memory needs an archived case. The right is checked before the entry is
	// read, so the id of another object does.
	ids[scalar.KindLesson] = scalar.GlobalID(scalar.KindLesson, sample.ID)
	notice := domain.Notice{ID: domain.NewID(), Recipient: rita.UserID, Kind: domain.NoticeDelegation,
		Stream: domain.PeopleStream.ID, Seq: 1, At: time.Now()}
	add(scalar.KindNotice, notice.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddNotices(ctx, []domain.Notice{notice})
	}))
	request := domain.BreakGlass{ID: domain.NewID(), Command: domain.BreakGlassLimit, Subject: "manager/",
		Document: "{}", Reason: "an emergency", EffectAt: until, Lifetime: time.Hour}
	add(scalar.KindOperatorRequest, request.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.AddBreakGlass(ctx, request)
	}))
	connector, delivery := w.connector(ada, w.actor("adam"), "https://receiver.example")
	ids[scalar.KindConnector] = scalar.GlobalID(scalar.KindConnector, connector)
	ids[scalar.KindDelivery] = scalar.GlobalID(scalar.KindDelivery, delivery)
	hold := store.LegalHold{ID: domain.NewID(), CaseID: caseIDOf(w.t, caseID), Reason: "court order",
		PlacedBy: ada.UserID}
	add(scalar.KindLegalHold, hold.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.PutLegalHold(ctx, hold)
	}))
	note := domain.Note{ID: domain.NewID(), CaseID: hold.CaseID, Seq: 1, Author: ada.UserID,
		Audience: domain.NoteReviewers, Text: "x", At: time.Now(), Salt: []byte{1}, Hash: []byte{1}}
	add(scalar.KindNote, note.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.InsertNote(ctx, &note)
	}))
	discussed := domain.Proposal{ID: domain.NewID(), Kind: domain.ProposePolicy, Key: "policy",
		Document: "rules: []", Report: json.RawMessage("{}"), ProposedBy: ada.UserID}
	comment := domain.ProposalComment{ID: domain.NewID(), ProposalID: discussed.ID, Author: ada.UserID,
		Text: "x"}
	add(scalar.KindComment, comment.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		must(w.t, tx.PutProposal(ctx, discussed))
		return tx.InsertComment(ctx, comment)
	}))
	view := domain.SavedView{ID: domain.NewID(), List: domain.ViewOfCases, Owner: ada.UserID, Name: "x",
		Audience: domain.ViewPersonal, Parameters: map[string]string{}, UpdatedBy: ada.UserID}
	add(scalar.KindView, view.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		return tx.PutSavedView(ctx, &view)
	}))
	migration := domain.CaseMigration{ID: domain.NewID(), Process: "document_approval", From: 8, To: 9,
		Plan: "{}", Reason: "x", ProposalID: domain.NewID(), ProposedBy: ada.UserID,
		ConfirmedBy: w.actor("adam").UserID}
	add(scalar.KindMigration, migration.ID, w.db.InTx(ctx, func(tx *store.Tx) error {
		must(w.t, tx.PutProposal(ctx, domain.Proposal{ID: migration.ProposalID,
			Kind: domain.ControlMigration, Key: migration.Process, Document: `{"after": "{}"}`,
			Report: json.RawMessage("{}"), ProposedBy: ada.UserID}))
		must(w.t, tx.EndProposal(ctx, migration.ProposalID, domain.ProposalPublished,
			migration.ConfirmedBy, ""))
		_, err := tx.PutCaseMigration(ctx, migration)
		return err
	}))
	for kind, id := range ids {
		if id == "" {
			w.t.Fatalf("no object of the kind %q was created", kind)
		}
	}
	return ids
}

func caseIDOf(t *testing.T, id string) domain.ID {
	t.Helper()
	_, key, err := scalar.ParseID(id)
	must(t, err)
	return key
}

func (w *testEnv) actor(name string) domain.Actor {
	actor, _ := w.people.Load(name)
	return actor.(domain.Actor)
}

// missingID returns an id of the kind whose object does not exist.
func missingID(kind scalar.Kind) string {
	if kind == kindUpload {
		return domain.NewID().String()
	}
	return scalar.GlobalID(kind, domain.NewID())
}

// volatilePattern matches what differs between requests without carrying information.
var volatilePattern = regexp.MustCompile(
	`"requestId":"[^"]*"|"milliseconds":[0-9.e-]+|"at":"[^"]*"`)

// executeNormalized returns the response including status and headers, without volatile parts.
func (w *testEnv) executeNormalized(by, query string, variables map[string]any) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(w.t, err)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL,
		bytes.NewReader(body))
	must(w.t, err)
	request.Header.Set("Content-Type", "application/json")
	if by != "" {
		request.Header.Set("Authorization", "Bearer "+by)
	}
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	for _, name := range []string{"Date", "Content-Length"} {
		response.Header.Del(name)
	}
	return fmt.Sprint(response.Status, response.Header, " ",
		string(volatilePattern.ReplaceAll(sortedErrors(w.t, text), []byte("-"))))
}

// sortedErrors sorts the errors of a response, because fields of one object are resolved
// concurrently.
func sortedErrors(t *testing.T, text []byte) []byte {
	t.Helper()
	var parts map[string]json.RawMessage
	var errs []json.RawMessage
	if json.Unmarshal(text, &parts) != nil || json.Unmarshal(parts["errors"], &errs) != nil ||
		len(errs) < 2 {
		return text
	}
	slices.SortFunc(errs, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	var err error
	parts["errors"], err = json.Marshal(errs)
	must(t, err)
	sorted, err := json.Marshal(parts)
	must(t, err)
	return sorted
}

// outsiders may not learn about objects of others: a submitter, a reviewer of another level, a user
// without roles, API tokens with only one scope, and an anonymous caller.
var outsiders = []string{"sue", "lars", "nora", "tess", "toby", ""}

// TestForeignIDsLookMissing calls every place of the schema that accepts an id. For outsiders, the
// response for another user's object is byte-identical to that for a missing one, with minimal and
// with all arguments. It fails for places without an entry and for entries without a place.
func TestForeignIDsLookMissing(t *testing.T) {
	t.Parallel()
	w, schema := newOutsiders(t)
	ids := ownedIDs(w)
	known, asked := map[string]bool{}, 0
	for _, at := range idArguments(schema) {
		known[at.String()] = true
		line, listed := foreignPlaces[at.String()]
		if !listed || !slices.Contains([]*ast.Definition{schema.Query, schema.Mutation,
			schema.Subscription}, at.root) {
			t.Errorf("%s of %s accepts an id and has no entry in foreignPlaces", at, at.root.Name)
			continue
		}
		for _, kind := range line.kinds {
			for _, by := range outsiders {
				for _, full := range []bool{false, true} {
					asked++
					foreign, nothing := w.answerAt(schema, at, line, by, ids[kind], full),
						w.answerAt(schema, at, line, by, missingID(kind), full)
					if foreign != nothing {
						t.Errorf("%s by %q, a foreign %s (all arguments: %v)\nforeign: %s\nnone:    %s", at, by, kind, full, foreign, nothing)
					}
					if strings.Contains(foreign, "QueryTooComplex") ||
						strings.Contains(foreign, "GRAPHQL_VALIDATION") {
						t.Fatalf("%s returned no data: %s", at, foreign)
					}
				}
			}
		}
	}
	for name := range foreignPlaces {
		if !known[name] {
			t.Errorf("foreignPlaces has %s, the schema does not", name)
		}
	}
	for _, kind := range foreignPlaces["node.id"].kinds[:2] { // users who may read it receive it
		at := idArgument{schema.Query, schema.Query.Fields.ForName("node"), "id"}
		if w.answerAt(schema, at, accepts(kind), "aud", ids[kind], false) == w.answerAt(schema, at,
			accepts(kind), "aud", missingID(kind), false) {
			t.Errorf("a %s is not returned to a user who may read it", kind)
		}
	}
	t.Logf("%d places accept an id, %d pairs of responses compared", len(known), asked)
}

// newOutsiders returns an environment with the outsiders, an owner of objects, and a user who may
// read everything.
func newOutsiders(t *testing.T) (*testEnv, *ast.Schema) {
	return newOutsidersOn(t, "", 100*time.Millisecond)
}

func newOutsidersOn(t *testing.T, url string, interval time.Duration) (*testEnv, *ast.Schema) {
	t.Helper()
	w := newTestEnvPolling(t, url, interval, func(o *Options) {
		o.Limits = transport.DefaultLimits()
		// the test selects all fields
		o.Limits.Cost, o.Limits.Fields, o.Limits.Tokens, o.Limits.Aliases = 1_000_000, 10_000,
			10_000, 1000
	})
	w.person("sam", domain.RoleSubmitter)
	w.person("aud", domain.RoleAuditor)
	w.person("sue", domain.RoleSubmitter)
	w.person("lars", domain.RoleL2)
	w.person("nora")
	for name, scopes := range map[string][]string{"tess": {string(domain.ActRead)},
		"toby": {string(domain.ActClaim), string(domain.ActDecide), string(domain.ActReplace)}} {
		limited := w.person(name, domain.RoleL2)
		limited.Scopes = scopes
		w.people.Store(name, limited)
	}
	w.person("rita", domain.RoleL1)
	w.person("rolf", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("otto", domain.RoleExternal) // decides nothing and has no relation to the outsiders
	w.submit("sue", "700000.00")
	w.runPending()
	return w, generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
}

// answerAt returns the response of the place for the id.
func (w *testEnv) answerAt(schema *ast.Schema, at idArgument, line acceptedIDs, by, id string,
	full bool) string {
	w.t.Helper()
	ask := documentBuilder{schema: schema, full: full, nonce: domain.NewID().String(),
		values: map[string]any{}}
	maps.Copy(ask.values, line.extraInput)
	ask.values[at.path] = id
	ask.other = func(path string) any {
		return missingIDs[foreignPlaces[at.field.Name+"."+path].kinds[0]]
	}
	return strings.ReplaceAll(w.answer(schema, ask, at, by), id, "THE-ID")
}

// answer returns the response of a field; for a subscription, the first frame over each transport.
func (w *testEnv) answer(schema *ast.Schema, ask documentBuilder, at idArgument, by string) string {
	w.t.Helper()
	query, variables := ask.document(at.root, at.field, 2)
	if at.root != schema.Subscription {
		return w.executeNormalized(by, query, variables)
	}
	var responses strings.Builder
	for _, name := range slices.Sorted(maps.Keys(transports)) {
		l := transports[name](w, by, query, variables)
		var frame []byte // empty if it closes immediately
		select {
		case first, more := <-l.frames:
			if more {
				var err error
				frame, err = json.Marshal(first)
				must(w.t, err)
			}
		case <-time.After(time.Minute):
			w.t.Fatalf("%s of %s returned nothing", name, at)
		}
		l.disconnect()
		shown := volatilePattern.ReplaceAllString(strings.ReplaceAll(string(frame), `\"`, `"`), "-")
		fmt.Fprintf(&responses, "%s: %s\n", name, cursorText.ReplaceAllString(shown, `"CURSOR"`))
	}
	return responses.String()
}

// TestListsHideOthersData calls every field that needs no id, including searches and counts, before
// and after objects of others exist. The responses for outsiders are byte-identical.
func TestListsHideOthersData(t *testing.T) {
	t.Parallel()
	w, schema := newOutsiders(t)
	ask := documentBuilder{schema: schema, full: true, values: map[string]any{}}
	lists := func() map[string]string {
		responses := map[string]string{}
		for _, root := range []*ast.Definition{schema.Query, schema.Subscription} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") ||
					slices.ContainsFunc(field.Arguments,
						func(a *ast.ArgumentDefinition) bool {
							return a.Type.NonNull &&
								a.Type.Name() == "ID"
						}) {
					continue
				}
				for text, values := range map[string]map[string]any{"": {},
					"as found": {"filter.text": "Muster", "filter.code": "DamagedFile",
						"filter.node": "read", "text": "ri"}} {
					ask.values, ask.full = maps.Clone(values), text != ""
					maps.DeleteFunc(ask.values,
						func(path string, _ any) bool { return !hasPath(schema, field, path) })
					if root == schema.Subscription && text != "" {
						continue
					}
					for _, by := range outsiders {
						if by != "sue" && by != "nora" && field.Name == "colleagues" {
							continue // reviewers may see the absences of colleagues
						}
						responses[fmt.Sprintf("%s %s by %q", field.Name, text, by)] = w.answer(
							schema, ask, idArgument{root, field, ""}, by)
					}
				}
			}
		}
		return responses
	}
	before := lists()
	ownedIDs(w)
	after := lists()
	for name, answer := range after {
		if before[name] != answer {
			t.Errorf("%s\nbefore: %s\nafter:  %s", name, before[name], answer)
		}
	}
	t.Logf("%d responses compared", len(after))
}

// hasPath reports whether the field accepts a value at the path.
func hasPath(schema *ast.Schema, field *ast.FieldDefinition, path string) bool {
	argument, below, nested := strings.Cut(path, ".")
	found := field.Arguments.ForName(argument)
	return found != nil && (!nested || schema.Types[found.Type.Name()].Fields.ForName(below) != nil)
}

// TestUnauthenticatedCallersSeeNothing checks that without authentication every query and mutation
// returns only an error, or nothing.
func TestUnauthenticatedCallersSeeNothing(t *testing.T) {
	t.Parallel()
	w, schema := newOutsiders(t)
	ownedIDs(w)
	ask := documentBuilder{schema: schema, values: map[string]any{}}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			// part of the program, not data
			if strings.HasPrefix(field.Name, "__") || field.Name == "policyTerms" {
				continue
			}
			ask.other = func(path string) any {
				return missingIDs[foreignPlaces[field.Name+"."+path].kinds[0]]
			}
			answer := w.answer(schema, ask, idArgument{root, field, ""}, "")
			if !strings.HasSuffix(answer, `"data":null}`) &&
				!strings.HasSuffix(answer, `"data":{"`+field.Name+`":null}}`) {
				t.Errorf("%s: %s", field.Name, answer)
			}
		}
	}
}
