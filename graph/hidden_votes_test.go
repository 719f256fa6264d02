package graph

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
	"countersign/graph/transport"
)

// votingWorld is an environment with one case before a committee of three that hides its votes.
type votingWorld struct{ *amlWorld }

// bulkLine are the limits of bulk approvals, which a committee with hidden votes cannot have.
var bulkLine = regexp.MustCompile(`    bulk: .*\n`)

// onlookers are everyone but who has voted: another member, the submitter, a manager, an auditor and an
// administrator, and programs with API tokens of some of them.
var onlookers = []string{"rob", "sam", "max", "aud", "ada", "rob" + tokenSuffix, "aud" + tokenSuffix,
	"ada" + tokenSuffix}

func newVotingWorld(t *testing.T) votingWorld {
	t.Helper()
	w := votingWorld{&amlWorld{schema: generated.NewExecutableSchema(
		generated.Config{Resolvers: &resolver{}}).Schema(),
		testEnv: newTestEnvWith(t, "", func(o *Options) {
			o.Limits = transport.DefaultLimits()
			o.Limits.Cost, o.Limits.Fields, o.Limits.Tokens, o.Limits.Aliases = 1_000_000,
				10_000, 10_000, 1000
		})}}
	for _, name := range []string{"rita", "rob", "rea"} {
		w.person(name, domain.RoleL1)
	}
	w.person("sam", domain.RoleSubmitter)
	w.person("max", domain.RoleManager)
	w.person("aud", domain.RoleAuditor)
	w.person("ada", domain.RoleAdmin)
	w.person("abe", domain.RoleAdmin)
	newest := w.mustExecute("ada", newestOf, "key", "document_approval")
	document := newest.text("processDefinitions", "nodes", 0, "document")
	document = bulkLine.ReplaceAllString(strings.Replace(document, "    duty: approval\n",
		"    duty: approval\n    seats: 3\n    quorum: 2\n    decide_by: majority\n    abstain: true\n"+
			"    votes: hidden\n", 1), "")
	proposed := propose(w.testEnv, "ada", document, "")
	if published := publish(w.testEnv, "abe", proposed.text("done", "proposal", "id")); published.text("done",
		"proposal", "status") != "PUBLISHED" {
		t.Fatalf("not published: %+v, %+v", proposed, published)
	}
	w.publishRules(strings.TrimRight(w.rulesOf("invoice"), "\n") + reasonRule)
	w.caseID = w.submit("sam", "120.00")
	w.runPending()
	for _, by := range []string{"rob", "aud", "ada"} {
		reader := w.actor(by)
		reader.TokenID, reader.Scopes = domain.NewID(), []string{string(domain.ActRead),
			string(domain.ActPublish)}
		w.people.Store(by+tokenSuffix, reader)
	}
	return w
}

// reasonRule needs a reason of each approval, so that a vote can have an override.
const reasonRule = `
  - id: reason_needed
    title: {en: "Reason needed", zh: "需要理由"}
    phase: risk
    severity: warning
    score: 0
    override: reason
    asks: {en: "Is a reason needed?", zh: "是否需要理由？"}
    when: amount_known
    message: {en: "A reason is needed.", zh: "需要理由。"}
`

// tokenSuffix is in the names of people who read by an API token.
const tokenSuffix = " by token"

// publishRules publishes a rule set by two administrators.
func (w votingWorld) publishRules(document string) {
	w.t.Helper()
	made := w.mustExecute("ada", `mutation($d: String!) { done: proposeRuleSet(input: {document: $d}) { `+
		proposalShown+` } }`, "d", document)
	got := w.mustExecute("abe", `mutation($id: ID!) { done: publishRuleSet(input: {proposalId: $id}) { `+
		proposalShown+` } }`, "id", made.text("done", "proposal", "id"))
	if got.text("done", "proposal", "status") != "PUBLISHED" {
		w.t.Fatalf("not published: %+v, %+v", made.Data, got.Data)
	}
}

const votingReason, overrideReason = "the zebra owner", "the zebra explained it"

// vote claims a seat and votes.
func (w votingWorld) vote(by, verdict string) {
	w.t.Helper()
	reviews, err := w.db.Reader().ReviewsOf(w.t.Context(), caseIDOf(w.t, w.caseID))
	must(w.t, err)
	at := slices.IndexFunc(reviews, func(r domain.Review) bool { return r.Status == domain.ReviewOpen })
	if at < 0 {
		w.t.Fatalf("no open seat: %+v", reviews)
	}
	id := scalar.GlobalID(scalar.KindReview, reviews[at].ID)
	overrides := "[]"
	if verdict == "APPROVE" {
		overrides = `[{rule: "reason_needed", reason: "` + overrideReason + `"}]`
	}
	for _, mutation := range []string{
		`mutation($i: ID!) { it: claimReview(input: {reviewId: $i}) { ` + errorsOnly + ` } }`,
		`mutation($i: ID!) { it: decideReview(input: {reviewId: $i, decision: ` + verdict +
			`, reason: "` + votingReason + `", overrides: ` + overrides + `}) { ` + errorsOnly + ` } }`} {
		if refused, _ := w.mustExecute(by, mutation, "i", id).at("it", "userErrors").([]any); len(refused) > 0 {
			w.t.Fatalf("%s: %v", by, refused)
		}
	}
	w.runPending()
}

// everythingSent returns the answers to the person, and what leaves by connectors and as a pack.
func (w votingWorld) everythingSent(by string) map[string]string {
	w.t.Helper()
	all := w.answers(by)
	all["votes"] = w.executeNormalized(by, `query($i: ID!) { case(id: $i) { decisions { verdict reason }
		openReview { committee { cast approvals rejections abstentions votesHidden } }
		reviews { status voteHidden undoUntil decision { verdict reason actor { name } } }
		lastEvents(last: 50) { type sentence actor { name } body } } }`, map[string]any{"i": w.caseID})
	maps.Copy(all, w.rehearsals(by))
	if by != "aud" {
		return all
	}
	for _, audience := range []domain.ConnectorAudience{domain.ForSubmitters, domain.ForStaff,
		domain.ForAuditors} {
		all["connector "+string(audience)] = strings.Join(w.connectorEvents(audience), "\n")
	}
	var pack bytes.Buffer
	must(w.t, w.service.WritePack(w.t.Context(), w.actor(by), caseIDOf(w.t, w.caseID), audit.Keys{},
		func(string) io.Writer { return &pack }))
	all["pack"] = unzipped(w.t, pack.Bytes())
	return all
}

// rehearsals returns what changes of the process, its rules and the people would have done to the case.
func (w votingWorld) rehearsals(by string) map[string]string {
	w.t.Helper()
	process := w.mustExecute("ada", newestOf, "key", "document_approval").
		text("processDefinitions", "nodes", 0, "document")
	all := map[string]string{}
	for name, change := range map[string]map[string]any{
		"process": {"process": strings.Replace(process, "quorum: 2", "quorum: 3", 1)},
		"rules":   {"rules": strings.Replace(w.rulesOf("invoice"), "override: reason\n    asks: {en: \"Is a reason", "override: never\n    asks: {en: \"Is a reason", 1)},
		"limit":   {"limit": map[string]any{"role": string(domain.RoleL1), "drop": true}},
	} {
		all["rehearsal of a "+name] = w.executeNormalized(by, rehearsedAll, map[string]any{"in": map[string]any{
			"change": change, "closed": 100, "named": 100}})
	}
	return all
}

const rehearsedAll = `query($in: RehearsalInput!) { r: rehearse(input: $in) { open hidden same hiddenVotes
	moreReviews fewerReviews otherEnd tooFewBefore tooFewAfter stopped otherFindings refused impossible
	rules { rule before after appears disappears undetermined unlikeRecord }
	different { reference addedReviews droppedReviews endBefore endAfter found lost refusedBy
		reviews { node verdict eligible } } people { person { name } askedBefore askedAfter couldAfter } } }`

// mention adds a note about the case, of which a person is notified by e-mail.
func (w votingWorld) mention(by, person string) {
	w.t.Helper()
	noted := w.mustExecute(by, `mutation($i: ID!, $p: [ID!]) { it: addNote(input: {caseId: $i,
		text: "please look", mentions: $p}) { `+errorsOnly+` } }`, "i", w.caseID, "p",
		[]string{scalar.GlobalID(scalar.KindPerson, w.actor(person).UserID)})
	if refused, _ := noted.at("it", "userErrors").([]any); len(refused) > 0 {
		w.t.Fatalf("%s does not mention %s: %v", by, person, refused)
	}
}

// mails returns the e-mails that are due, from which their texts are made, by their recipients.
func (w votingWorld) mails() map[string]string {
	w.t.Helper()
	w.awaitFeed()
	for {
		more, err := w.service.DeriveNotices(w.t.Context())
		must(w.t, err)
		if !more {
			break
		}
	}
	w.turnClock(49 * time.Hour) // two digests later
	defer w.turnClock(0)
	due, err := w.views.DueMails(w.t.Context())
	must(w.t, err)
	all := map[string]string{}
	for _, mail := range due {
		text, err := json.Marshal(mail.Notices)
		must(w.t, err)
		all["e-mail to "+mail.Person.Name] = string(text)
	}
	return all
}

// unzipped returns the texts of a ZIP file.
func unzipped(t *testing.T, content []byte) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	var text strings.Builder
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "json") && !strings.HasSuffix(file.Name, "jsonl") &&
			!strings.HasSuffix(file.Name, "html") {
			continue
		}
		opened, err := file.Open()
		must(t, err)
		read, err := io.ReadAll(opened)
		must(t, err)
		text.WriteString(file.Name + ": " + html.UnescapeString(string(read)) + "\n")
	}
	return text.String()
}

// varying is what differs in any case besides ids: durations, random texts, times as numbers, and the
// lines and numbers of the log of what the test itself reads, which is written in the background.
var varying = regexp.MustCompile(`"seconds":[0-9.e-]+|"[A-Za-z0-9+/=_-]{20,}"|"(at|madeAt)": *[0-9]+|` +
	`durationMs[^0-9]+[0-9]+|"size": *[0-9]+|(?m:^.*Did: (read|open).*\n)|"number":[0-9]+|(?m:^(entry|end),[0-9]+)`)

// firstDifference returns what is around the first difference of two answers, "" if there is none.
func firstDifference(a, b string) string {
	a, b = withoutIDs(varying.ReplaceAllString(a, "")), withoutIDs(varying.ReplaceAllString(b, ""))
	if a == b {
		return ""
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	around := func(text string) string { return text[max(0, at-120):min(len(text), at+120)] }
	return around(a) + "\nand\n" + around(b)
}

// leaks returns what differs between the answers about two cases, or has a word of a hidden vote.
func leaks(got, want map[string]string) []string {
	var found []string
	for name, answer := range got {
		if where := firstDifference(answer, want[name]); where != "" {
			found = append(found, name+" differs: "+where)
		}
		if strings.Contains(answer, "zebra") {
			found = append(found, name+" has a reason")
		}
	}
	for name := range want {
		if _, both := got[name]; !both {
			found = append(found, name+" exists for one of them")
		}
	}
	return found
}

// leakingReaders read hidden votes, as a mistaken query would.
func (w votingWorld) leakingReaders() map[string]map[string]string {
	w.t.Helper()
	id := caseIDOf(w.t, w.caseID)
	decisions, err := w.db.Reader().DecisionsAndHiddenVotes(w.t.Context(), id)
	must(w.t, err)
	overrides, err := w.db.Reader().OverridesOfHiddenVotes(w.t.Context(), id)
	must(w.t, err)
	return map[string]map[string]string{
		"verdict":   {"case": string(decisions[0].Verdict)},
		"reason":    {"case": decisions[0].Reason},
		"overrides": {"case": fmt.Sprint(len(overrides))},
	}
}

// Two cases differ in the vote of one member, who approved one, with an override, and rejected the other. Until
// the committee is complete, no answer to another person or API token, no export, no rehearsal, no e-mail, no
// connector and no pack differs. The answers come from every field of the schema, so a new field is covered.
// Readers that do show a hidden vote are found, so the comparison has an effect.
func TestOthersDoNotLearnAHiddenVote(t *testing.T) {
	t.Parallel()
	approved, rejected := newVotingWorld(t), newVotingWorld(t)
	approved.vote("rita", "APPROVE")
	rejected.vote("rita", "REJECT")
	for _, w := range []votingWorld{approved, rejected} {
		w.mention("rob", "max")
	}
	compared := 0
	for _, by := range onlookers {
		got, want := approved.everythingSent(by), rejected.everythingSent(by)
		compared += len(got)
		for _, leak := range leaks(got, want) {
			t.Errorf("for %s: %s", by, leak)
		}
		if answer := got["rehearsal of a process"]; by == "ada" && !strings.Contains(answer, `"hiddenVotes":1`) {
			t.Errorf("a rehearsal does not say that votes are hidden: %s", answer)
		}
	}
	t.Logf("%d answers compared", compared)
	for name, reader := range approved.leakingReaders() {
		if len(leaks(reader, rejected.leakingReaders()[name])) == 0 {
			t.Errorf("a reader that shows the %s of a hidden vote is not found", name)
		}
	}
	const own = `query($i: ID!) { case(id: $i) { decisions { verdict reason }
		reviews { voteHidden } openReview { committee { cast approvals votesHidden } } } }`
	seen := rejected.mustExecute("rita", own, "i", rejected.caseID)
	if seen.text("case", "decisions", 0, "verdict") != "REJECT" ||
		seen.text("case", "decisions", 0, "reason") != votingReason {
		t.Errorf("the member does not see their own vote: %+v", seen)
	}
	approvedMails, rejectedMails := approved.mails(), rejected.mails()
	if approvedMails["e-mail to max"] == "" {
		t.Errorf("max gets no e-mail, so e-mails are not compared: %v, %s", approvedMails,
			approved.executeNormalized("max", noticesQuery, map[string]any{"first": 50}))
	}
	for _, leak := range leaks(approvedMails, rejectedMails) {
		t.Error(leak)
	}
	rejected.vote("rob", "APPROVE")
	rejected.vote("rea", "APPROVE")
	disclosed := rejected.mustExecute("max", own, "i", rejected.caseID)
	if len(disclosed.at("case", "decisions").([]any)) != 3 ||
		disclosed.text("case", "decisions", 0, "reason") != votingReason {
		t.Errorf("after the committee: %+v", disclosed)
	}
}
