package graph

import (
	"encoding/base64"
	"fmt"
	"maps"
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

// amlWorld is an environment with one remittance. With AML, its country is of high risk, so that
// it goes to the AML review first; without, another country is.
type amlWorld struct {
	*testEnv
	schema *ast.Schema
	caseID string
}

const riskyCountry, otherCountry = "DE", "DJ"

// uncleared are the people who must not learn of AML reviews: the submitter, an L1 reviewer, a
// manager of the queues L1 and L2, a manager without queues, and an administrator.
var uncleared = []string{"sam", "rita", "max", "meg", "ada"}

func newAMLWorld(t *testing.T, aml bool) *amlWorld {
	t.Helper()
	risky := otherCountry
	if aml {
		risky = riskyCountry
	}
	return newAMLWorldOf(t, risky, riskyCountry)
}

// newAMLWorldOf returns an environment where a country is of high risk, with one remittance for which
// a country was declared. Its document states riskyCountry.
func newAMLWorldOf(t *testing.T, risky, declared string) *amlWorld {
	t.Helper()
	w := &amlWorld{schema: generated.NewExecutableSchema(
		generated.Config{Resolvers: &resolver{}}).Schema(),
		testEnv: newTestEnvWith(t, "", func(o *Options) {
			o.Limits = transport.DefaultLimits()
			o.Limits.Cost, o.Limits.Fields, o.Limits.Tokens, o.Limits.Aliases = 1_000_000,
				10_000, 10_000, 1000
		})}
	w.acceptWithoutOrder()
	w.person("sam", domain.RoleSubmitter)
	w.person("rita", domain.RoleL1)
	w.person("max", domain.RoleManager)
	ada := w.person("ada", domain.RoleAdmin)
	w.person("aud", domain.RoleAuditor)
	// In one order, because the log of people shows it.
	for _, user := range []domain.User{
		{Name: "amy", Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}},
		{Name: "meg", Roles: []domain.Role{domain.RoleManager}},
	} {
		name := user.Name
		user.Email = name + "@example.com"
		id, err := w.service.PutUser(t.Context(), domain.SystemActor(), casework.PutUser{User: user})
		must(t, err)
		w.people.Store(name, domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI})
	}
	_, err := w.service.SetCountryRisks(t.Context(), ada, casework.SetCountryRisks{Reason: "list",
		Changes: []casework.CountryRiskChange{{Country: risky, Level: "high"}}})
	must(t, err)
	answer := w.upload("sam", submitMutation, map[string]any{"process": "cross_border_remittance",
		"documentType": "remittance", "country": declared}, "%PDF-1.7\n2100.00\n")
	w.caseID = answer.text("submitDocument", "case", "id")
	w.runPending()
	return w
}

// openReview returns the undecided review, which must be in the queue.
func (w *amlWorld) openReview(queue string) string {
	w.t.Helper()
	reviews, err := w.db.Reader().ReviewsOf(w.t.Context(), caseIDOf(w.t, w.caseID))
	must(w.t, err)
	at := slices.IndexFunc(reviews, func(r domain.Review) bool {
		return r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed
	})
	if at < 0 || reviews[at].Queue != queue {
		w.t.Fatalf("no open review in %s: %+v", queue, reviews)
	}
	return scalar.GlobalID(scalar.KindReview, reviews[at].ID)
}

// decide claims the open review of the queue and decides it.
func (w *amlWorld) decide(by, queue, verdict string) {
	w.t.Helper()
	id := w.openReview(queue)
	if refused, _ := claim(w.testEnv, by, id).at("claimReview", "userErrors").([]any); len(refused) > 0 {
		w.t.Fatalf("%s may not claim: %v", by, refused)
	}
	decided := decide(w.testEnv, by, id, "", verdict, "the zebra owner is named on a list")
	if refused, _ := decided.at("decideReview", "userErrors").([]any); len(refused) > 0 {
		w.t.Fatalf("%s may not decide: %v", by, refused)
	}
	w.runPending()
}

const errorsOnly = `userErrors { ... on Refusal { code message } }`

var (
	uuidText  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timeText  = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-][0-9:]+)`)
	hexText   = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	tokenText = regexp.MustCompile(`"[A-Za-z0-9_-]{12,}"`)
	// cursors of the feed are encrypted, each differently
	cursorText = regexp.MustCompile(`"[A-Za-z0-9_-]{92}"`)
	spanText   = regexp.MustCompile(`"(durationMs|milliseconds|pace|arrivals|historyMinutes)":[0-9.e+-]+`)
	// durations of statistics
	secondsText = regexp.MustCompile(`("[a-zA-Z0-9]+Seconds":)[0-9]+`)
	// Forecasts count deadlines in steps of ten minutes, so a review opened in the next step counts later.
	forecastText = regexp.MustCompile(`("ForecastBreaches","until":"-","count":)[0-9]+`)
)

// withoutIDs replaces ids, times, hashes and durations, which differ in any case. Positions in the
// log and counts stay.
func withoutIDs(text string) string {
	text = volatilePattern.ReplaceAllString(text, "-")
	text = cursorText.ReplaceAllString(text, `"CURSOR"`)
	text = tokenText.ReplaceAllStringFunc(text, func(token string) string {
		plain, err := base64.RawURLEncoding.DecodeString(strings.Trim(token, `"`))
		if err == nil && (uuidText.Match(plain) || timeText.Match(plain)) {
			return `"ID"`
		}
		if _, _, err := scalar.ParseID(strings.Trim(token, `"`)); err == nil {
			return `"ID"`
		}
		return token
	})
	for _, volatile := range []*regexp.Regexp{uuidText, timeText, hexText, spanText} {
		text = volatile.ReplaceAllString(text, "-")
	}
	text = forecastText.ReplaceAllString(text, "$1-")
	text = withoutDurations(secondsText.ReplaceAllString(text, "$1-"))
	return strings.ReplaceAll(text, `"`+otherCountry+`"`, `"`+riskyCountry+`"`)
}

// withoutDurations replaces the times of statistics in CSV: how long the test took between two commands.
func withoutDurations(text string) string {
	lines := strings.Split(text, "\n")
	var header []string
	for at, line := range lines {
		cells := strings.Split(line, ",")
		switch {
		case strings.HasPrefix(line, "kind,number,by,"):
			header = cells
		case strings.HasPrefix(line, "figure,") && len(cells) == len(header):
			for i, name := range header {
				if strings.HasSuffix(name, "Seconds") && cells[i] != "" {
					cells[i] = "-"
				}
			}
			lines[at] = strings.Join(cells, ",")
		}
	}
	return strings.Join(lines, "\n")
}

// confidentialWords may not occur more often in an answer about the case that was with AML.
func (w *amlWorld) confidentialWords() []string {
	return []string{"AML", "aml", "amy", "zebra", "high_risk", "High-risk", "high-risk",
		"Anti-money", w.actor("amy").UserID.String()}
}

// answers calls every field of Query and Subscription, with all arguments, for the case.
func (w *amlWorld) answers(by string) map[string]string {
	w.awaitFeed()
	all := map[string]string{}
	for _, root := range []*ast.Definition{w.schema.Query, w.schema.Subscription} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			ask := w.askAbout(field)
			if root == w.schema.Subscription {
				all[field.Name] = w.answer(w.schema, ask, idArgument{root, field, ""}, by)
				continue
			}
			query, variables := ask.document(root, field, 3)
			all[field.Name] = w.executeNormalized(by, query, variables)
		}
	}
	for name, query := range map[string]string{
		"queue AML":  `{ reviews(filter: {queue: "AML"}) { totalCount } }`,
		"all in AML": `{ reviews(filter: {queue: "AML", all: true}) { totalCount } }`,
		"history": `query($i: ID!) { case(id: $i) { fieldHistory(field: "country") {
			value source resolved by { name } } explain(action: ENTER_FIELDS) { allowed sentence
			who { name } } lastEvents(last: 50) { seq cursor type sentence actor { name } body } } }`,
	} {
		variables := map[string]any{}
		if strings.Contains(query, "$i") {
			variables["i"] = w.caseID
		}
		all[name] = w.executeNormalized(by, query, variables)
	}
	maps.Copy(all, w.exports(by))
	return all
}

// awaitFeed waits until the feed has every event. A transaction of another test of the server holds it back
// meanwhile, at most until idle_in_transaction_session_timeout ends that; the worlds would then differ in how
// much of their feeds can be read.
func (w *amlWorld) awaitFeed() {
	w.t.Helper()
	limit := time.NewTimer(90 * time.Second)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		lag, err := w.db.Reader().FeedLag(w.t.Context())
		must(w.t, err)
		if lag.HeldEvents == 0 {
			return
		}
		select {
		case <-ticker.C:
		case <-limit.C:
			w.t.Fatalf("the feed is held back: %+v", lag)
		}
	}
}

func (w *amlWorld) askAbout(field *ast.FieldDefinition) documentBuilder {
	// The feed is read without a filter: every event that the person may see.
	ask := documentBuilder{schema: w.schema, full: field.Name != "events", nonce: "n",
		values: map[string]any{}}
	kindAt := func(path string) scalar.Kind { return foreignPlaces[field.Name+"."+path].kinds[0] }
	ask.other = func(path string) any {
		if kindAt(path) == scalar.KindCase {
			return w.caseID
		}
		return missingIDs[kindAt(path)]
	}
	for _, argument := range field.Arguments {
		if argument.Type.Name() == "ID" && argument.Type.Elem == nil {
			ask.values[argument.Name] = ask.other(argument.Name)
		}
	}
	if field.Name == "tryRuleSet" || field.Name == "compareRuleSet" {
		ask.values["document"] = w.ruleSet()
	}
	return ask
}

// ruleSet returns the published rule set of remittances.
func (w *amlWorld) ruleSet() string { return w.rulesOf("remittance") }

// rulesOf returns the newest published rule set of a key.
func (w *amlWorld) rulesOf(key string) string {
	w.t.Helper()
	sets, err := w.db.Reader().RuleSets(w.t.Context())
	must(w.t, err)
	at := slices.IndexFunc(sets, func(set store.RuleSetRow) bool { return set.Key == key })
	return sets[at].Document
}

// compareWorlds compares all answers in the world with AML with those in the world without.
func compareWorlds(t *testing.T, stage string, with, without *amlWorld, people []string,
	differs ...string) {
	t.Helper()
	compared := 0
	for _, by := range people {
		got, want := with.answers(by), without.answers(by)
		for name, answer := range got {
			if slices.Contains(differs, name) {
				continue
			}
			compared++
			if a, b := withoutIDs(answer), withoutIDs(want[name]); a != b {
				t.Errorf("%s: %s for %s\nwith AML:    %s\nwithout AML: %s", stage, name, by, a, b)
			}
			saysMore(t, stage+": "+name+" for "+by, with, without, answer, want[name])
		}
	}
	t.Logf("%s: %d answers compared", stage, compared)
}

// saysMore fails if the answer about the case with AML has a confidential word more often. Each
// world has its own ids.
func saysMore(t *testing.T, what string, with, without *amlWorld, answer, want string,
	more ...string) {
	t.Helper()
	answer = cursorText.ReplaceAllString(answer, "") // random letters can be any word
	others := append(without.confidentialWords(), more...)
	for i, word := range append(with.confidentialWords(), more...) {
		if strings.Count(answer, word) > strings.Count(want, others[i]) {
			t.Errorf("%s says %q: %s", what, word, answer)
		}
	}
}

// Two equal documents go through the same hands, one of them through AML before. Only the AML duty
// and auditors can see which one it was. The answers come from every field of
// the schema, so a new field is covered.
func TestCaseDoesNotTellThatItIsWithAML(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorld(t, true), newAMLWorld(t, false)
	with.openReview(domain.QueueAML)
	without.openReview(domain.QueueL1)
	// Managers see the reviews of the other queues in the lists of reviews.
	compareWorlds(t, "in review", with, without, []string{"sam", "ada"})
	compareWorlds(t, "in review", with, without, []string{"meg"}, "reviews", "reviewQueue",
		"queues", "notifications", "export reviews of all as csv", "export reviews of all as jsonl")
	with.decide("amy", domain.QueueAML, "APPROVE")
	compareWorlds(t, "after AML", with, without, []string{"sam", "rita", "max", "ada"})
	for _, w := range []*amlWorld{with, without} {
		w.decide("rita", domain.QueueL1, "APPROVE")
	}
	compareWorlds(t, "archived", with, without, []string{"sam", "rita", "max"})
	if got := with.mustExecute("aud", `query($i: ID!) { case(id: $i) { reviews { queue } } }`,
		"i", with.caseID); got.text("case", "reviews", 0, "queue") != domain.QueueAML {
		t.Errorf("the auditor does not see the AML review: %+v", got)
	}
	if got := with.mustExecute("amy", `query($i: ID!) { case(id: $i) { decisions { reason } } }`,
		"i", with.caseID); !strings.Contains(got.text("case", "decisions", 0, "reason"), "zebra") {
		t.Errorf("AML does not see its own decision: %+v", got)
	}
}

// A case that AML had because different countries were stated does not show other people the rule by
// which it came there: no outlet names the rule, or says more of AML than about a case without the difference.
// What was declared and read stays visible.
func TestDifferingCountriesAreConfidential(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorldOf(t, otherCountry, "FR"), newAMLWorldOf(t, otherCountry,
		riskyCountry)
	compare := func(stage string, people ...string) {
		t.Helper()
		compared := 0
		for _, by := range people {
			got, want := with.answers(by), without.answers(by)
			for name, answer := range got {
				compared++
				saysMore(t, stage+": "+name+" for "+by, with, without, answer, want[name],
					"countries_differ", "Different countries", "所述国家不一致", "对方国家有不同的说法")
			}
		}
		t.Logf("%s: %d answers compared", stage, compared)
	}
	with.openReview(domain.QueueAML)
	without.openReview(domain.QueueL1)
	compare("in review", "sam", "rita", "max", "ada")
	with.decide("amy", domain.QueueAML, "APPROVE")
	const seen = `query($i: ID!) { case(id: $i) { findings { rule } differingFields
		reviews { queue } } }`
	if got := with.mustExecute("amy", seen, "i", with.caseID); !strings.Contains(
		fmt.Sprint(got.at("case", "findings")), "countries_differ") {
		t.Errorf("AML does not see the rule: %+v", got.Data)
	}
	if got := with.mustExecute("rita", seen, "i", with.caseID); strings.Contains(
		fmt.Sprint(got.Data), "countr") {
		t.Errorf("the later reviewer sees %+v", got.Data)
	}
	compare("after AML", "sam", "rita", "max", "ada")
	for _, w := range []*amlWorld{with, without} {
		w.decide("rita", domain.QueueL1, "APPROVE")
	}
	compare("archived", "sam", "rita", "max", "ada")
}

// A document that AML rejected looks like one that another reviewer rejected.
func TestRejectionDoesNotTellThatItIsByAML(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorld(t, true), newAMLWorld(t, false)
	with.decide("amy", domain.QueueAML, "REJECT")
	without.decide("rita", domain.QueueL1, "REJECT")
	compareWorlds(t, "rejected", with, without, []string{"sam", "max", "ada"})
}

// Every place of the schema that accepts the id of a review answers for an AML review as for one
// that does not exist.
func TestConfidentialReviewsLookMissing(t *testing.T) {
	t.Parallel()
	w := newAMLWorld(t, true)
	review, asked := w.openReview(domain.QueueAML), 0
	for _, at := range idArguments(w.schema) {
		place := foreignPlaces[at.String()]
		if !slices.Contains(place.kinds, scalar.KindReview) {
			continue
		}
		for _, by := range uncleared {
			for _, full := range []bool{false, true} {
				asked++
				foreign := w.answerAt(w.schema, at, place, by, review, full)
				nothing := w.answerAt(w.schema, at, place, by, missingID(scalar.KindReview), full)
				if foreign != nothing {
					t.Errorf("%s by %s\nAML:  %s\nnone: %s", at, by, foreign, nothing)
				}
			}
		}
	}
	if asked == 0 {
		t.Error("no place of the schema accepts a review")
	}
}
