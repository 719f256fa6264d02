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
)

// kindUpload is the id of a resumable upload, which is a plain one.
const kindUpload scalar.Kind = ""

// taken is what a place of the schema takes: ids of these kinds; besides, the values that a meaningful question needs.
type taken struct {
	kinds []scalar.Kind
	with  map[string]any
}

func takes(kinds ...scalar.Kind) taken { return taken{kinds: kinds} }

func (t taken) and(path string, value any) taken {
	return taken{t.kinds, map[string]any{path: value}}
}

var (
	takesCase, takesReview, takesPerson = takes(scalar.KindCase), takes(scalar.KindReview), takes(scalar.KindPerson)
	takesProposal                       = takes(scalar.KindProposal)
)

// nowhere are ids of which there is nothing, for the places beside the one in question.
var nowhere = map[scalar.Kind]string{scalar.KindCase: noneOf(scalar.KindCase), scalar.KindReview: noneOf(scalar.KindReview), scalar.KindPerson: noneOf(scalar.KindPerson),
	scalar.KindTask: noneOf(scalar.KindTask), kindUpload: noneOf(kindUpload)}

// foreignPlaces has a line for every place of the schema that takes an id.
var foreignPlaces = map[string]taken{
	"node.id": takes(scalar.KindCase, scalar.KindReview, scalar.KindIncident, scalar.KindPerson, scalar.KindProposal, scalar.KindAPIToken,
		scalar.KindConflict, scalar.KindDelegation, scalar.KindAbsence, scalar.KindTask),
	"case.id": takesCase, "review.id": takesReview, "explain.reviewId": takesReview, "eligibleReviewers.reviewId": takesReview,
	"auditTrail.caseId": takesCase, "verifyAudit.caseId": takesCase, "tryRuleSet.caseId": takesCase, "caseEvents.caseId": takesCase,
	"reassignPreview.reviewIds": takesReview, "reassignPreview.to": takesPerson.and("reviewIds", nowhere[scalar.KindReview]),
	"reviews.filter.assignee": takesPerson, "reviewQueue.filter.assignee": takesPerson, "conflicts.filter.personId": takesPerson, "delegations.personId": takesPerson,

	"submitDocument.input.uploadId": takes(kindUpload), "replaceDocument.input.uploadId": takes(kindUpload),
	"replaceDocument.input.caseId": takesCase.and("input.uploadId", nowhere[kindUpload]), "resubmitCase.input.caseId": takesCase, "enterFields.input.caseId": takesCase,
	"retryIncident.input.caseId": takesCase, "abandonCase.input.caseId": takesCase, "reopenCase.input.caseId": takesCase,
	"correctFields.input.reviewId": takesReview, "correctFields.input.onBehalfOf": takesPerson,
	"claimReview.input.reviewId": takesReview, "claimReview.input.onBehalfOf": takesPerson, "claimNextReview.input.onBehalfOf": takesPerson,
	"releaseReview.input.reviewId": takesReview, "releaseReview.input.onBehalfOf": takesPerson, "heartbeatReview.input.reviewId": takesReview,
	"saveDraft.input.reviewId": takesReview, "decideReview.input.reviewId": takesReview, "decideReview.input.onBehalfOf": takesPerson,
	"reassignReviews.input.reviewIds": takesReview.and("input.to", nowhere[scalar.KindPerson]), "reassignReviews.input.to": takesPerson,
	"claimReviews.input.items.reviewId": takesReview, "approveReviews.input.items.reviewId": takesReview, "undoDecision.input.reviewId": takesReview,
	"pauseDeadlines.input.caseId": takesCase, "pauseDeadlines.input.reviewId": takesReview, "resumeDeadlines.input.caseId": takesCase, "resumeDeadlines.input.reviewId": takesReview,
	"completeExternalTask.input.lease.caseId": takesCase, "completeExternalTask.input.lease.taskId": takes(scalar.KindTask),
	"extendExternalTask.input.lease.caseId": takesCase, "extendExternalTask.input.lease.taskId": takes(scalar.KindTask),
	"failExternalTask.input.lease.caseId": takesCase, "failExternalTask.input.lease.taskId": takes(scalar.KindTask),

	"publishPolicy.input.proposalId": takesProposal, "withdrawPolicy.input.proposalId": takesProposal,
	"publishRuleSet.input.proposalId": takesProposal, "withdrawRuleSet.input.proposalId": takesProposal,
	"publishProcessDefinition.input.proposalId": takesProposal, "withdrawProcessDefinition.input.proposalId": takesProposal,

	"declareConflict.input.personId": takesPerson, "endConflict.input.conflictId": takes(scalar.KindConflict),
	"declareOwnAccount.input.personId": takesPerson, "endOwnAccount.input.personId": takesPerson, "putPerson.input.personId": takesPerson,
	"setSkills.input.personId": takesPerson, "revokeApiToken.input.tokenId": takes(scalar.KindAPIToken),
	"createDelegation.input.giverId": takesPerson, "createDelegation.input.takerId": takesPerson, "endDelegation.input.delegationId": takes(scalar.KindDelegation),
	"setOutOfOffice.input.personId": takesPerson, "setOutOfOffice.input.substituteId": takesPerson, "endOutOfOffice.input.absenceId": takes(scalar.KindAbsence),
}

// owned makes one object of each kind that is none of the strangers' business, and returns their ids.
func owned(w *world) map[scalar.Kind]string {
	w.t.Helper()
	ctx, system := w.t.Context(), domain.SystemActor()
	rita, rolf, ada, otto := w.actor("rita"), w.actor("rolf"), w.actor("ada"), w.actor("otto")
	kase := w.submit("sam", "600000.00")
	broken := w.submit("sam", "damaged")
	w.work()
	ids := map[scalar.Kind]string{scalar.KindCase: kase, scalar.KindPerson: scalar.GlobalID(scalar.KindPerson, otto.UserID)}
	ids[scalar.KindReview] = w.ask("aud", `query($id: ID!) { case(id: $id) { openReview { id } } }`, "id", kase).text("case", "openReview", "id")
	ids[scalar.KindIncident] = w.ask("aud", `query($id: ID!) { case(id: $id) { incident { id } } }`, "id", broken).text("case", "incident", "id")
	keep := func(kind scalar.Kind, id domain.ID, err error) {
		w.t.Helper()
		must(w.t, err)
		ids[kind] = scalar.GlobalID(kind, id)
	}
	token, err := w.hall.CreateToken(ctx, rita, casework.CreateToken{Name: "script", Hash: []byte("01234567890123456789012345678901")})
	keep(scalar.KindAPIToken, token.ID, err)
	conflict, err := w.hall.DeclareConflict(ctx, system, casework.DeclareConflict{Person: rolf.UserID, Party: "Elsewhere Ltd"})
	keep(scalar.KindConflict, conflict, err)
	until := time.Now().Add(24 * time.Hour)
	lent, err := w.hall.CreateDelegation(ctx, rita, casework.CreateDelegation{Giver: rita.UserID, Taker: rolf.UserID, Until: until})
	keep(scalar.KindDelegation, lent.ID, err)
	away, err := w.hall.SetAbsence(ctx, rolf, casework.SetAbsence{Person: rolf.UserID, Until: until})
	keep(scalar.KindAbsence, away.ID, err)
	text := strings.Replace(w.ask("ada", `{ policy { document } }`).text("policy", "document"), `"version": 1`, `"version": 2`, 1)
	proposed, err := w.hall.ProposePolicy(ctx, ada, casework.Propose{Document: text, Note: "mine"})
	keep(scalar.KindProposal, proposed.ProposalID, err)
	upload, err := w.hall.BeginUpload(ctx, w.actor("sam"), "a.pdf", 10)
	must(w.t, err)
	ids[kindUpload] = upload.String()
	run, err := w.db.Reader().RunsOf(ctx, caseIDOf(w.t, kase))
	must(w.t, err)
	ids[scalar.KindTask] = scalar.GlobalID(scalar.KindTask, run[0].ID)
	for kind, id := range ids {
		if id == "" {
			w.t.Fatalf("nothing of the kind %q was made", kind)
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

func (w *world) actor(name string) domain.Actor {
	actor, _ := w.people.Load(name)
	return actor.(domain.Actor)
}

// noneOf is an id of the kind of which there is nothing.
func noneOf(kind scalar.Kind) string {
	if kind == kindUpload {
		return domain.NewID().String()
	}
	return scalar.GlobalID(kind, domain.NewID())
}

// changing is what differs from request to request without telling anything.
var changing = regexp.MustCompile(`"requestId":"[^"]*"|"milliseconds":[0-9.e-]+|"at":"[^"]*"`)

// bare is an answer as it came over the wire, status and headers included.
func (w *world) bare(by, query string, variables map[string]any) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(w.t, err)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL, bytes.NewReader(body))
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
	return fmt.Sprint(response.Status, response.Header, " ", string(changing.ReplaceAll(text, []byte("-"))))
}

// strangers are those who may not know of what the others have: a submitter, a reviewer of another level, a person without
// any role, and nobody.
var strangers = []string{"sue", "lars", "nora", ""}

// TestForeignIDsLookLikeNone goes through every place of the schema that takes an id: to strangers each answers for
// another's object, byte for byte, as for one that is not there, asked with as little and with as much as can be asked. A
// place that the table does not know fails, and so does a line that the schema has no more.
func TestForeignIDsLookLikeNone(t *testing.T) {
	t.Parallel()
	w, schema := newStrangers(t)
	ids := owned(w)
	known, asked := map[string]bool{}, 0
	for _, at := range placesOfIDs(schema) {
		known[at.String()] = true
		line, listed := foreignPlaces[at.String()]
		if !listed || !slices.Contains([]*ast.Definition{schema.Query, schema.Mutation, schema.Subscription}, at.root) {
			t.Errorf("%s of %s takes an id, and the table does not know of it", at, at.root.Name)
			continue
		}
		for _, kind := range line.kinds {
			for _, by := range strangers {
				for _, full := range []bool{false, true} {
					asked++
					foreign, nothing := w.answerAt(schema, at, line, by, ids[kind], full), w.answerAt(schema, at, line, by, noneOf(kind), full)
					if foreign != nothing {
						t.Errorf("%s by %q, a foreign %s (all arguments: %v)\nforeign: %s\nnone:    %s", at, by, kind, full, foreign, nothing)
					}
					if strings.Contains(foreign, "QueryTooComplex") || strings.Contains(foreign, "GRAPHQL_VALIDATION") {
						t.Fatalf("%s was not answered at all: %s", at, foreign)
					}
				}
			}
		}
	}
	for name := range foreignPlaces {
		if !known[name] {
			t.Errorf("the table knows %s, the schema does not", name)
		}
	}
	for _, kind := range foreignPlaces["node.id"].kinds[:2] { // who may see it is told of it
		at := place{schema.Query, schema.Query.Fields.ForName("node"), "id"}
		if w.answerAt(schema, at, takes(kind), "aud", ids[kind], false) == w.answerAt(schema, at, takes(kind), "aud", noneOf(kind), false) {
			t.Errorf("a %s is not told of to who may see it", kind)
		}
	}
	t.Logf("%d places that take an id, %d pairs of answers compared", len(known), asked)
}

// newStrangers is a world with the strangers, an owner of things and who may see all.
func newStrangers(t *testing.T) (*world, *ast.Schema) {
	t.Helper()
	w := newWorldWith(t, "", func(o *Options) {
		o.Limits = transport.DefaultLimits()
		o.Limits.Cost, o.Limits.Fields, o.Limits.Tokens, o.Limits.Aliases = 1_000_000, 10_000, 10_000, 1000 // all that can be asked for, not what a page asks
	})
	w.person("sam", domain.RoleSubmitter)
	w.person("aud", domain.RoleAuditor)
	w.person("sue", domain.RoleSubmitter)
	w.person("lars", domain.RoleL2)
	w.person("nora")
	w.person("rita", domain.RoleL1)
	w.person("rolf", domain.RoleL1)
	w.person("ada", domain.RoleAdmin)
	w.person("adam", domain.RoleAdmin)
	w.person("otto", domain.RoleExternal) // decides nothing, and no stranger ever met him
	w.submit("sue", "700000.00")
	w.work()
	return w, generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
}

// answerAt is what the place answers for the id.
func (w *world) answerAt(schema *ast.Schema, at place, line taken, by, id string, full bool) string {
	w.t.Helper()
	ask := asking{schema: schema, full: full, nonce: domain.NewID().String(), values: map[string]any{}}
	maps.Copy(ask.values, line.with)
	ask.values[at.path] = id
	ask.other = func(path string) any { return nowhere[foreignPlaces[at.field.Name+"."+path].kinds[0]] }
	return strings.ReplaceAll(w.answer(schema, ask, at, by), id, "THE-ID")
}

// answer is what a field answers: one of a subscription, with its first frame over each transport.
func (w *world) answer(schema *ast.Schema, ask asking, at place, by string) string {
	w.t.Helper()
	query, variables := ask.document(at.root, at.field, 2)
	if at.root != schema.Subscription {
		return w.bare(by, query, variables)
	}
	var told strings.Builder
	for _, name := range slices.Sorted(maps.Keys(transports)) {
		l := transports[name](w, by, query, variables)
		var frame []byte // none when it is closed at once
		select {
		case first, more := <-l.frames:
			if more {
				var err error
				frame, err = json.Marshal(first)
				must(w.t, err)
			}
		case <-time.After(20 * time.Second):
			w.t.Fatalf("%s of %s says nothing", name, at)
		}
		l.cut()
		fmt.Fprintf(&told, "%s: %s\n", name, changing.ReplaceAllString(strings.ReplaceAll(string(frame), `\"`, `"`), "-"))
	}
	return told.String()
}

// TestListsTellNothingOfOthers asks everything of the schema that needs no id, searches and counts included, before there is
// anything of others and again when there is: strangers are answered the same, byte for byte.
func TestListsTellNothingOfOthers(t *testing.T) {
	t.Parallel()
	w, schema := newStrangers(t)
	ask := asking{schema: schema, full: true, values: map[string]any{}}
	lists := func() map[string]string {
		told := map[string]string{}
		for _, root := range []*ast.Definition{schema.Query, schema.Subscription} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") || slices.ContainsFunc(field.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull && a.Type.Name() == "ID" }) {
					continue
				}
				for text, values := range map[string]map[string]any{"": {}, "as found": {"filter.text": "Muster", "filter.code": "DamagedFile", "filter.node": "read", "text": "ri"}} {
					ask.values, ask.full = maps.Clone(values), text != ""
					maps.DeleteFunc(ask.values, func(path string, _ any) bool { return !hasPath(schema, field, path) })
					if root == schema.Subscription && text != "" {
						continue
					}
					for _, by := range strangers {
						if by == "lars" && field.Name == "colleagues" {
							continue // who decides may know which colleague is away
						}
						told[fmt.Sprintf("%s %s by %q", field.Name, text, by)] = w.answer(schema, ask, place{root, field, ""}, by)
					}
				}
			}
		}
		return told
	}
	before := lists()
	owned(w)
	after := lists()
	for name, answer := range after {
		if before[name] != answer {
			t.Errorf("%s\nbefore: %s\nafter:  %s", name, before[name], answer)
		}
	}
	t.Logf("%d answers compared", len(after))
}

// hasPath reports whether the field takes a value at the path.
func hasPath(schema *ast.Schema, field *ast.FieldDefinition, path string) bool {
	argument, below, nested := strings.Cut(path, ".")
	found := field.Arguments.ForName(argument)
	return found != nil && (!nested || schema.Types[found.Type.Name()].Fields.ForName(below) != nil)
}

// TestNobodyIsToldNothing: without a sign-in every query and every mutation is answered with an error alone, or with nothing.
func TestNobodyIsToldNothing(t *testing.T) {
	t.Parallel()
	w, schema := newStrangers(t)
	owned(w)
	ask := asking{schema: schema, values: map[string]any{}}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") || field.Name == "policyTerms" { // the program's own words
				continue
			}
			ask.other = func(path string) any { return nowhere[foreignPlaces[field.Name+"."+path].kinds[0]] }
			answer := w.answer(schema, ask, place{root, field, ""}, "")
			if !strings.HasSuffix(answer, `"data":null}`) && !strings.HasSuffix(answer, `"data":{"`+field.Name+`":null}}`) {
				t.Errorf("%s: %s", field.Name, answer)
			}
		}
	}
}
