package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/test/testcluster"
)

func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	return lines
}

// watched are the ways in which each subscription of the schema is watched; one that the schema has
// and this table has not fails the test.
var watched = map[string]map[string]string{
	"caseEvents": {
		"caseEvents":           `subscription($id: ID!, $after: Cursor) { caseEvents(caseId: $id, after: $after) { seq at } }`,
		"caseEvents with case": `subscription($id: ID!, $after: Cursor) { caseEvents(caseId: $id, after: $after) { seq at case { status version } } }`,
	},
	"reviewQueue": {
		"reviewQueue":        `subscription { reviewQueue { upserted { id version case { status } } removedReviews { id version } order } }`,
		"reviewQueue of all": `subscription { reviewQueue(filter: {all: true}) { upserted { id version case { status } } removedReviews { id version } order } }`,
	},
	"events":             {"events": `subscription { events { events { at caseId } } }`},
	"notifications":      {"notifications": `subscription { notifications { available at } }`},
	"caseNotes":          {"caseNotes": `subscription($id: ID!) { caseNotes(caseId: $id) { nodes { at } } }`},
	"proposalDiscussion": {"proposalDiscussion": `subscription($id: ID!) { proposalDiscussion(proposalId: $id) { nodes { at } } }`},
	"migrationProgress":  {"migrationProgress": `subscription { migrationProgress(process: "document_approval") { migrations { id } } }`},
}

// admitting names, for every field of an actor and a user, the way of losing it that is tested, or
// why it admits no one. A new field of either that is missing here fails the test.
var admitting = map[string]string{
	"Actor.SessionID":         "signed out, session expires, password set, signed in again",
	"Actor.TokenID":           "token revoked, token expires",
	"Actor.Scopes":            "cannot be lost: the database refuses to change them",
	"Actor.UserID":            "account disabled",
	"Actor.OnBehalfOf":        "names whose name a command acts in; subscriptions have none",
	"Actor.Name":              "admits no one",
	"Actor.System":            "never set on an actor who comes over HTTP",
	"Actor.RequestID":         "admits no one",
	"Actor.Channel":           "admits no one",
	"Actor.RequestsPerMinute": "bounds how much is asked, not what",

	"User.Disabled": "account disabled", "User.Roles": "role removed",
	"User.Queues":              "queue removed",
	"User.ReceivedDelegations": "delegation ended, delegation ends by time, delegator disabled",
	"User.Limits":              "a limit is no right to read",
	"User.Delegated":           "the delegator: as ReceivedDelegations",
	"User.ID":                  "admits no one", "User.Email": "admits no one",
	"User.Name": "admits no one", "User.EmployeeID": "admits no one",
	"User.OtherAccounts": "only takes rights away; conflict declared",
	"User.Version":       "admits no one", "User.Locale": "admits no one",
}

// changing says of every mutation by which way above it takes a right away; "" for one that takes
// none. All that take one raise the version of the authority or of the credentials. A new mutation
// that is not here fails the test.
var changing = map[string]string{
	"putPerson": "role removed", "declareConflict": "conflict declared",
	"importConflicts": "conflict declared", "confirmControlChange": "conflict by group",
	"endOperatorRequest": "role removed",
	"declareOwnAccount":  "conflict declared", "endDelegation": "delegation ended",
	"revokeApiToken": "token revoked",
	"publishPolicy":  "role removed", "setLimit": "role removed", "putRole": "role removed",
	"setSkills": "role removed", "setQueueAssignment": "role removed",
}

// harmless are the mutations that take no right to read away, except for cases that move to other
// people: live watches of events check those again (live: regroups), and lists are read anyway.
var harmless = strings.Fields(`resetSignIn putGroupMapping submitDocument resubmitCase replaceDocument addDocument correctFields confirmFields correctLineItems overrideFindings clearDuplicate enterFields retryIncident abandonCase claimReview
	claimNextReview releaseReview heartbeatReview saveDraft prepareApproval decideReview reassignReviews claimReviews releaseReviews approveReviews undoDecision reopenCase
	pauseDeadlines resumeDeadlines setCalendar endConflict proposeProcessDefinition publishProcessDefinition withdrawProcessDefinition
	restoreProcessDefinition proposeRuleSet publishRuleSet withdrawRuleSet restoreRuleSet createApiToken setApiTokenRequests proposePolicy withdrawPolicy
	restorePolicy endOwnAccount createDelegation setOutOfOffice endOutOfOffice leaseExternalTasks extendExternalTask completeExternalTask
	failExternalTask setCountryRisks setExchangeRates groupParty withdrawControlChange
	restateOrder acceptOrder stateOrderGround confirmOrderGround proposeSampleShare proposeDrawMark takeQualitySample releaseQualitySample
	checkQualitySample settleQualitySample correctArchivedCase revokeLesson proposeDocumentType publishDocumentType withdrawDocumentType restoreDocumentType
	splitCase mergeParts putConnector testConnector reconcileConnector pauseConnector resumeConnector replayConnector retryDelivery skipDelivery markNoticesRead
	setNoticeMail setNoticeCalendar retryMailAddress setTrustedProxies reviewOperatorRequest
	setRetention placeLegalHold proposeHoldLift proposeErasure addNote withdrawNote addProposalComment rehearseProposal resolveProposalComment decideAsOwner proposeProcessOwners watchCase saveView
	deleteView setDefaultView setPersonSetting proposeMigration undoMigration`)

// member is a person made for one way of losing a right.
type member struct {
	id, email string
	by        credential
	roles     []string
	queues    []string
	delegator *member // who delegated to them
}

const memberPassword = "a password for the trial"

// endingWorld is a case in review that is always stirred, two servers, and people who come and lose
// their right.
type endingWorld struct {
	*concurrentServers
	caseID, review domain.ID
	proposal       string // an open proposal that is discussed
	made           int
}

// lost is a way of losing a right: how it is prepared for the member, and what takes it. The answer
// of prepare is the moment at which it ends by itself, if it does.
type lost struct {
	name      string
	roles     []string
	queues    []string
	bySession bool
	prepare   func(w *endingWorld, m *member) time.Time
	lose      func(w *endingWorld, m *member)
	// ends are the codes with which a subscription ends, by its name; * is every other. One that
	// has none is narrowed: it continues without what the member may not see any more. "refused" is
	// one that the member never could have.
	ends map[string]string
}

var (
	admins    = []string{"administrator"}
	managing  = []string{"manager"}
	reviewing = []string{"reviewer_l1"}
	l1        = []string{"L1"}
	noSession = map[string]string{"*": "SessionExpired", "migrationProgress": "refused"}
	noToken   = map[string]string{"*": "Unauthenticated", "migrationProgress": "refused"}
	disabled  = map[string]string{"*": "SessionExpired Unauthenticated", "migrationProgress": "refused"}
	noAdmin   = map[string]string{"*": "refused", "migrationProgress": "SessionExpired"}
	noRole    = map[string]string{"migrationProgress": "refused", "caseEvents": "NotFound", "caseEvents with case": "NotFound",
		"caseNotes": "NotFound", "proposalDiscussion": "NotFound", "reviewQueue of all": "NotPermitted"}
	noQueue = map[string]string{"migrationProgress": "refused", "caseEvents": "NotFound", "caseEvents with case": "NotFound",
		"caseNotes": "NotFound", "proposalDiscussion": "refused", "reviewQueue of all": "refused"}
	conflict = map[string]string{"migrationProgress": "refused", "caseEvents": "ConflictOfInterest",
		"caseEvents with case": "ConflictOfInterest", "caseNotes": "ConflictOfInterest",
		"proposalDiscussion": "refused", "reviewQueue of all": "refused"}
)

// soon is how long what ends by time lasts: long enough for all subscriptions to begin.
const soon = 3 * time.Second

var ways = []lost{
	{name: "signed out", roles: managing, queues: l1, bySession: true, ends: noSession,
		lose: func(w *endingWorld, m *member) {
			w.post("/auth/sign-out", m.by, nil)
		}},
	{name: "administrator signed out", roles: admins, bySession: true, ends: noAdmin,
		lose: func(w *endingWorld, m *member) {
			w.post("/auth/sign-out", m.by, nil)
		}},
	{name: "signed in again", roles: managing, queues: l1, bySession: true, ends: noSession,
		lose: func(w *endingWorld, m *member) {
			w.post("/auth/sign-in", m.by, map[string]any{"email": m.email,
				"password": memberPassword})
		}},
	{name: "session expires", roles: managing, queues: l1, bySession: true, ends: noSession,
		prepare: func(w *endingWorld, m *member) time.Time {
			return w.moment(`UPDATE sessions SET expires_at = clock() + $2::interval WHERE user_id = $1::uuid RETURNING expires_at`, w.plainID(m.id), soon)
		}},
	{name: "password set", roles: managing, queues: l1, bySession: true, ends: noSession,
		lose: func(w *endingWorld, m *member) {
			w.resetPassword(m)
		}},
	{name: "token revoked", roles: managing, queues: l1, ends: noToken,
		lose: func(w *endingWorld, m *member) {
			id := w.text(`SELECT id::text FROM api_tokens WHERE user_id = $1::uuid`,
				w.plainID(m.id))
			parsed, _ := domain.ParseID(id)
			w.mutate(m.by, "revokeApiToken",
				map[string]any{"tokenId": scalar.GlobalID(scalar.KindAPIToken, parsed)})
		}},
	{name: "token expires", roles: managing, queues: l1, ends: noToken,
		prepare: func(w *endingWorld, m *member) time.Time {
			return w.moment(`UPDATE api_tokens SET expires_at = clock() + $2::interval WHERE user_id = $1::uuid RETURNING expires_at`, w.plainID(m.id), soon)
		}},
	{name: "account disabled", roles: managing, queues: l1, ends: disabled,
		lose: func(w *endingWorld, m *member) { w.put(m, map[string]any{"disabled": true}) }},
	{name: "account disabled, by session", roles: managing, queues: l1, bySession: true,
		ends: disabled, lose: func(w *endingWorld, m *member) {
			w.put(m, map[string]any{"disabled": true})
		}},
	{name: "role removed", roles: managing, queues: l1, ends: noRole,
		lose: func(w *endingWorld, m *member) { w.put(m, map[string]any{"roles": []string{}}) }},
	{name: "queue removed", roles: reviewing, queues: l1, ends: noQueue,
		lose: func(w *endingWorld, m *member) { w.put(m, map[string]any{"queues": []string{}}) }},
	{name: "conflict declared", roles: reviewing, queues: l1, ends: conflict,
		lose: func(w *endingWorld, m *member) {
			w.admin("declareConflict", map[string]any{"personId": m.id,
				"counterparty": testcluster.XMLSeller, "reason": "a trial"})
		}},
	{name: "conflict by group", roles: reviewing, queues: l1, ends: conflict,
		prepare: func(w *endingWorld, m *member) time.Time {
			w.admin("declareConflict", map[string]any{"personId": m.id,
				"counterparty": "Relative of " + m.email, "reason": "a trial"})
			return time.Time{}
		}, lose: func(w *endingWorld, m *member) {
			w.joinGroups("Relative of "+m.email, testcluster.XMLSeller)
		}},
	{name: "delegation ended", roles: reviewing, ends: noQueue,
		prepare: func(w *endingWorld, m *member) time.Time {
			w.delegate(w.person("junior"), m, time.Now().Add(time.Hour))
			return time.Time{}
		}, lose: func(w *endingWorld, m *member) {
			id, _ := domain.ParseID(
				w.text(`SELECT id::text FROM delegations WHERE taker = $1::uuid`,
					w.plainID(m.id)))
			w.admin("endDelegation",
				map[string]any{"delegationId": scalar.GlobalID(scalar.KindDelegation, id)})
		}},
	{name: "delegation ends by time", roles: reviewing, ends: noQueue,
		prepare: func(w *endingWorld, m *member) time.Time {
			w.delegate(w.person("junior"), m, time.Now().Add(soon))
			return w.moment(`SELECT valid_until FROM delegations WHERE taker = $1::uuid`,
				w.plainID(m.id))
		}},
	{name: "delegator disabled", roles: reviewing, ends: noQueue,
		prepare: func(w *endingWorld, m *member) time.Time {
			m.delegator = w.member(lost{roles: reviewing, queues: l1})
			w.delegate(m.delegator.id, m, time.Now().Add(time.Hour))
			return time.Time{}
		}, lose: func(w *endingWorld, m *member) {
			w.put(m.delegator,
				map[string]any{"disabled": true})
		}},
}

// Every right that admits a subscription is revoked at one server while the subscriber is at the
// other: no frame of a later event is sent, and the subscription ends within a second, or continues
// without the lost part. Also while Redis is away, for the ways that are found by hints or polling.
func TestSubscriptionsEndWithTheRight(t *testing.T) {
	t.Parallel()
	// The busy person is never refused, so that after each loss there is an event to withhold.
	w := &endingWorld{concurrentServers: newConcurrentServers(t, "COUNTERSIGN_REQUESTS_PER_MINUTE=1000000")}
	w.complete()
	w.addReviews(1)
	w.review = w.concurrentServers.review()
	if err := w.rows.QueryRow(t.Context(), `SELECT case_id FROM reviews WHERE id = $1`,
		w.review).Scan(&w.caseID); err != nil {
		t.Fatal(err)
	}
	w.proposal = w.discussed()
	stop := make(chan struct{})
	var stirring sync.WaitGroup
	stirring.Go(func() { w.keepBusy("senior", w.review, stop) })
	defer func() { close(stop); stirring.Wait() }()
	table := []string{"| right lost | " + strings.Join(labels(), " | ") + " |",
		strings.Repeat("|---", len(labels())+1) + "|"}
	for _, way := range ways {
		table = append(table, w.try(way, way.name))
	}
	if err := w.cluster.Redis.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		if slices.Contains([]string{"signed out", "token revoked", "role removed",
			"delegation ended"}, way.name) {
			table = append(table, w.try(way, way.name+", Redis away"))
		}
	}
	t.Logf("how subscriptions end, and how long after the right was lost at another server (the slower of WebSocket and SSE):\n%s", strings.Join(table, "\n"))
}

// discussed returns a new proposal.
func (w *endingWorld) discussed() string {
	w.t.Helper()
	var got struct {
		Data struct {
			Done struct{ Proposal struct{ ID string } }
		}
	}
	if err := w.send(w.a, "admin", `mutation { done: restoreProcessDefinition(input:
		{key: "content_review", definitionVersion: 1}) { proposal { id } } }`, nil, &got); err != nil {
		w.t.Fatal(err)
	}
	return got.Data.Done.Proposal.ID
}

// complete demands that the tables above know every subscription, every mutation, and everything
// that admits.
func (w *endingWorld) complete() {
	t := w.t
	t.Helper()
	type named []struct{ Name string }
	var got struct {
		Data struct {
			Schema struct{ SubscriptionType, MutationType struct{ Fields named } } `json:"__schema"`
		}
	}
	if err := w.send(w.a, "admin",
		`{ __schema { subscriptionType { fields { name } } mutationType { fields { name } } } }`,
		nil, &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got.Data.Schema.SubscriptionType.Fields); n != len(watched) {
		t.Errorf("the schema has %d subscriptions, the table %d", n, len(watched))
	}
	for _, field := range got.Data.Schema.SubscriptionType.Fields {
		if watched[field.Name] == nil {
			t.Errorf("the subscription %s is in no table: say how it is watched", field.Name)
		}
	}
	known := func(name string) bool {
		return slices.ContainsFunc(ways, func(way lost) bool { return way.name == name })
	}
	for _, field := range got.Data.Schema.MutationType.Fields {
		if by := changing[field.Name]; !known(by) && !slices.Contains(harmless, field.Name) {
			t.Errorf("does the mutation %s take a right away? Say so in the table", field.Name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[domain.Actor](),
		reflect.TypeFor[domain.User]()} {
		for i := range of.NumField() {
			if name := of.Name() + "." + of.Field(i).Name; admitting[name] == "" {
				t.Errorf("does %s admit to a subscription? Say in the table how it is lost", name)
			}
		}
	}
	if _, err := w.rows.Exec(t.Context(), `UPDATE api_tokens SET scopes = '{read}'`); err == nil {
		t.Error("the scopes of an API token were changed: a subscription would not notice")
	}
}

// try lets a new member subscribe to everything at one server, takes the right at the other, and
// returns the table's line.
func (w *endingWorld) try(way lost, name string) string {
	w.t.Helper()
	m := w.member(way)
	var gone time.Time
	if way.prepare != nil {
		gone = way.prepare(w, m)
	}
	seq := int64(w.number(`SELECT last_seq FROM cases WHERE id = $1`, w.caseID))
	variables := map[string]any{"id": scalar.GlobalID(scalar.KindCase, w.caseID),
		"after": scalar.EventCursor(seq - 1)}
	type one struct{ of, shown, wire string }
	subscribers := map[one]*subscriber{}
	for of, shown := range watched {
		for label, query := range shown {
			for wire := range eventTransports {
				var given map[string]any
				switch of {
				case "caseEvents":
					given = variables
				case "caseNotes":
					given = map[string]any{"id": variables["id"]}
				case "proposalDiscussion":
					given = map[string]any{"id": w.proposal}
				}
				subscribers[one{of, label, wire}] = subscribe(w.t.Context(), label+" over "+wire,
					wire, w.b, m.by, query, given)
			}
		}
	}
	for _, s := range subscribers {
		<-s.first
	}
	if way.lose != nil {
		way.lose(w, m)
		gone = w.moment(`SELECT clock()`)
	}
	// The other kinds of frames have events without end; a note is written once, after the right is gone.
	_, manager := w.cluster.Credentials("manager@test.test")
	w.mutate(credential{token: manager}, "addNote",
		map[string]any{"caseId": variables["id"], "text": "after: " + name})
	w.admin("addProposalComment", map[string]any{"proposalId": w.proposal, "text": "after: " + name})
	version := w.number(`SELECT version FROM reviews WHERE id = $1`, w.review)
	cells, slowest := map[string]string{}, map[string]time.Duration{}
	for key, s := range subscribers {
		want, known := way.ends[key.shown]
		if !known {
			want = way.ends["*"]
		}
		if want == "refused" {
			<-s.over
			cells[key.shown] = "never had"
			continue
		}
		ended := w.wait(s, key.of, want, name, gone)
		w.nothingLater(s, key.of, name, gone, version, way.lose != nil)
		slowest[key.shown] = max(slowest[key.shown], ended)
		cells[key.shown] = fmt.Sprintf("%s %d ms", cmp.Or(s.code, "narrowed"),
			slowest[key.shown].Milliseconds())
	}
	line := "| " + name
	for _, label := range labels() {
		line += " | " + cells[label]
	}
	return line + " |"
}

// labels are the ways in which subscriptions are watched, in order.
func labels() []string {
	var all []string
	for _, shown := range watched {
		all = slices.AppendSeq(all, maps.Keys(shown))
	}
	slices.Sort(all)
	return all
}

// wait waits for the end with one of the codes, or for the narrowing, and returns how long after
// the right was gone it came.
func (w *endingWorld) wait(s *subscriber, of, codes, name string, gone time.Time) time.Duration {
	w.t.Helper()
	defer func() { s.cut(); <-s.over }()
	took := time.Duration(0)
	switch {
	case codes != "":
		select {
		case <-s.over:
		case <-time.After(20 * time.Second):
			w.t.Errorf("%s: %s goes on 20 s after the right was lost", name, s.name)
			return 0
		}
		took = s.end.Sub(gone)
		if !slices.Contains(strings.Fields(codes), s.code) {
			w.t.Errorf("%s: %s ended with %q, want %s", name, s.name, s.code, codes)
		}
	case of == "reviewQueue":
		testcluster.Eventually(w.t, 20*time.Second, name+": "+s.name+" is narrowed", func() bool {
			frames, came := s.seen()
			at := len(frames)
			for at > 0 && !slices.Contains(orderOf(frames[at-1]),
				scalar.GlobalID(scalar.KindReview, w.review)) {
				at--
			}
			if at < len(frames) {
				took = came[at].Sub(gone)
			}
			return at < len(frames)
		})
	}
	if codes == "" { // there is always an event to send, so one that must not arrive has time to
		<-time.After(time.Until(gone.Add(1200 * time.Millisecond)))
	}
	atMost := 3 * time.Second // a second, and what a loaded machine adds
	if *concurrencyRounds > 0 {
		atMost = time.Second
	}
	if took > atMost {
		w.t.Errorf("%s: %s was over %s after the right was gone, at most %s", name, s.name, took,
			atMost)
	}
	return max(took, 0)
}

func orderOf(frame map[string]json.RawMessage) []string {
	var change struct{ Order []string }
	_ = json.Unmarshal(frame["reviewQueue"], &change)
	return change.Order
}

// nothingLater demands that no frame reports what was committed after the right was gone.
func (w *endingWorld) nothingLater(s *subscriber, of, name string, gone time.Time, version int,
	byHand bool) {
	w.t.Helper()
	frames, _ := s.seen()
	for _, frame := range frames {
		var change struct {
			At                       time.Time
			Available                int
			Upserted, RemovedReviews []struct{ ID, Version string }
			Events, Nodes            []struct{ At time.Time }
		}
		_ = json.Unmarshal(frame[of], &change)
		switch of {
		case "caseEvents":
			if change.At.After(gone) {
				w.t.Errorf("%s: %s sent an event %s after the right was gone", name, s.name,
					change.At.Sub(gone))
			}
		case "events", "caseNotes", "proposalDiscussion":
			for _, event := range append(change.Events, change.Nodes...) {
				if event.At.After(gone) {
					w.t.Errorf("%s: %s sent an event %s after the right was gone", name, s.name,
						event.At.Sub(gone))
				}
			}
		case "notifications":
			if change.At.After(gone) && (s.code != "" || change.Available > 0) {
				w.t.Errorf("%s: %s counted %d, %s after the right was gone", name, s.name,
					change.Available, change.At.Sub(gone))
			}
		case "reviewQueue":
			for _, review := range append(change.Upserted, change.RemovedReviews...) {
				number, _, _ := strings.Cut(review.Version, ".")
				if n, err := strconv.Atoi(number); err != nil || byHand && n > version {
					w.t.Errorf("%s: %s sent version %s of a review that was at %d when the right was gone", name, s.name, review.Version, version)
				}
			}
		}
	}
}

// member makes a person with roles and queues who is signed in, or has an API token.
func (w *endingWorld) member(way lost) *member {
	w.t.Helper()
	w.made++
	m := &member{email: fmt.Sprintf("member%d@test.test", w.made), roles: way.roles,
		queues: append([]string{}, way.queues...)}
	w.put(m, nil)
	parsed, err := domain.ParseID(w.text(`SELECT id::text FROM users WHERE email = $1`, m.email))
	if err != nil {
		w.t.Fatal(err)
	}
	m.id = scalar.GlobalID(scalar.KindPerson, parsed)
	response := w.post("/auth/sign-in", credential{}, map[string]any{"email": m.email,
		"password": memberPassword})
	cookie, _, _ := strings.Cut(response.Get("Set-Cookie"), ";")
	m.by = credential{cookie: cookie}
	if !way.bySession {
		var made struct{ Secret string }
		if err := json.Unmarshal(w.mutate(m.by, "createApiToken", map[string]any{"name": "trial"},
			"secret"), &made); err != nil || made.Secret == "" {
			w.t.Fatalf("no token: %+v %v", made, err)
		}
		m.by = credential{token: made.Secret}
	}
	return m
}

// put changes a person as an administrator does.
func (w *endingWorld) put(m *member, change map[string]any) {
	input := map[string]any{"email": m.email, "name": strings.Split(m.email, "@")[0],
		"roles": m.roles, "queues": m.queues}
	if m.id != "" {
		input["personId"] = m.id
	}
	for key, value := range change {
		input[key] = value
	}
	_, token := w.cluster.Credentials("admin@test.test")
	var done struct{ Proposal *struct{ ID string } }
	if err := json.Unmarshal(w.mutate(credential{token: token}, "putPerson", input,
		"proposal { id }"), &done); err != nil {
		w.t.Fatal(err)
	}
	if done.Proposal != nil {
		w.confirm(done.Proposal.ID, memberPassword)
	}
}

// resetPassword gives a person another password, as two administrators and the person do.
func (w *endingWorld) resetPassword(m *member) {
	w.t.Helper()
	_, token := w.cluster.Credentials("admin@test.test")
	var done struct {
		Results []struct{ Proposal struct{ ID string } }
	}
	if err := json.Unmarshal(w.mutate(credential{token: token}, "resetSignIn",
		map[string]any{"personId": m.id, "reason": "a trial"}, "results { proposal { id } }"),
		&done); err != nil {
		w.t.Fatal(err)
	}
	w.confirm(done.Results[0].Proposal.ID, memberPassword+", another")
}

// confirm confirms a proposal as the second administrator. If the person gets a link, they choose
// the password by it.
func (w *endingWorld) confirm(proposal, password string) {
	w.t.Helper()
	_, token := w.cluster.Credentials("admin2@test.test")
	var confirmed struct {
		Results []struct{ SignInLink *struct{ Secret string } }
	}
	if err := json.Unmarshal(w.mutate(credential{token: token}, "confirmControlChange",
		map[string]any{"proposalId": proposal}, "results { signInLink { secret } }"),
		&confirmed); err != nil {
		w.t.Fatal(err)
	}
	if link := confirmed.Results[0].SignInLink; link != nil {
		w.post("/auth/choose-password", credential{}, map[string]any{"secret": link.Secret,
			"password": password})
	}
}

func (w *endingWorld) delegate(delegator string, m *member, until time.Time) {
	w.t.Helper()
	_, token := w.cluster.Credentials("admin@test.test")
	var done struct{ Proposal struct{ ID string } }
	if err := json.Unmarshal(w.mutate(credential{token: token}, "createDelegation",
		map[string]any{"delegatorId": delegator, "delegateId": m.id,
			"validUntil": until.UTC().Format(time.RFC3339Nano)}, "proposal { id }"), &done); err != nil {
		w.t.Fatal(err)
	}
	w.confirm(done.Proposal.ID, memberPassword)
}

func (w *endingWorld) admin(mutation string, input map[string]any) {
	w.t.Helper()
	_, token := w.cluster.Credentials("admin@test.test")
	w.mutate(credential{token: token}, mutation, input)
}

// joinGroups joins the groups of two companies by two administrators.
func (w *endingWorld) joinGroups(party, with string) {
	w.t.Helper()
	_, token := w.cluster.Credentials("admin@test.test")
	var done struct{ Proposal struct{ ID string } }
	if err := json.Unmarshal(w.mutate(credential{token: token}, "groupParty",
		map[string]any{"counterparty": party, "with": with}, "proposal { id }"),
		&done); err != nil {
		w.t.Fatal(err)
	}
	_, token = w.cluster.Credentials("admin2@test.test")
	w.mutate(credential{token: token}, "confirmControlChange",
		map[string]any{"proposalId": done.Proposal.ID})
}

// mutate sends a mutation to the first server and returns what it shows; a busy moment is waited
// for as the page does it.
func (w *endingWorld) mutate(by credential, mutation string, input map[string]any,
	shows ...string) json.RawMessage {
	w.t.Helper()
	query := fmt.Sprintf(
		"mutation($in: %sInput!) { done: %s(input: $in) { %s userErrors { ... on Refusal { code message } } } }",
		strings.ToUpper(mutation[:1])+mutation[1:], mutation, strings.Join(shows, " "))
	for range 5 {
		body, _ := json.Marshal(map[string]any{"query": query,
			"variables": map[string]any{"in": input}})
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.a+"/graphql",
			bytes.NewReader(body))
		if err != nil {
			w.t.Fatal(err)
		}
		request.Header = by.header()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			w.t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		var got struct {
			Data struct {
				Done json.RawMessage
			}
		}
		if !strings.Contains(string(text), `"userErrors":[]`) &&
			strings.Contains(string(text), string(domain.Busy)) {
			continue
		}
		if err := json.Unmarshal(text, &got); err != nil ||
			!strings.Contains(string(text), `"userErrors":[]`) {
			w.t.Fatalf("%s: %s %v", mutation, text, err)
		}
		return got.Data.Done
	}
	w.t.Fatalf("%s: busy for long", mutation)
	return nil
}

// post sends JSON to a route of the first server.
func (w *endingWorld) post(path string, by credential, body any) http.Header {
	w.t.Helper()
	text, _ := json.Marshal(body)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.a+path,
		bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header = by.header()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusMultipleChoices {
		said, _ := io.ReadAll(response.Body)
		w.t.Fatalf("%s: %s %s", path, response.Status, said)
	}
	return response.Header
}

// plainID is the id inside a global one.
func (w *endingWorld) plainID(global string) string {
	id, err := scalar.IDOf(scalar.KindPerson, "id", global)
	if err != nil {
		w.t.Fatal(err)
	}
	return id.String()
}

func (w *endingWorld) moment(sql string, args ...any) time.Time {
	w.t.Helper()
	var at time.Time
	if err := w.rows.QueryRow(w.t.Context(), sql, args...).Scan(&at); err != nil {
		w.t.Fatal(err)
	}
	return at
}

func (w *endingWorld) text(sql string, args ...any) string {
	w.t.Helper()
	var text string
	if err := w.rows.QueryRow(w.t.Context(), sql, args...).Scan(&text); err != nil {
		w.t.Fatal(err)
	}
	return text
}
