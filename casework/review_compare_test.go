package casework_test

import (
	"io"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/views"
)

// comparingEnv has a case that kim decided, and one with the same document that lea may decide. lea may
// not read the first.
type comparingEnv struct {
	*testEnv
	sam, sue, kim, lea domain.Actor
	one, two           domain.ID
}

var comparedPage = invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "2000.00")

func newComparingEnv(t *testing.T) *comparingEnv {
	t.Helper()
	env := &comparingEnv{testEnv: newTestEnv(t)}
	env.sam, env.sue = env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	env.kim, env.lea = env.person("kim", domain.RoleL1), env.person("lea", domain.RoleL1)
	env.one = env.submitLines(env.sam, "invoice", comparedPage...)
	env.claim(env.kim, env.one)
	must(t, env.decide(env.kim, env.openReview(env.one).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(env.one, domain.Archived)
	env.two = env.submitLines(env.sue, "invoice", comparedPage...)
	wantCode(t, env.svc.MayRead(env.ctx, env.lea, env.one), domain.NotFound)
	return env
}

func (env *comparingEnv) compare(by domain.Actor, review, other domain.ID) (casework.Comparison, error) {
	return env.svc.CompareCases(env.ctx, by, casework.CompareCases{ReviewID: review,
		Reference: env.caseByID(other).Reference})
}

// refused checks that the comparison and its pages are refused with the refusal, or with the code.
func (env *comparingEnv) refused(name string, by domain.Actor, review, other domain.ID,
	refusal casework.ComparisonRefusal, code domain.Code) {
	env.t.Helper()
	compared, err := env.compare(by, review, other)
	if domain.CodeOf(err) != code || compared.Refusal != refusal || compared.Other.ID != domain.NoID {
		env.t.Errorf("%s: %q of %s, %v", name, compared.Refusal, compared.Other.Reference, err)
	}
	if refusal != "" {
		code = domain.NotPermitted
	}
	opened, err := env.svc.OpenComparedPage(env.ctx, by, casework.CompareCases{ReviewID: review,
		Reference: env.caseByID(other).Reference}, 1)
	if domain.CodeOf(err) != code || opened.Content != nil {
		env.t.Errorf("%s: the page: %v", name, err)
	}
}

// allowed checks that the comparison and its page are opened, and nothing else of the case.
func (env *comparingEnv) allowed(name string, by domain.Actor, review, other domain.ID) {
	env.t.Helper()
	compared, err := env.compare(by, review, other)
	if err != nil || compared.Refusal != "" || compared.Other.ID != other {
		env.t.Fatalf("%s: %+v, %v", name, compared, err)
	}
	opened, err := env.svc.OpenComparedPage(env.ctx, by, casework.CompareCases{ReviewID: review,
		Reference: env.caseByID(other).Reference}, 1)
	must(env.t, err)
	content, err := io.ReadAll(opened.Content)
	must(env.t, err)
	must(env.t, opened.Content.Close())
	if len(content) == 0 {
		env.t.Errorf("%s: the page is empty", name)
	}
}

const (
	notDeciding = casework.ComparisonNotDeciding
	unavailable = casework.ComparisonUnavailable
)

// Who decides the review reads the other document, in both deliveries; the right begins with the claim
// and is no other right to the case.
func TestCompareWithANamedCase(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	review := env.openReview(env.two).ID
	env.refused("before the claim", env.lea, review, env.one, notDeciding, "")
	env.claim(env.lea, env.two)
	for range 2 {
		env.allowed("claimed", env.lea, review, env.one)
	}
	lines := env.queryInt(`SELECT count(*) FROM access_log WHERE actor = $1 AND case_id = $2 AND code = ''
		AND (action, object) IN (('read', $3), ('open', $3 || '/page/1'))`, env.lea.UserID, env.one,
		"comparison/"+review.String()+"/"+env.caseByID(env.one).Reference)
	if lines != 4 {
		t.Errorf("the access log has %d lines", lines)
	}
	wantCode(t, env.svc.MayRead(env.ctx, env.lea, env.one), domain.NotFound)
	for _, kind := range []casework.BlobKind{casework.BlobOriginal, casework.BlobPage,
		casework.BlobManifest, casework.BlobArchiveCopy} {
		_, err := env.svc.OpenBlob(env.ctx, env.lea,
			casework.OpenBlob{CaseID: env.one, Kind: kind, Page: 1})
		wantCode(t, err, domain.NotFound)
	}
	v := env.newViews()
	_, err := v.Case(env.ctx, env.lea, env.one)
	wantCode(t, err, domain.NotFound)
	_, err = v.CaseByReference(env.ctx, env.lea, env.caseByID(env.one).Reference)
	wantCode(t, err, domain.NotFound)
	list, err := v.Cases(env.ctx, env.lea, views.CaseQuery{Limit: 10})
	must(t, err)
	if len(list.Cases) != 1 || list.Cases[0].ID != env.two {
		t.Errorf("the list has %d cases", len(list.Cases))
	}
	_, err = v.Notes(env.ctx, env.lea, env.one, domain.NoID, 10)
	wantCode(t, err, domain.NotFound)
	env.index()
	if found, err := v.Search(env.ctx, env.lea, views.SearchQuery{Text: "Hafen", Limit: 10}); err != nil ||
		len(found.Hits) != 1 {
		t.Errorf("the search finds %+v, %v", found, err)
	}
	env.refused("another reviewer", env.kim, review, env.one, notDeciding, "")
	env.refused("a case that is not named", env.lea, review, env.two, "", domain.NotFound)
}

// The right ends with the claim of the review: by its release, by reassignment, when it expires, and
// with the decision.
func TestComparisonEndsWithTheReview(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*comparingEnv, domain.ID){
		"released": func(env *comparingEnv, _ domain.ID) { env.release(env.lea, env.two) },
		"reassigned": func(env *comparingEnv, review domain.ID) {
			mia := env.person("mia", domain.RoleManager)
			results, err := env.svc.ReassignReviews(env.ctx, mia, casework.ReassignReviews{
				Reviews: []domain.ID{review}, To: env.kim.UserID, Reason: "leave"})
			must(env.t, err)
			must(env.t, results[0].Err)
		},
		"expired": func(env *comparingEnv, _ domain.ID) { env.setClockOffset(3 * time.Hour) },
		"rejected": func(env *comparingEnv, review domain.ID) {
			must(env.t, env.decide(env.lea, review, domain.Reject, "the same document"))
		},
		"returned": func(env *comparingEnv, review domain.ID) {
			must(env.t, env.decide(env.lea, review, domain.Return, "Is it the same document?"))
		},
		"escalated": func(env *comparingEnv, review domain.ID) {
			env.person("lars", domain.RoleL2)
			must(env.t, env.decide(env.lea, review, domain.Escalate, "the landlord"))
		},
		"the queue is taken away": func(env *comparingEnv, _ domain.ID) {
			_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{
				User: domain.User{ID: env.lea.UserID, Email: "lea@example.com", Name: "lea",
					Roles: []domain.Role{domain.RoleL1}}})
			must(env.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newComparingEnv(t)
			review := env.claim(env.lea, env.two).ID
			env.allowed("before", env.lea, review, env.one)
			end(env, review)
			compared, err := env.compare(env.lea, review, env.one)
			if err == nil && compared.Refusal != notDeciding || err != nil &&
				!domain.HasCode(err, domain.NotFound) || compared.Other.ID != domain.NoID {
				t.Errorf("%+v, %v", compared, err)
			}
			_, err = env.svc.OpenComparedPage(env.ctx, env.lea, casework.CompareCases{ReviewID: review,
				Reference: env.caseByID(env.one).Reference}, 1)
			if !domain.HasCode(err, domain.NotPermitted) && !domain.HasCode(err, domain.NotFound) {
				t.Errorf("the page: %v", err)
			}
		})
	}
}

// A submitter who is also a reviewer copies the document of another to read its case. They get no
// answer about what the finding names, also on their own document's review.
func TestSubmitterCraftsADuplicate(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	eve := env.person("eve", domain.RoleL1, domain.RoleSubmitter)
	mine := env.submitLines(eve, "invoice", comparedPage...)
	review := env.openReview(mine).ID
	_, err := env.svc.ClaimReview(env.ctx, eve, casework.ReviewTarget{ReviewID: review})
	wantCode(t, err, domain.OwnDocument)
	env.refused("a named case", eve, review, env.one, "", domain.NotFound)
	env.refused("another case", eve, review, env.two, "", domain.NotFound)
	// The other document is eve's own: she reads it as its submitter only.
	third := env.submitLines(env.sam, "invoice", comparedPage...)
	claimed := env.claim(eve, third)
	named := env.finding(third, "duplicate_number").NamedCases()
	if len(named) < 2 {
		t.Fatalf("the finding names %v", named)
	}
	env.refused("eve's own", eve, claimed.ID, mine, unavailable, "")
	env.allowed("a colleague's", eve, claimed.ID, env.one)
}

// The other document is of a party with which the reviewer has a conflict of interest: the same pages
// and number under another name.
func TestComparisonWithAConflict(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	page := func(vendor string) []string { return invoicePage(vendor, "KS-998877", "2026-11-03", "2100.00") }
	env.reader.image = 0x5555aaaa5555aaaa
	other := env.submitLines(env.sam, "invoice", page("Kontor Süd GmbH")...)
	env.claim(env.kim, other)
	must(t, env.decide(env.kim, env.openReview(other).ID, domain.Approve, ""))
	env.drainQueue()
	copied := env.submitLines(env.sue, "invoice", page("Hafen Logistik GmbH")...)
	review := env.claim(env.lea, copied).ID
	env.allowed("before", env.lea, review, other)
	must(t, errOf(env.svc.DeclareConflict(env.ctx, env.lea, casework.DeclareConflict{
		Person: env.lea.UserID, Party: "Kontor Süd GmbH", Reason: "family"})))
	if at := env.openReview(copied); at.Assignee != env.lea.UserID {
		t.Fatalf("the claim was released: %+v", at)
	}
	env.refused("conflict", env.lea, review, other, unavailable, "")
}

// A token needs both scopes: the right comes from deciding.
func TestComparisonByToken(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	review := env.claim(env.lea, env.two).ID
	token := env.lea
	token.Scopes = []string{string(domain.ActRead)}
	env.refused("read only", token, review, env.one, notDeciding, "")
	token.Scopes = []string{string(domain.ActDecide)}
	env.refused("decide only", token, review, env.one, "", domain.NotPermitted)
	token.Scopes = []string{string(domain.ActRead), string(domain.ActDecide)}
	env.allowed("both", token, review, env.one)
}

// A delegate compares while they may decide on behalf of the delegator, unless the delegator submitted
// the other document.
func TestComparisonByADelegate(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	lars := env.person("lars", domain.RoleL2)
	review := env.openReview(env.two).ID
	delegation := env.delegate(env.lea, lars, domain.Scope{})
	_, err := env.svc.ClaimReview(env.ctx, onBehalfOf(lars, env.lea),
		casework.ReviewTarget{ReviewID: review})
	must(t, err)
	env.allowed("on behalf of lea", lars, review, env.one)
	env.refused("the delegator did not claim", env.lea, review, env.one, notDeciding, "")
	must(t, env.svc.EndDelegation(env.ctx, env.lea, casework.EndDelegation{ID: delegation}))
	env.refused("ended", lars, review, env.one, "", domain.NotFound)
}

// A finding gives the right only while it exists: not after the pair was cleared, but while it is
// overridden. The right is not transitive.
func TestComparisonFollowsTheFindings(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	review := env.claim(env.lea, env.two).ID
	env.allowed("named", env.lea, review, env.one)
	zed := env.submitLines(env.sam, "invoice",
		invoicePage("Kontor Nord GmbH", "ZZ-1000", "2026-10-01", "2700.00")...)
	env.nameInFinding(env.one, zed)
	env.refused("the chain", env.lea, review, zed, "", domain.NotFound)
	_, err := env.svc.ClearDuplicate(env.ctx, env.lea, casework.ClearDuplicate{
		ReviewTarget: casework.ReviewTarget{ReviewID: review},
		Reference:    env.caseByID(env.one).Reference, Reason: "a part delivery"})
	must(t, err)
	env.refused("cleared", env.lea, review, env.one, "", domain.NotFound)
}

// What an AML reviewer compares is in the accesses of their own case only: readers of the other case
// would conclude from it that a case which names it is in an AML review.
func TestComparisonOfAConfidentialReview(t *testing.T) {
	t.Parallel()
	inner, id, al := newAMLEnv(t)
	env := &comparingEnv{testEnv: inner}
	one := env.invoiceInReview(env.person("sue", domain.RoleSubmitter))
	env.nameInFinding(id, one)
	review := env.openReview(id).ID
	env.refused("a manager", env.person("mia", domain.RoleManager), review, one, "", domain.NotFound)
	env.refused("unclaimed", al, review, one, notDeciding, "")
	env.claim(al, id)
	opened := func() bool {
		found, err := env.db.Reader().HasOpened(env.ctx, one, al.UserID)
		must(t, err)
		return found
	}
	if opened() {
		t.Error("a refused comparison ends the blindness of a sample")
	}
	env.allowed("the AML team", al, review, one)
	if !opened() {
		t.Error("a comparison in an AML review leaves the person blind for a sample of the compared case")
	}
	const lines = `SELECT count(*) FROM access_log WHERE actor = $1 AND case_id = $2
		AND object LIKE 'comparison/%'`
	if own, other := env.queryInt(lines, al.UserID, id), env.queryInt(lines, al.UserID, one); own != 4 ||
		other != 0 {
		t.Errorf("%d lines about the AML case, %d about the other one", own, other)
	}
}

// nameInFinding adds a finding to the case that names another one.
func (env *comparingEnv) nameInFinding(id, named domain.ID) {
	env.t.Helper()
	env.change(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message, evidence,
		revision, rule_set) SELECT $1, 'validate', 'chain', 1, 'info', 0, '', jsonb_build_object('cases',
		$2::text), 1, 'x'`, id, env.caseByID(named).Reference)
}

// A finding about a split amount names the earlier documents of the party; one that no person decided is
// compared too, without a name.
func TestComparisonOfASplitAmount(t *testing.T) {
	t.Parallel()
	env := &comparingEnv{testEnv: newTestEnv(t)}
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.approvedBefore("Acme GmbH", "invoice", einvoice.Account)
	first := env.submitInvoice(sam, "Acme GmbH", "INV-1001", 90000)
	env.requireState(first, domain.Archived)
	second := env.submitInvoice(sam, "Acme GmbH", "INV-2002", 90000)
	if named := env.finding(second, "split_small").NamedCases(); !slices.Contains(named,
		env.caseByID(first).Reference) {
		t.Fatalf("the finding names %v", named)
	}
	review := env.claim(lea, second).ID
	env.allowed("split", lea, review, first)
	seen, err := env.newViews().ComparisonCase(env.ctx, lea, env.caseByID(first))
	must(t, err)
	if seen.Status != domain.Archived || len(seen.DecidedBy) != 0 || len(seen.Fields) == 0 {
		t.Errorf("compared: %+v", seen)
	}
}

// A finding that says why a case needs an AML review is not seen by other reviewers and gives them no
// right.
func TestComparisonByAConfidentialFinding(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	env.reader.xml = invoiceXML("2000.00", "R-1")
	remittance := env.submitTo(env.sue, "cross_border_remittance", "remittance", "r-1")
	env.drainQueue()
	if queue := env.openReview(remittance).Queue; queue != domain.QueueL1 {
		t.Fatalf("the remittance is in the queue %s", queue)
	}
	env.nameInFinding(remittance, env.one)
	review := env.claim(env.lea, remittance).ID
	env.allowed("a finding of another rule", env.lea, review, env.one)
	env.change(`UPDATE findings SET rule = 'high_risk_country' WHERE rule = 'chain'`)
	env.refused("a confidential finding", env.lea, review, env.one, "", domain.NotFound)
}

// An erased case is not opened. A review that does not exist and one that the caller may not read look
// the same.
func TestComparisonWithoutAnObject(t *testing.T) {
	t.Parallel()
	env := newComparingEnv(t)
	review := env.claim(env.lea, env.two).ID
	lars := env.person("lars", domain.RoleL2)
	env.refused("a foreign review", lars, review, env.one, "", domain.NotFound)
	env.refused("a missing review", lars, domain.NewID(), env.one, "", domain.NotFound)
	env.refused("its submitter", env.sue, review, env.one, "", domain.NotFound)
	env.refused("the other submitter", env.sam, review, env.one, "", domain.NotFound)
	env.asAdmin(`UPDATE cases SET erased_at = clock() WHERE id = '` + env.one.String() + `'`)
	env.refused("erased", env.lea, review, env.one, unavailable, "")
	if n := env.queryInt(`SELECT count(*) FROM access_log WHERE action = 'compare' AND code <> ''`); n < 8 {
		t.Errorf("%d refusals are logged", n)
	}
}
