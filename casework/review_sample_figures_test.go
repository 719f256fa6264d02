package casework_test

import (
	"math"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// approvedAfter returns an invoice that a reviewer approved so long after claiming it.
func (env *testEnv) approvedAfter(
	submitter, reviewer domain.Actor, number, total string, after time.Duration,
) domain.ID {
	env.t.Helper()
	env.reader.xml = invoiceXML(total, number)
	id := env.submit(submitter, number)
	env.drainQueue()
	review := env.claim(reviewer, id)
	env.setClockOffset(env.clockOffset + after)
	must(env.t, env.decide(reviewer, review.ID, domain.Approve, "checked"))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	return id
}

// caseOfSample returns the case of a sample.
func (env *testEnv) caseOfSample(sample domain.ID) domain.ID {
	env.t.Helper()
	for id, found := range env.samples() {
		if found.ID == sample {
			return id
		}
	}
	env.t.Fatalf("no sample %s", sample)
	return domain.NoID
}

// drawnWith changes the probability with which a sample was drawn, as the owner of the schema, so
// that the weights of the figures are known.
func (env *testEnv) drawnWith(sample domain.ID, probability float64) {
	env.t.Helper()
	tx, err := env.owner.Begin(env.ctx)
	must(env.t, err)
	defer func() { _ = tx.Rollback(env.ctx) }()
	_, err = tx.Exec(env.ctx, `ALTER TABLE quality_samples DISABLE TRIGGER samples_stay`)
	must(env.t, err)
	_, err = tx.Exec(env.ctx, `UPDATE quality_samples SET probability = $2 WHERE id = $1`, sample,
		probability)
	must(env.t, err)
	_, err = tx.Exec(env.ctx, `ALTER TABLE quality_samples ENABLE TRIGGER samples_stay`)
	must(env.t, err)
	must(env.t, tx.Commit(env.ctx))
}

// near fails the test unless two figures are equal, apart from rounding.
func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// requireGroup fails the test unless a group has these numbers of checks and disagreements.
func requireGroup(t *testing.T, figures views.QualityFigures, kind views.QualityGroupKind,
	key string, checked, disagreed int) {
	t.Helper()
	for _, group := range figures.Groups {
		if group.Kind == kind && group.Key == key {
			if group.Checked != checked || group.Disagreed != disagreed {
				t.Errorf("%s %s: %d checked, %d disagreed", kind, key, group.Checked,
					group.Disagreed)
			}
			return
		}
	}
	t.Errorf("no group %s %s in %+v", kind, key, figures.Groups)
}

// Seven approved invoices with known weights: five have a blind result, two of them wrong and one
// overruled, one was checked by a manager, one is open. The figures equal those computed by hand:
// weights 1, 2, 4, 5, 1 of which 2 and 1 are wrong, so the rate is 3/13. The effective number is
// 13²/47, and the bound was computed by integrating the beta distribution numerically.
func TestFiguresOfWrongCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	lea, lars := env.person("lea", domain.RoleL1), env.person("lars", domain.RoleL1)
	cid, tia, max := env.person("cid", domain.RoleSenior), env.person("tia", domain.RoleSenior),
		env.person("max", domain.RoleManager)
	otto := env.person("otto", domain.RoleAuditor)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	env.approvedAfter(sue, lars, "F-0", "900.00", 30*time.Second) // 990.00 USD
	for _, number := range []string{"F-1", "F-2", "F-3", "F-4", "F-5"} {
		env.approvedAfter(sam, lea, number, "1200.00", time.Minute)
	}
	env.approvedAfter(sam, lars, "F-6", "1200.00", 2*time.Minute)
	env.draw()
	if len(env.samples()) != 7 {
		t.Fatalf("%d samples", len(env.samples()))
	}
	known := env.take(max) // not blind
	_, err := env.svc.CheckSample(env.ctx, max, env.asArchived(known, env.caseOfSample(known)))
	must(t, err)
	env.drawnWith(known, 0.5)
	rights := map[domain.ID]bool{} // of disputed samples
	for _, row := range []struct {
		probability float64
		field       string // that the checker reads differently
		right       bool
	}{{1, "", true}, {0.5, "total", false}, {0.25, "", true}, {0.2, "total", true},
		{1, "vendor", false}} {
		sample := env.take(cid)
		in := env.asArchived(sample, env.caseOfSample(sample))
		if row.field != "" {
			value := map[string]string{"total": "21.00", "vendor": "Other Ltd"}[row.field]
			in = env.asArchived(sample, env.caseOfSample(sample), row.field, value)
			rights[sample] = row.right
		}
		env.setClockOffset(env.clockOffset + 90*time.Second)
		_, err := env.svc.CheckSample(env.ctx, cid, in)
		must(t, err)
		env.drawnWith(sample, row.probability)
	}
	last := env.take(cid) // the only open one, so that the others are for the third person
	for range 3 {
		sample := env.take(tia)
		_, err := env.svc.SettleSample(env.ctx, tia, casework.SettleSample{
			SampleTarget:    casework.SampleTarget{SampleID: sample},
			ArchivedRightly: rights[sample], Reason: "compared with the document"})
		must(t, err)
	}
	must(t, errOf(env.svc.ReleaseSample(env.ctx, cid, casework.SampleTarget{SampleID: last})))
	if env.take(cid) != last {
		t.Error("another sample after a release")
	}
	env.setClockOffset(env.clockOffset + 3*time.Hour) // lets it expire
	figures, err := env.newViews().QualityFigures(env.ctx, otto, 30)
	must(t, err)
	approved := figures.Strata[1]
	near(t, "the rate", approved.Rate, 3.0/13)
	near(t, "the effective number", approved.Effective, 169.0/47)
	near(t, "the bound", approved.Bound, handComputedBound)
	near(t, "the worst rate", approved.WorstRate, (3.0+2+1)/(13+2+1))
	if approved.Archived != 7 || approved.Drawn != 7 || approved.Samples != 5 ||
		approved.Wrong != 2 || approved.NotBlind != 1 || approved.NotBlindWrong != 0 ||
		approved.Overruled != 1 || approved.Open != 1 || approved.OldestOpen.IsZero() ||
		approved.WithoutShare != 0 {
		t.Errorf("approved %+v", approved)
	}
	requireGroup(t, figures, views.QualityByField, "total", 5, 2)
	requireGroup(t, figures, views.QualityByField, "vendor", 5, 1)
	requireGroup(t, figures, views.QualityByField, "currency", 5, 0)
	requireGroup(t, figures, views.QualityBySource, string(domain.SourceXML), 30, 3)
	requireGroup(t, figures, views.QualityByQueue, domain.QueueL1, 5, 3)
	requirePairs(t, figures, map[[2]domain.ID][4]float64{
		{sue.UserID, lars.UserID}: {1, 1, 30, 1},
		{sam.UserID, lea.UserID}:  {5, 5.0 / 6, 60, 0},
		{sam.UserID, lars.UserID}: {1, 1.0 / 6, 120, 0}})
	env.requireCheckers(figures, map[domain.ID][6]int64{
		max.UserID: {1, 0, 0, 0, 0, 0}, cid.UserID: {5, 3, 0, 0, 1, 1},
		tia.UserID: {0, 0, 3, 1, 0, 0}})
}

// handComputedBound solves I(p; 39/47 + 1, 169/47 - 39/47) = 0.95.
const handComputedBound = 0.762914182

// requirePairs compares documents, share, seconds and share near a mark of each pair. Seconds may be
// more by the time that the test takes.
func requirePairs(t *testing.T, figures views.QualityFigures,
	want map[[2]domain.ID][4]float64) {
	t.Helper()
	if len(figures.Pairs) != len(want) {
		t.Errorf("%d pairs", len(figures.Pairs))
	}
	for _, pair := range figures.Pairs {
		row := want[[2]domain.ID{pair.Submitter, pair.Reviewer}]
		near(t, "documents", float64(pair.Documents), row[0])
		near(t, "the share of documents", pair.Share, row[1])
		if pair.Seconds < row[2] || pair.Seconds > row[2]+20 {
			t.Errorf("decided after %v s, want %v", pair.Seconds, row[2])
		}
		near(t, "the share near a mark", pair.NearMark, row[3])
	}
}

// requireCheckers compares checks, disagreements, settlements, confirmations, releases and expired
// samples of each person.
func (env *testEnv) requireCheckers(figures views.QualityFigures, want map[domain.ID][6]int64) {
	env.t.Helper()
	if len(figures.Checkers) != len(want) {
		env.t.Errorf("checkers %+v", figures.Checkers)
	}
	for _, c := range figures.Checkers {
		got := [6]int64{c.Checked, c.Disagreed, c.Settled, c.Confirmed, c.Released, c.Expired}
		if got != want[c.Person] {
			env.t.Errorf("%s: %v, want %v", c.Person, got, want[c.Person])
		}
		if c.Checked > 1 && (c.Seconds < 90 || c.Seconds > 110) {
			env.t.Errorf("checked after %v s", c.Seconds)
		}
	}
}

// A share of 0 does not make cases vanish: the figures count those that could not be drawn, and the
// shares with both persons.
func TestFiguresShowAShareOfZero(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam, otto := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin),
		env.person("otto", domain.RoleAuditor)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.drawAll(ada, adam)
	env.approvedAfter(sam, lea, "Z-1", "1200.00", 0)
	proposed, err := env.svc.ProposeSampleShare(env.ctx, ada, casework.ProposeSampleShare{
		Process: "document_approval", Stratum: domain.StratumApproved, Reason: "less work"})
	must(t, err)
	must(t, env.confirm(adam, proposed.ProposalID))
	env.approvedAfter(sam, lea, "Z-2", "1200.00", 0)
	env.draw()
	figures, err := env.newViews().QualityFigures(env.ctx, otto, 30)
	must(t, err)
	if s := figures.Strata[1]; s.Archived != 2 || s.Drawn != 1 || s.WithoutShare != 1 ||
		s.Open != 1 || s.WorstRate != 1 || s.Bound != 1 {
		t.Errorf("approved %+v", s)
	}
	if len(figures.Shares) != 3 || figures.Shares[0].Millionths != 0 ||
		figures.Shares[0].ProposedBy != ada.UserID || figures.Shares[0].SetBy != adam.UserID {
		t.Errorf("shares %+v", figures.Shares)
	}
	shares, err := env.newViews().SampleShares(env.ctx, ada)
	must(t, err)
	for _, share := range shares {
		want := map[domain.Stratum]int{domain.StratumStraight: 20_000, domain.StratumApproved: 10_000}
		if share.Process == "document_approval" {
			want = map[domain.Stratum]int{domain.StratumStraight: 1_000_000}
		}
		if share.Millionths != want[share.Stratum] {
			t.Errorf("share %+v", share)
		}
	}
	_, err = env.newViews().SampleShares(env.ctx, lea)
	wantCode(t, err, domain.NotPermitted)
}

// A person who submitted a document does not learn from a number or an event that it was drawn, and
// a checker cannot remove what was noted about an assignment.
func TestOwnDocumentsDoNotShowInFigures(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	mona, lea := env.person("mona", domain.RoleSubmitter, domain.RoleManager),
		env.person("lea", domain.RoleL1)
	max, otto := env.person("max", domain.RoleManager), env.person("otto", domain.RoleAuditor)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	env.archivedBy(mona, lea, "Y-1")
	env.draw()
	reading := env.newViews()
	for _, row := range []struct {
		by    domain.Actor
		drawn int64
	}{{mona, 0}, {max, 1}} {
		figures, err := reading.QualityFigures(env.ctx, row.by, 30)
		must(t, err)
		if s := figures.Strata[1]; s.Drawn != row.drawn || s.Archived != 1 ||
			int64(s.Open) != row.drawn {
			t.Errorf("%s: %+v", row.by.Name, s)
		}
		_, err = reading.MayWatch(env.ctx, row.by, domain.QualityStream.ID)
		wantCode(t, err, domain.NotFound)
	}
	_, err := reading.MayWatch(env.ctx, otto, domain.QualityStream.ID)
	must(t, err)
	sample := env.take(env.person("lia", domain.RoleL1))
	for _, sql := range []string{`DELETE FROM quality_assignments`,
		`UPDATE quality_assignments SET ended = 'checked', ended_at = clock()`,
		`INSERT INTO quality_assignments (sample_id, person, settles, assigned_at)
			VALUES ('` + sample.String() + `', gen_random_uuid(), false, clock())`} {
		if _, err := env.appPool().Exec(env.ctx, sql); err == nil {
			t.Errorf("allowed: %s", sql)
		}
	}
}
