package graph

import (
	"archive/zip"
	"bytes"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

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
// administrator.
var onlookers = []string{"rob", "sam", "max", "aud", "ada"}

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
	w.caseID = w.submit("sam", "120.00")
	w.runPending()
	return w
}

const votingReason = "the zebra owner"

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
	for _, mutation := range []string{
		`mutation($i: ID!) { it: claimReview(input: {reviewId: $i}) { ` + errorsOnly + ` } }`,
		`mutation($i: ID!) { it: decideReview(input: {reviewId: $i, decision: ` + verdict +
			`, reason: "` + votingReason + `"}) { ` + errorsOnly + ` } }`} {
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

// firstDifference returns// firstDifference returns what is around the first difference of two answers, "" if there is none.
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

// Two cases differ in the vote of one member, who approved one and rejected the other. Until the
// committee is complete, no answer to another person, no export, no connector and no pack differs. The
// answers come from every field of the schema, so a new field is covered.
func TestOthersDoNotLearnAHiddenVote(t *testing.T) {
	t.Parallel()
	approved, rejected := newVotingWorld(t), newVotingWorld(t)
	approved.vote("rita", "APPROVE")
	rejected.vote("rita", "REJECT")
	compared := 0
	for _, by := range onlookers {
		got, want := approved.everythingSent(by), rejected.everythingSent(by)
		for name, answer := range got {
			compared++
			if where := firstDifference(answer, want[name]); where != "" {
				t.Errorf("%s for %s differs: %s", name, by, where)
			}
			if strings.Contains(answer, "zebra") {
				t.Errorf("%s for %s has the reason", name, by)
			}
		}
	}
	t.Logf("%d answers compared", compared)
	const own = `query($i: ID!) { case(id: $i) { decisions { verdict reason }
		reviews { voteHidden } openReview { committee { cast approvals votesHidden } } } }`
	seen := rejected.mustExecute("rita", own, "i", rejected.caseID)
	if seen.text("case", "decisions", 0, "verdict") != "REJECT" ||
		seen.text("case", "decisions", 0, "reason") != votingReason {
		t.Errorf("the member does not see their own vote: %+v", seen)
	}
	rejected.vote("rob", "APPROVE")
	rejected.vote("rea", "APPROVE")
	disclosed := rejected.mustExecute("max", own, "i", rejected.caseID)
	if len(disclosed.at("case", "decisions").([]any)) != 3 ||
		disclosed.text("case", "decisions", 0, "reason") != votingReason {
		t.Errorf("after the committee: %+v", disclosed)
	}
}
