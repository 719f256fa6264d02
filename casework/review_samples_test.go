package casework_test

import (
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// drawAll makes every archived document approval be drawn from now on.
func (env *testEnv) drawAll(ada, adam domain.Actor) {
	env.t.Helper()
	env.drawAllOf("document_approval", ada, adam)
}

// drawAllOf makes every archived case of the process be drawn from now on.
func (env *testEnv) drawAllOf(process string, ada, adam domain.Actor) {
	env.t.Helper()
	for _, stratum := range []domain.Stratum{domain.StratumStraight, domain.StratumApproved} {
		proposed, err := env.svc.ProposeSampleShare(env.ctx, ada, casework.ProposeSampleShare{
			Process: process, Stratum: stratum, Millionths: 1_000_000, Reason: "audit"})
		must(env.t, err)
		must(env.t, env.confirm(adam, proposed.ProposalID))
	}
}

// archivedStraight returns a receipt that was archived without a person.
func (env *testEnv) archivedStraight(by domain.Actor) domain.ID {
	env.t.Helper()
	env.replaceRate("MYR", 240_000)
	id := env.submitPages(by, "receipt", receiptLines("RM"), nil)
	env.requireState(id, domain.Archived)
	return id
}

// archivedBy returns an invoice that was approved by a reviewer and archived.
func (env *testEnv) archivedBy(submitter, reviewer domain.Actor, number string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = invoiceXML("120.00", number), nil
	env.reader.mu.Unlock()
	id := env.submit(submitter, number)
	env.drainQueue()
	must(env.t, env.claimAndDecide(reviewer, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	return id
}

func (env *testEnv) draw() {
	env.t.Helper()
	_, err := env.svc.DrawSamples(env.ctx)
	must(env.t, err)
}

// samples returns all samples by their case.
func (env *testEnv) samples() map[domain.ID]domain.Sample {
	env.t.Helper()
	list, err := env.db.Reader().Samples(env.ctx, store.SampleQuery{Confidential: true, Limit: 100})
	must(env.t, err)
	byCase := map[domain.ID]domain.Sample{}
	for _, sample := range list {
		byCase[sample.CaseID] = sample
	}
	return byCase
}

// sampleOf returns the sample of a case.
func (env *testEnv) sampleOf(id domain.ID) domain.ID {
	env.t.Helper()
	var sample domain.ID
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT id FROM quality_samples WHERE case_id = $1`,
		id).Scan(&sample))
	return sample
}

func (env *testEnv) take(by domain.Actor) domain.ID {
	env.t.Helper()
	taken, err := env.svc.TakeSample(env.ctx, by, casework.Once{})
	must(env.t, err)
	return taken.SampleID
}

// checked returns the command for a sample with the values of the receipt, changed by pairs.
func checked(sample domain.ID, approves bool, pairs ...string) casework.CheckSample {
	values := map[string]string{"vendor": "Green Hill Stationery Sdn Bhd", "date": "14/10/2026",
		"total": "174.90", "currency": "MYR"}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	in := casework.CheckSample{SampleTarget: casework.SampleTarget{SampleID: sample},
		Approves: approves}
	for name, value := range values {
		in.Values = append(in.Values, casework.FieldInput{Name: name, Value: value})
	}
	return in
}

// The check of a receipt that all agree on ends; each archived case is drawn once, however often
// and by however many processes, and nothing is added to its events, its row or its manifest.
func TestSampleThatAgreesEnds(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedStraight(sam)
	before := env.caseByID(id)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() { _, _ = env.svc.DrawSamples(env.ctx) })
	}
	group.Wait()
	env.draw()
	sample := env.samples()[id]
	if sample.Stratum != domain.StratumStraight || sample.Probability != 1 ||
		len(env.samples()) != 1 {
		t.Fatalf("samples %+v", env.samples())
	}
	for range 2 {
		if env.take(sid) != sample.ID {
			t.Error("the sample was not kept")
		}
	}
	done, err := env.svc.CheckSample(env.ctx, sid, checked(sample.ID, true))
	must(t, err)
	if done.Status != domain.SampleAgreed {
		checks, _ := env.db.Reader().SampleChecks(env.ctx, sample.ID)
		t.Fatalf("%+v: %+v", done, checks)
	}
	checks, err := env.db.Reader().SampleChecks(env.ctx, sample.ID)
	must(t, err)
	if len(checks) != 1 || !checks[0].Blind || checks[0].Person != sid.UserID {
		t.Errorf("checks %+v", checks)
	}
	_, err = env.svc.CheckSample(env.ctx, sid, checked(sample.ID, true))
	wantCode(t, err, domain.NotFound)
	if after := env.caseByID(id); after.Version != before.Version ||
		after.LastSeq != before.LastSeq || after.ManifestKey != before.ManifestKey {
		t.Errorf("the archived case changed: %+v", after)
	}
	if got, want := env.eventsOf("quality"), "quality.drawn quality.checked"; got != want {
		t.Errorf("events %s", got)
	}
	counts, err := env.db.Reader().ArchivedCounts(env.ctx, domain.NoID, []string{},
		time.Time{})
	must(t, err)
	if len(counts) != 1 || counts[0].Archived != 1 || counts[0].Drawn != 1 {
		t.Errorf("counted %+v", counts)
	}
}

// A share changes by two persons only: neither one administrator, nor the service layer without a
// confirmed proposal, makes the sample smaller.
func TestSampleSharesNeedTwoPersons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	none := casework.ProposeSampleShare{Process: "document_approval",
		Stratum: domain.StratumStraight, Reason: "less work"}
	proposed, err := env.svc.ProposeSampleShare(env.ctx, ada, none)
	must(t, err)
	wantCode(t, env.confirm(ada, proposed.ProposalID), domain.FourEyes)
	_, err = env.svc.ProposeSampleShare(env.ctx, env.person("mia", domain.RoleManager), none)
	wantCode(t, err, domain.NotPermitted)
	app := env.appPool()
	_, err = app.Exec(env.ctx, `INSERT INTO sample_shares (process, stratum, version, millionths,
		reason, set_by, proposal_id) VALUES ('document_approval', 'straight', 1, 0, 'x', $1, $2)`,
		ada.UserID, proposed.ProposalID)
	if err == nil {
		t.Error("the database took a share without a second person")
	}
	must(t, env.confirm(adam, proposed.ProposalID))
	share, err := env.db.Reader().SampleShare(env.ctx, "document_approval",
		domain.StratumStraight)
	must(t, err)
	if share.Version != 1 || share.Millionths != 0 {
		t.Errorf("share %+v", share)
	}
	for _, bad := range []casework.ProposeSampleShare{
		{Process: "none", Stratum: domain.StratumStraight, Reason: "x"},
		{Process: "document_approval", Stratum: "all", Reason: "x"},
		{Process: "document_approval", Stratum: domain.StratumApproved, Millionths: 1_000_001,
			Reason: "x"}} {
		_, err := env.svc.ProposeSampleShare(env.ctx, ada, bad)
		wantCode(t, err, domain.InvalidInput)
	}
	env.verifyStream(domain.ControlStream, 2+1)
}

// The share at the time of the archive counts, not a later one.
func TestShareAtTheTimeOfTheArchiveCounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	sam := env.person("sam", domain.RoleSubmitter)
	env.drawAll(ada, adam)
	id := env.archivedStraight(sam)
	proposed, err := env.svc.ProposeSampleShare(env.ctx, ada, casework.ProposeSampleShare{
		Process: "document_approval", Stratum: domain.StratumStraight, Reason: "less work"})
	must(t, err)
	must(t, env.confirm(adam, proposed.ProposalID))
	env.draw()
	if _, drawn := env.samples()[id]; !drawn {
		t.Error("a later share spared an archived case")
	}
}

// People who took part in a case cannot check it, and neither can people without a right or limit
// for it, on behalf of others, or with a conflict.
func TestWhoCannotCheckASample(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter, domain.RoleL1),
		env.person("lea", domain.RoleL1)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedBy(sam, lea, "R-1")
	env.draw()
	sample := env.samples()[id]
	if sample.Stratum != domain.StratumApproved || sample.Queue != domain.QueueL1 {
		t.Fatalf("sample %+v", sample)
	}
	conflicted := env.person("cora", domain.RoleL1)
	_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: conflicted.UserID, Party: "Muster Werke GmbH", Reason: "shares"})
	must(t, err)
	released := env.person("rita", domain.RoleL1)
	for name, actor := range map[string]domain.Actor{"submitter": sam, "decider": lea,
		"auditor": env.person("otto", domain.RoleAuditor), "conflict": conflicted,
		"administrator": env.person("anna", domain.RoleAdmin), "other queue": env.amlOfficer("al"),
		"only a submitter": env.person("sue", domain.RoleSubmitter)} {
		if _, err := env.svc.TakeSample(env.ctx, actor, casework.Once{}); !domain.HasCode(err,
			domain.NothingToClaim) {
			t.Errorf("%s: %v", name, err)
		}
	}
	onBehalf := released
	onBehalf.OnBehalfOf = conflicted.UserID
	_, err = env.svc.TakeSample(env.ctx, onBehalf, casework.Once{})
	wantCode(t, err, domain.NotPermitted)
	// A person without the sample cannot check it, settle it or open its pages.
	_, err = env.svc.CheckSample(env.ctx, released, checked(sample.ID, true))
	wantCode(t, err, domain.NotFound)
	page := casework.OpenBlob{CaseID: id, Kind: casework.BlobPage, Page: 1}
	_, err = env.svc.OpenBlob(env.ctx, released, page)
	wantCode(t, err, domain.NotFound)
	env.take(released)
	opened, err := env.svc.OpenBlob(env.ctx, released, page)
	must(t, err)
	must(t, opened.Content.Close())
	for _, kind := range []casework.BlobKind{casework.BlobOriginal, casework.BlobManifest,
		casework.BlobArchiveCopy} {
		_, err = env.svc.OpenBlob(env.ctx, released, casework.OpenBlob{CaseID: id, Kind: kind})
		wantCode(t, err, domain.NotFound)
	}
	wantCode(t, env.svc.MayRead(env.ctx, released, id), domain.NotFound)
	_, err = env.svc.SettleSample(env.ctx, released, casework.SettleSample{
		SampleTarget: casework.SampleTarget{SampleID: sample.ID}, Reason: "wrong"})
	wantCode(t, err, domain.StateMismatch)
	// What the checker opened is not among the accesses of the case.
	if n := env.queryInt(`SELECT count(*) FROM access_log WHERE case_id = $1 AND actor = $2
		AND code = ''`, id, released.UserID); n != 0 {
		t.Errorf("%d accesses of the case", n)
	}
	_, err = env.svc.ReleaseSample(env.ctx, released,
		casework.SampleTarget{SampleID: sample.ID})
	must(t, err)
	_, err = env.svc.OpenBlob(env.ctx, released, page)
	wantCode(t, err, domain.NotFound)
}

// A sample expires, and a person with a limit below the amount does not get it.
func TestSampleLeaseAndLimit(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea, sid := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1),
		env.person("sid", domain.RoleSenior)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedStraight(sam)
	env.draw()
	env.take(lea)
	_, err := env.svc.TakeSample(env.ctx, sid, casework.Once{})
	wantCode(t, err, domain.NothingToClaim)
	env.setClockOffset(env.clockOffset + 3*time.Hour)
	if env.take(sid) != env.samples()[id].ID {
		t.Error("another sample")
	}
	_, err = env.svc.CheckSample(env.ctx, lea, checked(env.samples()[id].ID, true))
	wantCode(t, err, domain.NotFound)
	env.setClockOffset(env.clockOffset + 3*time.Hour)
	_, err = env.owner.Exec(env.ctx, `UPDATE limits SET base_minor = 1000
		WHERE role = 'reviewer_l1'`)
	must(t, err)
	_, err = env.svc.TakeSample(env.ctx, lea, casework.Once{})
	wantCode(t, err, domain.NothingToClaim)
}

// A checker who opened the case gets no blind check of it, and one who opens it during the check, or
// may read every case, is named as not blind.
func TestChecksOfPeopleWhoSawTheCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia, max := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager),
		env.person("max", domain.RoleManager)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedStraight(sam)
	env.draw()
	env.svc.RecordRead(mia, id, "case")
	_, err := env.svc.TakeSample(env.ctx, mia, casework.Once{})
	wantCode(t, err, domain.NothingToClaim)
	sample := env.take(max)
	_, err = env.svc.CheckSample(env.ctx, max, checked(sample, true))
	must(t, err)
	checks, err := env.db.Reader().SampleChecks(env.ctx, sample)
	must(t, err)
	if checks[0].Blind {
		t.Error("a manager counts as blind")
	}
}

// Disagreement about a value or the verdict goes to a third person. A wrong case gets a correction
// case that waits for a review, which neither the first submitter nor the third person decides.
func TestWrongArchivedCaseIsCorrected(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea, sid := env.person("sam", domain.RoleSubmitter, domain.RoleL1),
		env.person("lea", domain.RoleL1), env.person("sid", domain.RoleSenior)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedStraight(sam)
	before, manifest := env.caseByID(id), env.readManifest(id)
	env.draw()
	sample := env.take(lea)
	done, err := env.svc.CheckSample(env.ctx, lea, checked(sample, true, "total", "114.90"))
	must(t, err)
	if done.Status != domain.SampleDisputed {
		t.Fatalf("%+v", done)
	}
	_, err = env.svc.TakeSample(env.ctx, lea, casework.Once{})
	wantCode(t, err, domain.NothingToClaim)
	settle := casework.SettleSample{SampleTarget: casework.SampleTarget{SampleID: sample}}
	env.take(sid)
	_, err = env.svc.SettleSample(env.ctx, sid, settle)
	wantCode(t, err, domain.ValidationFailed)
	settle.Reason = "the total is 114.90"
	settle.Once.Key = "once"
	done, err = env.svc.SettleSample(env.ctx, sid, settle)
	must(t, err)
	again, err := env.svc.SettleSample(env.ctx, sid, settle)
	must(t, err)
	if again != done || done.Status != domain.SampleWrong {
		t.Errorf("settled %+v, then %+v", done, again)
	}
	env.drainQueue()
	env.requireState(done.CorrectionID, domain.InReview, "review_l1")
	correction := env.caseByID(done.CorrectionID)
	if correction.ProcessKey != before.ProcessKey || correction.Submitter != sid.UserID ||
		env.finding(correction.ID, domain.RuleCorrection) == nil {
		t.Errorf("correction %+v", correction)
	}
	for _, excluded := range []domain.Actor{sam, sid} {
		_, err = env.svc.ClaimReview(env.ctx, excluded,
			casework.ReviewTarget{ReviewID: env.openReview(correction.ID).ID})
		if err == nil {
			t.Errorf("%s claims the correction", excluded.Name)
		}
	}
	env.claim(lea, correction.ID)
	after := env.caseByID(id)
	if after.Version != before.Version || after.LastSeq != before.LastSeq ||
		env.readManifest(id).HeadHash != manifest.HeadHash {
		t.Errorf("the archived case changed: %+v", after)
	}
	env.verifyCaseLog(correction.ID)
	env.verifyStream(domain.QualityStream, 3)
	if got := env.samples()[id]; got.CorrectionID != correction.ID {
		t.Errorf("sample %+v", got)
	}
}

// The database refuses what the service refuses: a changed draw, an end without a check, and a check
// by the submitter or by a person without the sample.
func TestSamplesAreGuardedByTheDatabase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	id := env.archivedStraight(sam)
	env.draw()
	sample := env.take(lea)
	app := env.appPool()
	for _, sql := range []string{`UPDATE quality_samples SET probability = 0.5`,
		`UPDATE quality_samples SET status = 'agreed', ended_at = clock()`,
		`DELETE FROM quality_samples`, `DELETE FROM sample_shares`,
		`UPDATE installation_keys SET key = sha256('')`} {
		if _, err := app.Exec(env.ctx, sql); err == nil {
			t.Errorf("allowed: %s", sql)
		}
	}
	for _, person := range []domain.ID{sam.UserID, domain.NewID()} {
		_, err := app.Exec(env.ctx, `INSERT INTO quality_checks (sample_id, settles, person, blind,
			approves, compared, rules, reason) VALUES ($1, false, $2, true, true, '[]', '{}', '')`,
			sample, person)
		if err == nil {
			t.Errorf("%s checked", person)
		}
	}
	_, err := env.owner.Exec(env.ctx, `UPDATE quality_samples SET assignee = $1`, sam.UserID)
	must(t, err)
	_, err = app.Exec(env.ctx, `INSERT INTO quality_checks (sample_id, settles, person, blind,
		approves, compared, rules, reason) VALUES ($1, false, $2, true, true, '[]', '{}', '')`,
		sample, sam.UserID)
	if err == nil {
		t.Error("the submitter checked")
	}
	_ = id
}

// Samples that a person may not check, even more than one page of them, do not keep the others from
// them. Several persons who take samples concurrently get different ones.
func TestSamplesOfOthersDoNotBlock(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	env.drawAll(env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin))
	first := env.approvedAfter(sam, lea, "B-1", "1200.00", 0)
	second := env.approvedAfter(sam, lea, "B-2", "1200.00", 0)
	env.draw()
	// 150 older samples of confidential cases, which only the owner of the schema can add
	_, err := env.owner.Exec(env.ctx, `WITH c AS (INSERT INTO cases
		SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
			'reference', 'X-' || n))).* FROM cases c, generate_series(1, 150) n WHERE c.id = $1
		RETURNING id)
		INSERT INTO quality_samples (id, case_id, process, stratum, queue, confidential, submitter,
			share, reasons, probability, archived_at, drawn_at)
		SELECT gen_random_uuid(), id, 'document_approval', 'approved', 'AML', true, $2, 1, '{}', 1,
			clock(), clock() - interval '1 day' FROM c`, first, sam.UserID)
	must(t, err)
	var taken sync.Map
	var group sync.WaitGroup
	for _, name := range []string{"lia", "lou"} {
		person := env.person(name, domain.RoleL1)
		group.Go(func() {
			got, err := env.svc.TakeSample(env.ctx, person, casework.Once{})
			if err == nil {
				taken.Store(got.SampleID, name)
			}
		})
	}
	group.Wait()
	for _, id := range []domain.ID{first, second} {
		if _, ok := taken.Load(env.sampleOf(id)); !ok {
			t.Errorf("no person got the sample of %s", id)
		}
	}
}
