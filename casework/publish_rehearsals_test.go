package casework_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// rehearseText records a rehearsal of a proposal over a number of closed cases.
func (env *testEnv) rehearseText(by domain.Actor, proposal domain.ID, cases int) (casework.ProposalResult,
	error) {
	return env.svc.RehearseProposal(env.ctx, by, casework.RehearseProposal{ProposalID: proposal, Closed: cases},
		func(context.Context, domain.Proposal) (domain.RehearsalSums, error) {
			return domain.RehearsalSums{ClosedAsked: cases, Closed: cases, Complete: true,
				RehearsalCounts: domain.RehearsalCounts{Same: cases},
				Stops:           []domain.RehearsedStop{{Node: "x", Cases: 1}},
				Rules:           []domain.RehearsedRule{{Rule: "x", Before: 1}},
				People:          []domain.RehearsedPerson{{Person: by.UserID, CouldBefore: 1}}}, nil
		})
}

func (env *testEnv) reportsOf(proposal domain.ID) []domain.RehearsalReport {
	env.t.Helper()
	p, err := env.db.Reader().Proposal(env.ctx, proposal)
	must(env.t, err)
	reports, err := env.db.Reader().RehearsalReports(env.ctx, p)
	must(env.t, err)
	return reports
}

// publishedAs returns what the event of the newest published version of a process says about rehearsals.
func (env *testEnv) publishedAs(key string) (rehearsed *bool, hashes []string) {
	env.t.Helper()
	bodies := env.queryTexts(`SELECT body FROM events WHERE type = 'definition.published'
		AND case_id = $1 ORDER BY seq DESC LIMIT 1`, domain.DefinitionStream(key).ID)
	var event struct {
		Rehearsed  *bool    `json:"rehearsed"`
		Rehearsals []string `json:"rehearsals"`
	}
	must(env.t, json.Unmarshal([]byte(bodies[0]), &event))
	return event.Rehearsed, event.Rehearsals
}

// A report is of one text: that of a harmless text does not become one of the text that replaces it, and the
// event of the publication names only the reports of the published text.
func TestReportsOfAnotherTextProveNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	harmless := env.proposeProcess(ada, env.slower("3h"))
	recorded, err := env.rehearseText(ada, harmless, 1000)
	must(t, err)
	replaced, err := env.svc.ProposeProcess(env.ctx, ada,
		casework.Propose{Document: env.slower("9h"), Replaces: harmless})
	must(t, err)
	// The report is shown with the other text, of which it is not.
	reports := env.reportsOf(replaced.ProposalID)
	p, err := env.db.Reader().Proposal(env.ctx, replaced.ProposalID)
	must(t, err)
	if len(reports) != 1 || reports[0].SHA256 != recorded.ReportHash || reports[0].TextSHA256 == p.TextSHA256() {
		t.Errorf("reports of the other text: %+v", reports)
	}
	_, err = env.rehearseText(ada, harmless, 1000)
	wantCode(t, err, domain.StateMismatch)
	must(t, env.publishOwned(abe, replaced.ProposalID, ""))
	if rehearsed, hashes := env.publishedAs(p.Key); rehearsed == nil || *rehearsed || len(hashes) != 0 {
		t.Errorf("published with %v %v", rehearsed, hashes)
	}
	// Every report of the published text is named, also the one that its proposer would rather hide.
	again := env.proposeProcess(ada, env.slower("4h"))
	bad, err := env.rehearseText(abe, again, 1000)
	must(t, err)
	good, err := env.rehearseText(ada, again, 10)
	must(t, err)
	must(t, env.publishOwned(abe, again, ""))
	if rehearsed, hashes := env.publishedAs(p.Key); rehearsed == nil || !*rehearsed ||
		!slices.Equal(hashes, []string{bad.ReportHash, good.ReportHash}) {
		t.Errorf("published with %v %v", rehearsed, hashes)
	}
}

// A report has the hashes and the parameters, no case, and few sums if it is of few cases.
func TestReportsSayWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, _ := env.admins()
	proposal := env.proposeProcess(ada, env.slower("3h"))
	for _, cases := range []int{domain.MinDetailedCases - 1, domain.MinDetailedCases} {
		_, err := env.rehearseText(ada, proposal, cases)
		must(t, err)
	}
	reports := env.reportsOf(proposal)
	p, err := env.db.Reader().Proposal(env.ctx, proposal)
	must(t, err)
	for i, report := range reports {
		var text domain.RehearsedText
		must(t, json.Unmarshal([]byte(report.Report), &text))
		if text.TextSHA256 != p.TextSHA256() || text.Base != p.Base || len(text.BaseSHA256) != 64 ||
			text.BaseSHA256 == text.TextSHA256 || text.By != ada.UserID || text.ClosedAsked != text.Closed {
			t.Errorf("the report says %s", report.Report)
		}
		if detailed := len(text.Stops)+len(text.Rules)+len(text.People) > 0; detailed != (i == 1) {
			t.Errorf("sums of %d cases: %s", text.Closed, report.Report)
		}
	}
	for _, statement := range []string{`UPDATE rehearsal_reports SET run_by = $1`,
		`DELETE FROM rehearsal_reports WHERE run_by = $1`,
		`INSERT INTO rehearsal_reports (id, proposal_id, text_sha256, base_sha256, report, sha256, run_by)
			SELECT gen_random_uuid(), proposal_id, base_sha256, base_sha256, report, sha256, $1
			FROM rehearsal_reports LIMIT 1`} {
		if _, err := env.owner.Exec(env.ctx, statement, ada.UserID); err == nil {
			t.Errorf("the database permits: %s", statement)
		}
	}
}

// Owners and administrators record rehearsals, others do not and learn nothing; one person records no flood.
func TestWhoRecordsRehearsals(t *testing.T) {
	t.Parallel()
	env, ada, abe, ann, _ := owned(t, 1)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	proposal := env.proposeProcess(ada, env.slower("3h"))
	foreign := env.proposeProcess(ada, env.processDocument("document_approval", 1))
	for _, by := range []domain.Actor{sam, mia} {
		_, unknown := env.rehearseText(by, domain.NewID(), 10)
		_, known := env.rehearseText(by, proposal, 10)
		if unknown == nil || known == nil || unknown.Error() != known.Error() {
			t.Errorf("another person learns which proposals exist: %v, %v", unknown, known)
		}
	}
	_, err := env.rehearseText(ann, foreign, 10)
	if err == nil {
		t.Error("an owner rehearses the text of another process")
	}
	for range domain.MaxRehearsalReports {
		must(t, errOf(env.rehearseText(ann, proposal, 10)))
	}
	_, err = env.rehearseText(ann, proposal, 10)
	wantCode(t, err, domain.StateMismatch)
	must(t, errOf(env.rehearseText(abe, proposal, 10)))
	// What ended during the rehearsal is not recorded.
	_, err = env.svc.RehearseProposal(env.ctx, abe, casework.RehearseProposal{ProposalID: proposal, Closed: 1},
		func(context.Context, domain.Proposal) (domain.RehearsalSums, error) {
			_, err := env.svc.WithdrawProcess(env.ctx, ada, casework.EndProposal{ProposalID: proposal})
			return domain.RehearsalSums{}, err
		})
	wantCode(t, err, domain.StateMismatch)
	if reports := env.reportsOf(proposal); len(reports) != domain.MaxRehearsalReports+1 {
		t.Errorf("%d reports", len(reports))
	}
}

// A repeated request records once, and two people who rehearse concurrently both record.
func TestConcurrentAndRepeatedRehearsals(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	proposal := env.proposeProcess(ada, env.slower("3h"))
	runs := 0
	request := casework.RehearseProposal{Once: casework.Once{Key: "one"}, ProposalID: proposal, Closed: 10}
	run := func(context.Context, domain.Proposal) (domain.RehearsalSums, error) {
		if runs++; runs == 1 {
			return domain.RehearsalSums{Closed: 10}, errOf(env.rehearseText(abe, proposal, 20))
		}
		return domain.RehearsalSums{}, nil
	}
	first, err := env.svc.RehearseProposal(env.ctx, ada, request, run)
	must(t, err)
	second, err := env.svc.RehearseProposal(env.ctx, ada, request, run)
	must(t, err)
	reports := env.reportsOf(proposal)
	if runs != 1 || first.ReportHash == "" || second.ReportHash != first.ReportHash || len(reports) != 2 ||
		reports[0].By != ada.UserID && reports[1].By != ada.UserID {
		t.Errorf("%d runs, %d reports, %s and %s", runs, len(reports), first.ReportHash, second.ReportHash)
	}
	if strings.Contains(reports[0].Report, "reference") {
		t.Errorf("a report names cases: %s", reports[0].Report)
	}
}
