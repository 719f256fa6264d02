package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func fieldOf(name, value string, source domain.FieldSource) domain.Field {
	return domain.Field{Name: name, Raw: value, Normalised: value, Source: source}
}

// repeatedFields reads the date and the account in the row of a case, and whether they count.
func (w *testEnv) repeatedFields(id domain.ID) (date, account string, current bool) {
	w.t.Helper()
	w.must(w.owner.QueryRow(w.ctx, `SELECT document_date, document_account,
		fields_revision = facts_revision FROM cases WHERE id = $1`, id).Scan(&date, &account,
		&current))
	return date, account, current
}

// The row of a case repeats its date and its account, whatever a change does to the fields.
func TestCaseRepeatsItsFields(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	external := []domain.FieldSource{domain.SourceExternal}
	xml, human := domain.SourceXML, domain.SourceHuman
	created := w.newCaseChange(w.person().ID, w.party("acme"))
	w.apply(created)
	c := created.Case
	for i, step := range []struct {
		fields        []domain.Field
		drop          []domain.FieldSource
		date, account string
	}{
		{nil, nil, "", ""},
		{[]domain.Field{fieldOf("date", "2026-01-01", xml), fieldOf("iban", "DE1", domain.SourceExternal)},
			machineSources, "2026-01-01", "DE1"},
		{nil, nil, "2026-01-01", "DE1"},
		{[]domain.Field{fieldOf("total", "1", xml)}, nil, "2026-01-01", "DE1"},
		{nil, external, "2026-01-01", ""},
		{[]domain.Field{fieldOf("date", "2026-01-02", human), fieldOf("iban", "DE2", xml)}, nil,
			"2026-01-02", "DE2"},
		{[]domain.Field{fieldOf("total", "2", xml)}, machineSources, "2026-01-02", ""},
		{[]domain.Field{fieldOf("date", "", human)}, nil, "", ""},
		{nil, append(external, human), "", ""},
	} {
		change := nextChange(c, w.now())
		change.Case.FactsRevision += int64(i % 2)
		change.Fields, change.DeleteFieldSources = step.fields, step.drop
		w.apply(change)
		c = change.Case
		date, account, current := w.repeatedFields(c.ID)
		if date != step.date || account != step.account || !current {
			t.Errorf("step %d: %q, %q, %v, want %+v", i, date, account, current, step)
		}
		w.wantFieldsRepeated(c.ID)
	}
	born := w.newCaseChange(created.Case.Submitter, created.Case.PartyID)
	born.Fields = []domain.Field{fieldOf("date", "2026-01-03", xml)}
	w.apply(born)
	if date, account, current := w.repeatedFields(born.Case.ID); date != "2026-01-03" ||
		account != "" || !current {
		t.Errorf("new case: %q, %q, %v", date, account, current)
	}
}

// wantFieldsRepeated compares the row of a case with its fields.
func (w *testEnv) wantFieldsRepeated(id domain.ID) {
	w.t.Helper()
	if w.rows("cases", `id = $1 AND document_date = field_in_force(id, 'date')
		AND document_account = field_in_force(id, 'iban')`, id) != 1 {
		w.t.Errorf("the row of case %s differs from its fields", id)
	}
}

// A program that does not know the columns changes the fields and the revision: the columns do not
// count until the fields are written again.
func TestOutdatedFieldsOfCasesDoNotCount(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	party := w.party("acme")
	change := w.newCaseChange(w.person().ID, party)
	change.Fields = []domain.Field{fieldOf("date", "2026-01-01", domain.SourceXML),
		fieldOf("iban", "DE1", domain.SourceXML)}
	w.apply(change)
	c := change.Case
	query := relatedQuery(domain.NewID(), party, "", hash32())
	query.DocumentType, query.Totals, query.Dates = "invoice", []int64{c.Amount.Minor}, []string{"2026-01-02"}
	found := func() (n int) {
		related, err := w.read().RelatedCases(w.ctx, query)
		w.must(err)
		return len(related.Candidates)
	}
	if found() != 0 {
		t.Error("the date 2026-01-01 counts as 2026-01-02")
	}
	w.asOwner(`UPDATE fields SET normalised = '2026-01-02' WHERE name = 'date'`)
	w.asOwner(`UPDATE cases SET facts_revision = facts_revision + 1, version = version + 1`)
	c.FactsRevision, c.Version = c.FactsRevision+1, c.Version+1
	if found() != 1 {
		t.Error("the date that an older program wrote does not count")
	}
	next := nextChange(c, w.now())
	next.Case.FactsRevision = change.Case.FactsRevision // the revision of which the columns are
	next.Case.FactsRevision += 2
	w.apply(next)
	if _, _, current := w.repeatedFields(c.ID); current || found() != 1 {
		t.Error("a change without fields made outdated columns count")
	}
	last := nextChange(next.Case, w.now())
	last.Fields = []domain.Field{fieldOf("total", "1", domain.SourceXML)}
	w.apply(last)
	if date, _, current := w.repeatedFields(c.ID); date != "2026-01-02" || !current || found() != 1 {
		t.Errorf("after fields were written: %q, %v", date, current)
	}
}

// RelatedCases returns the same whether it uses the rows of the cases or the fields. The cases have
// merged parties, other parties and numbers that were asserted, corrected dates, differing and
// missing values, equal files and images, and every status.
func TestRelatedCasesEqualThoseByFields(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	world := w.relatedWorld(240)
	ask := func() (all []store.RelatedCases) {
		for i := range world {
			related, err := w.read().RelatedCases(w.ctx, world[i])
			w.must(err)
			related.SumsAt = time.Time{}
			all = append(all, related)
		}
		return all
	}
	byRows := ask()
	for _, outdated := range []string{"random() < 0.5", "true"} {
		w.asOwner(`UPDATE cases SET document_date = '2026-01-03', document_account = 'DE999',
			fields_revision = -1 WHERE ` + outdated)
		for i, byFields := range ask() {
			if !reflect.DeepEqual(byRows[i], byFields) {
				t.Errorf("case %d: by rows %+v, by fields %+v", i, byRows[i], byFields)
			}
		}
	}
	candidates, dated, accounts := 0, 0, 0
	for _, related := range byRows {
		candidates += len(related.Candidates)
		dated += len(slices.DeleteFunc(slices.Clone(related.Candidates),
			func(c store.DuplicateCandidate) bool { return c.Date == "" }))
		if related.LastAccount != "" {
			accounts++
		}
	}
	if dated == 0 || dated == candidates || accounts == 0 || accounts == len(world) {
		t.Errorf("%d candidates, %d with a date, %d accounts: they say nothing", candidates, dated, accounts)
	}
}

// relatedWorld creates n cases of 6 parties, of which two pairs are merged, and returns the query of
// each. Values repeat with different periods, so that each meets each.
func (w *testEnv) relatedWorld(n int) []store.RelatedQuery {
	w.t.Helper()
	submitter := w.person().ID
	parties := make([]domain.ID, 6)
	for i := range parties {
		parties[i] = w.party(fmt.Sprint("related ", i))
	}
	w.joinGroup(parties[1], parties[0])
	w.joinGroup(parties[3], parties[2])
	statuses := []domain.Status{domain.Processing, domain.Archived, domain.Archived,
		domain.InReview, domain.Rejected}
	hashes := [][]byte{hash32(), hash32()}
	queries := make([]store.RelatedQuery, n)
	for i := range n {
		created := w.newCaseChange(submitter, parties[i%len(parties)])
		if i%16 == 0 {
			created.Document.SHA256 = hashes[i/16%2]
		}
		w.apply(created)
		change := nextChange(created.Case, w.now())
		c := &change.Case
		c.DocumentNumber, c.Amount.Minor, c.AmountKnown = fmt.Sprint("R-", i%13), int64(100*(1+i%4)), i%7 > 0
		c.ImageHash = []uint64{0, 0b1111, 0b1000_1111, 1 << 63}[i%17%4]
		if i%5 == 0 {
			c.OtherPartyIDs, c.OtherNumbers = []domain.ID{parties[(i+1)%6]}, []string{"R-1"}
		}
		if c.AtRisk = c.Amount; i%11 == 0 {
			c.DifferingFields, c.AtRisk.Minor = []string{domain.FieldDate}, c.Amount.Minor+100
		}
		if c.Status = statuses[i%len(statuses)]; c.Status != domain.Processing && c.Status != domain.InReview {
			c.Outcome, c.ManifestKey = c.Status, "m"
		}
		change.Fields = fieldsOfWorld(i)
		w.apply(change)
		if i%9 == 0 { // a correction
			change = nextChange(*c, w.now())
			change.Case.FactsRevision++
			change.Fields = []domain.Field{fieldOf("date", "2026-01-01", domain.SourceHuman)}
			w.apply(change)
		}
		queries[i] = store.RelatedQuery{CaseID: c.ID, PartyID: c.PartyID, DocumentType: c.DocumentType,
			Parties: c.Parties(), Submitter: submitter, Numbers: c.Numbers(), Image: c.ImageHash,
			SHA256: created.Document.SHA256, Windows: []int{24}}
		if c.AmountKnown {
			queries[i].Totals = []int64{c.Amount.Minor, c.AtRisk.Minor}
		}
		if i%10 > 0 {
			queries[i].Dates = []string{fmt.Sprint("2026-01-0", 1+i%3)}
		}
	}
	return queries
}

func fieldsOfWorld(i int) (fields []domain.Field) {
	if i%4 > 0 {
		fields = append(fields, fieldOf("date", fmt.Sprint("2026-01-0", 1+i%3), domain.SourceOCR))
	}
	if i%3 > 0 {
		fields = append(fields, fieldOf("iban", fmt.Sprint("DE", i%5), domain.SourceXML))
	}
	return fields
}
