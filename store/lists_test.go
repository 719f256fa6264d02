package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func TestCaseList(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	submitter, other := w.person().ID, w.person().ID
	var newestFirst []domain.ID
	for i := range 5 {
		change := w.newCaseChange(submitter, domain.NoID)
		change.Case.Counterparty = fmt.Sprintf("Vendor %d 100%%_", i)
		if i == 3 {
			change.Case.Submitter, change.Case.Status = other, domain.InReview
		}
		w.apply(change)
		newestFirst = append([]domain.ID{change.Case.ID}, newestFirst...)
	}
	list := func(filter domain.Filter, query store.CaseQuery) []domain.ID {
		t.Helper()
		cases, err := w.read().CaseList(w.ctx, filter, query)
		w.must(err)
		ids := []domain.ID{}
		for _, c := range cases {
			ids = append(ids, c.ID)
		}
		return ids
	}
	same := func(what string, got, want []domain.ID) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	same("all", list(domain.All(), store.CaseQuery{Limit: 10}), newestFirst)
	same("first page", list(domain.All(), store.CaseQuery{Limit: 2}), newestFirst[:2])
	same("second page", list(domain.All(), store.CaseQuery{Limit: 2, After: &store.CaseCursor{ID: newestFirst[1]}}),
		newestFirst[2:4])
	same("by status", list(domain.All(),
		store.CaseQuery{Limit: 9, Statuses: []domain.Status{domain.InReview, domain.Archived}}),
		newestFirst[1:2])
	same("by text", list(domain.All(), store.CaseQuery{Limit: 9, Text: "vendor 2 100%_"}),
		newestFirst[2:3])
	same("wildcards are letters", list(domain.All(), store.CaseQuery{Limit: 9, Text: "vendor%"}),
		[]domain.ID{})
	same("by filter", list(domain.Where(domain.ColSubmitter, "==", other),
		store.CaseQuery{Limit: 9}), newestFirst[1:2])
	some, err := w.read().Cases(w.ctx, append([]domain.ID{domain.NewID()}, newestFirst[:3]...))
	w.must(err)
	none, err := w.read().Cases(w.ctx, nil)
	w.must(err)
	if len(some) != 3 || len(none) != 0 {
		t.Errorf("%d and %d cases by id, want 3 and 0", len(some), len(none))
	}
	_, err = w.read().Case(w.ctx, domain.NewID())
	wantCode(t, err, domain.NotFound)
}

// The pages of a person's newest cases hold exactly the cases that the oldest hold, in the other order,
// whether their rights are looked up for single rows or hashed.
func TestPagesOfNewestCases(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	decider := w.person(domain.RoleL1)
	for i := range 40 {
		switch {
		case i%9 == 1:
			w.underReview()
		case i == 3 || i == 30:
			c, review := w.underReview()
			c, review = w.claim(c, review, decider.ID)
			w.apply(decisionChange(c, review, decider.ID, domain.Reject, w.now()))
		default:
			w.createCase()
		}
	}
	filter := domain.Any(domain.HasReviewIn("L1"), domain.HasDecisionOf(decider.ID))
	oldest, err := w.read().CaseList(w.ctx, filter, store.CaseQuery{Sort: store.CasesOldest, Limit: 40})
	w.must(err)
	if len(oldest) != 7 {
		t.Fatalf("%d cases have a review or a decision", len(oldest))
	}
	for _, size := range []int{1, 2, 3, 40} {
		for _, brief := range []bool{false, true} {
			query, newest := store.CaseQuery{Limit: size, Brief: brief}, []domain.ID{}
			for {
				page, err := w.read().SortedCases(w.ctx, filter, query)
				w.must(err)
				for i := range page {
					newest = append(newest, page[i].ID)
				}
				if len(page) < size {
					break
				}
				query.After = &store.CaseCursor{ID: page[size-1].ID}
			}
			slices.Reverse(newest)
			if !slices.EqualFunc(newest, oldest, func(id domain.ID, c domain.Case) bool { return id == c.ID }) {
				t.Errorf("pages of %d: %v, want %d cases", size, newest, len(oldest))
			}
		}
	}
}

func TestPrepareNewCases(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	change := w.newCaseChange(w.person().ID, domain.NoID)
	w.apply(change)
	w.inTx(func(tx *store.Tx) error {
		for _, version := range []int{1, 2} {
			_, err := tx.PublishDefinition(w.ctx, store.NewDefinition{Key: "approval",
				Version: version, Document: "v", HasAmount: true, By: domain.SystemUserID})
			w.must(err)
		}
		openings, err := tx.PrepareNewCases(w.ctx,
			[]store.NewCaseRequest{{CaseID: domain.NewID(), Process: "approval", SHA256: hash32()},
				{CaseID: domain.NewID(), Process: "other", SHA256: change.Document.SHA256}})
		w.must(err)
		first, second := openings[0], openings[1]
		year := first.Now.Format("CS-2006-")
		if first.Reference != year+"000001" || second.Reference != year+"000002" ||
			first.Now.IsZero() {
			t.Errorf("references %s and %s at %v", first.Reference, second.Reference, first.Now)
		}
		if first.DefinitionVersion != 2 || second.DefinitionVersion != 0 {
			t.Errorf("definitions %d and %d", first.DefinitionVersion, second.DefinitionVersion)
		}
		if len(first.Duplicates) != 0 || !reflect.DeepEqual(second.Duplicates,
			[]domain.ID{change.Case.ID}) {
			t.Errorf("twins %v and %v", first.Duplicates, second.Duplicates)
		}
		return nil
	})
}

func TestDuplicatesAndSameNumber(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	submitter, party := w.person().ID, w.party("acme")
	var cases []domain.Case
	bytes32 := hash32()
	for range 3 {
		change := w.newCaseChange(submitter, party)
		change.Document.SHA256 = bytes32
		w.apply(change)
		cases = append(cases, change.Case)
	}
	twins, err := w.read().Duplicates(w.ctx, cases[2].ID, bytes32)
	w.must(err)
	if !reflect.DeepEqual(twins, []domain.ID{cases[1].ID, cases[0].ID}) {
		t.Errorf("twins %v", twins)
	}
	w.asOwner(`UPDATE cases SET status = 'rejected', manifest_key = 'm' WHERE id = $1`, cases[0].ID)
	kin, err := w.read().RelatedCases(w.ctx, relatedQuery(cases[2].ID, party, "R-1", bytes32))
	w.must(err)
	if len(kin.Candidates) != 2 || kin.ArchivedCount != 0 {
		t.Fatalf("kin %+v", kin)
	}
	for i, status := range []domain.Status{domain.Rejected, cases[1].Status} {
		got := kin.Candidates[i]
		if got.ID != cases[i].ID || got.Reference != cases[i].Reference || got.Status != status ||
			!got.SameBytes || !got.SameParty || got.Carrier != domain.NoID ||
			!reflect.DeepEqual(got.Numbers, []string{"R-1"}) {
			t.Errorf("candidate %+v", got)
		}
	}
	for _, unknown := range []struct {
		party  domain.ID
		number string
	}{{party, ""}, {domain.NoID, "R-1"}, {w.party("other"), "R-1"}} {
		query := relatedQuery(cases[2].ID, unknown.party, unknown.number, hash32())
		query.Totals = []int64{1} // a case without a total is compared with all of its party
		found, err := w.read().RelatedCases(w.ctx, query)
		if err != nil || len(found.Candidates) != 0 {
			t.Errorf("%+v: %+v %v", unknown, found, err)
		}
	}
}

func relatedQuery(caseID, party domain.ID, number string, sha256 []byte) store.RelatedQuery {
	query := store.RelatedQuery{CaseID: caseID, PartyID: party, SHA256: sha256}
	if party != domain.NoID {
		query.Parties = []domain.ID{party}
	}
	if number != "" {
		query.Numbers = []string{number}
	}
	return query
}

// A number and a party that are no longer in force still find a duplicate, and the riskiest of the
// countries counts.
func TestRelatedCasesUseTheWholeRiskBasis(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	submitter, party := w.person().ID, w.party("acme")
	first, second := w.newCaseChange(submitter, party), w.newCaseChange(submitter, w.party("other"))
	w.apply(first)
	w.apply(second)
	w.asOwner(`INSERT INTO country_risk (country, level) VALUES ('AE', 'elevated'), ('IR', 'high')
		ON CONFLICT (country) DO UPDATE SET level = excluded.level`)
	query := store.RelatedQuery{CaseID: second.Case.ID, PartyID: second.Case.PartyID,
		Parties: []domain.ID{second.Case.PartyID, party}, Numbers: []string{`a,"b\\c`, "R-1"},
		Countries: []string{"AE", "DE", "IR"}, SHA256: hash32()}
	found, err := w.read().RelatedCases(w.ctx, query)
	w.must(err)
	if len(found.Candidates) != 1 || found.Candidates[0].ID != first.Case.ID {
		t.Errorf("candidates %v, want %s", found.Candidates, first.Case.Reference)
	}
	if found.CountryRisk != "high" || found.RiskCountry != "IR" {
		t.Errorf("the risk is %q of %q, want high of IR", found.CountryRisk, found.RiskCountry)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person := w.person().ID
	_, err := w.read().Outcome(w.ctx, person, "submit", "k")
	wantCode(t, err, domain.NotFound)
	reserve := func(tx *store.Tx) bool {
		created, err := tx.ReserveIdempotencyKey(w.ctx, person, "submit", "k", []byte("request"))
		w.must(err)
		return created
	}
	// A command that fails leaves its key free.
	refused := w.db.InTx(w.ctx,
		func(tx *store.Tx) error { reserve(tx); return domain.Errorf(domain.NotPermitted, "no") })
	wantCode(t, refused, domain.NotPermitted)

	// Of two commands with one key, the second waits for the first and then finds its outcome.
	second := make(chan bool, 1)
	w.inTx(func(tx *store.Tx) error {
		if !reserve(tx) {
			t.Error("a new key was refused")
		}
		go func() {
			var created bool
			if err := w.db.InTx(w.ctx, func(tx *store.Tx) (err error) {
				created, err = tx.ReserveIdempotencyKey(w.ctx, person, "submit", "k",
					[]byte("request"))
				return err
			}); err != nil {
				t.Error(err)
			}
			second <- created
		}()
		w.waitForLock()
		return tx.SaveOutcome(w.ctx, person, "submit", "k", []byte(`{"case":"1"}`))
	})
	if <-second {
		t.Error("two commands had the same key")
	}
	got, err := w.read().Outcome(w.ctx, person, "submit", "k")
	w.must(err)
	if string(got.RequestHash) != "request" || string(got.Outcome) != `{"case": "1"}` {
		t.Errorf("outcome %s of %s", got.Outcome, got.RequestHash)
	}
	w.shiftClock(time.Hour)
	forget := func(age time.Duration) {
		w.inTx(func(tx *store.Tx) error { return tx.DeleteOldOutcomes(w.ctx, age) })
	}
	if forget(2 * time.Hour); w.rows("idempotency_keys", "true") != 1 {
		t.Error("a young key was forgotten")
	}
	if forget(30 * time.Minute); w.rows("idempotency_keys", "true") != 0 {
		t.Error("an old key was kept")
	}
}

func TestDefinitionsAndPolicy(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	publish := func(version int) bool {
		var created bool
		w.inTx(func(tx *store.Tx) (err error) {
			created, err = tx.PublishDefinition(w.ctx, store.NewDefinition{Key: "approval",
				Version: version, Document: fmt.Sprintf("v%d", version), HasAmount: true,
				By: domain.SystemUserID})
			return err
		})
		return created
	}
	if !publish(1) || !publish(2) || publish(2) {
		t.Error("each version is published once")
	}
	all, err := w.read().Definitions(w.ctx)
	w.must(err)
	if len(all) != 2 || all[0].Version != 2 || all[0].Document != "v2" ||
		all[1].PublishedBy != domain.SystemUserID {
		t.Errorf("definitions %+v", all)
	}
	_, _, err = w.read().Policy(w.ctx)
	wantCode(t, err, domain.NotFound)
	w.inTx(func(tx *store.Tx) error {
		if err := tx.PutPolicy(w.ctx, 1, json.RawMessage(`[]`), domain.SystemUserID); err != nil {
			return err
		}
		return tx.PutPolicy(w.ctx, 2, json.RawMessage(`["x"]`), domain.SystemUserID)
	})
	version, rules, err := w.read().Policy(w.ctx)
	w.must(err)
	if version != 2 || string(rules) != `["x"]` {
		t.Errorf("policy %d %s", version, rules)
	}
}

func TestEventsOfAStream(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	now := w.now()
	stream := domain.DefinitionStream("approval")
	var written []domain.Event
	w.inTx(func(tx *store.Tx) error {
		head, err := tx.LockStream(w.ctx, stream)
		if err != nil || head.Seq != 0 || !bytes.Equal(head.Hash, make([]byte, 32)) ||
			head.Name != stream.Name {
			t.Errorf("new head %+v: %v", head, err)
		}
		for seq := range int64(7) {
			written = append(written, event(stream.ID, seq+1, domain.DefinitionPublished, now))
		}
		if err := tx.AppendStream(w.ctx, nil); err != nil {
			return err
		}
		return tx.AppendStream(w.ctx, written)
	})
	page, err := w.read().EventsAfter(w.ctx, stream.ID, 2, 3)
	w.must(err)
	if !reflect.DeepEqual(page.Events, written[2:5]) || page.LastSeq != 7 {
		t.Errorf("after 2: %+v", page)
	}
	if beyond, err := w.read().EventsAfter(w.ctx, stream.ID, 7, 3); err != nil ||
		len(beyond.Events) != 0 || beyond.AuthorityVersion != 1 {
		t.Errorf("after the last: %+v %v", beyond, err)
	}
	if _, err := w.read().EventsAfter(w.ctx, domain.NewID(), 0, 3); !domain.HasCode(err,
		domain.NotFound) {
		t.Errorf("a stream that does not exist: %v", err)
	}
	last, err := w.read().LastEvents(w.ctx, 2, stream.ID, domain.NewID())
	w.must(err)
	if !reflect.DeepEqual(last, written[5:]) {
		t.Errorf("last two: %+v", last)
	}
	w.inTx(func(tx *store.Tx) error {
		head, err := tx.LockStream(w.ctx, stream)
		if head.Seq != 7 || !bytes.Equal(head.Hash, written[6].Hash) {
			t.Errorf("head %+v", head)
		}
		return err
	})
	if n := w.rows("events_streams", "true"); n != 7 {
		t.Errorf("%d events in the streams' partition, want 7", n)
	}
}

// A marking is read as the exact text in the table, so that its hash detects any change, even of a
// space.
func TestMarkingIsReadUnchanged(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	before, err := w.read().EventsAfter(w.ctx, c.ID, 0, 10)
	w.must(err)
	w.asOwner(`UPDATE events SET marking_after = marking_after || ' ' WHERE seq = 2`)
	after, err := w.read().EventsAfter(w.ctx, c.ID, 0, 10)
	w.must(err)
	if was, is := before.Events[1].MarkingAfter, after.Events[1].MarkingAfter; is != was+" " {
		t.Errorf("got %q, stored %q", is, was+" ")
	}
}

func TestWatchState(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	user, gone := w.person().ID, w.person().ID
	session := func(user domain.ID, set string) domain.ID {
		id := domain.NewID()
		w.asOwner(`INSERT INTO sessions (id, token_hash, user_id, expires_at)
			VALUES ($1, $2, $3, clock() + interval '1 h')`, id, hash32(), user)
		if set != "" {
			w.asOwner(`UPDATE sessions SET `+set+` WHERE id = $1`, id)
		}
		return id
	}
	live, ended, expired, disabled := session(user, ""), session(user, "ended_at = clock()"),
		session(user, "expires_at = clock()"), session(gone, "")
	w.asOwner(`UPDATE users SET disabled = true WHERE id = $1`, gone)
	pulse, err := w.read().WatchState(w.ctx, []domain.ID{c.ID, domain.PolicyStream.ID,
		domain.NewID()}, []domain.ID{live, ended, expired, disabled}, nil)
	w.must(err)
	if want := map[domain.ID]int64{c.ID: 2,
		domain.PolicyStream.ID: 0}; !reflect.DeepEqual(pulse.LastSeqs, want) ||
		pulse.AuthorityVersion != 1 {
		t.Errorf("heads %v, want %v, authority %d", pulse.LastSeqs, want, pulse.AuthorityVersion)
	}
	found := map[domain.ID]bool{}
	for _, id := range pulse.Ended {
		found[id] = true
	}
	if len(found) != 3 || found[live] {
		t.Errorf("ended sessions %v", pulse.Ended)
	}
	quiet, err := w.read().WatchState(w.ctx, nil, nil, nil)
	w.must(err)
	if len(quiet.LastSeqs) != 0 || len(quiet.Ended) != 0 {
		t.Errorf("nothing watched: %+v", quiet)
	}
}

func TestStreamHeads(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	want := map[domain.ID]bool{domain.PolicyStream.ID: true, domain.PeopleStream.ID: true}
	for range 3 {
		c, _ := w.createCase()
		want[c.ID] = true
	}
	after := domain.NoID
	for {
		heads, err := w.read().Heads(w.ctx, after, 2)
		w.must(err)
		if len(heads) == 0 {
			break
		}
		for _, head := range heads {
			if !want[head.Stream] || len(head.Hash) != 32 || head.Name == "" {
				t.Errorf("head %+v twice, unknown or bare", head)
			}
			delete(want, head.Stream)
			after = head.Stream
		}
	}
	if len(want) != 0 {
		t.Errorf("streams not walked: %v", want)
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	now := w.now()
	lines := []store.AccessEntry{
		{Actor: c.Submitter, Action: "read", CaseID: c.ID, RequestID: "r1",
			At: now.Add(-time.Minute)},
		{Actor: c.Submitter, Action: "claim", CaseID: c.ID, Object: "review",
			Code: domain.OwnDocument, RequestID: "r2"},
		{Actor: c.Submitter, Action: "sign_in"}}
	w.must(w.db.Autocommit().LogAccess(w.ctx, lines...))
	w.must(w.db.Autocommit().LogAccess(w.ctx))
	got, err := w.read().AccessLog(w.ctx, c.ID, 10)
	w.must(err)
	if len(got) != 2 || !got[0].At.Equal(lines[0].At) || got[1].At.Before(now) {
		t.Fatalf("access %+v", got)
	}
	got[1].At, got[0].At = time.Time{}, lines[0].At
	if !reflect.DeepEqual(got, lines[:2]) {
		t.Errorf("access %+v, wrote %+v", got, lines[:2])
	}
}

func TestRasterKey(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, _ := w.createCase()
	change := nextChange(c, w.now())
	change.Pages = []domain.Page{{CaseID: c.ID, Revision: 1, Number: 2, RasterKey: "k",
		Source: domain.SourceOCR}}
	w.apply(change)
	if key, err := w.read().RasterKey(w.ctx, c.ID, 1, 2); err != nil || key != "k" {
		t.Errorf("raster %q: %v", key, err)
	}
	_, err := w.read().RasterKey(w.ctx, c.ID, 1, 3)
	wantCode(t, err, domain.NotFound)
}
