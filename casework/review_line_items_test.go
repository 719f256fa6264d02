package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// linesEnv is a case in review whose e-invoice over 100.00 net has an item of 100.00 and one of 900.00.
func linesEnv(t *testing.T) (env *testEnv, sam, rita domain.Actor, id domain.ID) {
	t.Helper()
	env = newTestEnv(t)
	env.knowVendors()
	sam, rita = env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	env.reader.xml = withLines(invoiceXML("120.00", "L-9"),
		[4]string{"Screws", "2", "50", "100.00"}, [4]string{"Hidden", "1", "900", "900.00"})
	id = env.submit(sam, "hidden")
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	return env, sam, rita, id
}

func line(description, quantity, price, amount string) casework.LineItemInput {
	return casework.LineItemInput{Description: description, Quantity: quantity, UnitPrice: price,
		Amount: amount}
}

// kept returns the item in force at the index, as a form sends it back.
func (env *testEnv) kept(id domain.ID, at int) casework.LineItemInput {
	item := env.lineItems(id).Items[at]
	input := casework.LineItemInput{From: &at, Description: item.Description, Unit: item.Unit,
		Quantity: item.Quantity, UnitPrice: item.UnitPrice, TaxRate: item.TaxRate}
	if item.Minor != nil {
		input.Amount = domain.FormatMinor(*item.Minor, 2)
	}
	if at == 1 { // the short form
		return casework.LineItemInput{From: &at, Kept: true}
	}
	return input
}

func (env *testEnv) correctLines(
	by domain.Actor, id domain.ID, items ...casework.LineItemInput,
) error {
	env.t.Helper()
	return errOf(env.svc.CorrectLineItems(env.ctx, by, casework.CorrectLineItems{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Items: items}))
}

// A reviewer cannot remove the item that the document hides: the finding about the sum that was read
// stays with its points, and another one says that a person changed the items.
func TestCorrectedLineItemsHideNoFinding(t *testing.T) {
	t.Parallel()
	env, _, rita, id := linesEnv(t)
	risk := env.caseByID(id).Risk
	if env.finding(id, "line_sum_mismatch") == nil || env.finding(id, "line_items_corrected") != nil {
		t.Fatalf("as read: %v", env.findingRules(id))
	}
	env.claim(rita, id)
	must(t, env.correctLines(rita, id, env.kept(id, 0)))
	lines := env.lineItems(id)
	if len(lines.Items) != 1 || lines.By != rita.UserID || *lines.Sum != 10_000 || lines.Found() != 1 ||
		lines.Check != domain.LinesEqualNet || lines.Items[0].Source != domain.SourceXML {
		t.Errorf("%+v", lines)
	}
	said := env.finding(id, "line_items_corrected")
	if env.finding(id, "line_sum_mismatch") == nil || said == nil ||
		!strings.Contains(said.Message, "100.00 EUR") || !strings.Contains(said.Message, "1000.00") {
		t.Errorf("found %v, %+v", env.findingRules(id), said)
	}
	if env.finding(id, "corrected_sum_mismatch") != nil || env.caseByID(id).Risk < risk {
		t.Errorf("risk %d instead of %d, %v", env.caseByID(id).Risk, risk, env.findingRules(id))
	}
	must(t, env.correctLines(rita, id, env.kept(id, 0), line("Return", "-2", "30", "-60.00")))
	if lines = env.lineItems(id); *lines.Sum != 4_000 || lines.Items[1].Check != domain.RowAddsUp ||
		lines.Items[1].Source != domain.SourceHuman || lines.Check != domain.LinesDiffer {
		t.Errorf("%+v", lines)
	}
	if env.finding(id, "corrected_sum_mismatch") == nil {
		t.Errorf("found %v", env.findingRules(id))
	}
	must(t, env.approve(rita, id, ""))
	env.requireState(id, domain.Archived)
	wantCode(t, errOf(env.svc.CorrectLineItems(env.ctx, rita, casework.CorrectLineItems{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.lastReview(id)},
		Items:        []casework.LineItemInput{line("Late", "", "", "1.00")}})), domain.FourEyes)
}

// lastReview returns the newest review of a case, also a decided one.
func (env *testEnv) lastReview(id domain.ID) domain.ID {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	return reviews[len(reviews)-1].ID
}

// Only the reviewer who holds the claim changes items, at the version that they saw.
func TestWhoCorrectsLineItems(t *testing.T) {
	t.Parallel()
	env, sam, rita, id := linesEnv(t)
	jan := env.person("jan", domain.RoleL1)
	item := line("Nails", "1", "100", "100.00")
	before := env.openReview(id)
	wantCode(t, env.correctLines(sam, id, item), domain.NotFound)
	wantCode(t, env.correctLines(rita, id, item), domain.NotClaimedByYou)
	env.claim(rita, id)
	wantCode(t, env.correctLines(jan, id, item), domain.NotClaimedByYou)
	stale := casework.CorrectLineItems{ReviewTarget: casework.ReviewTarget{ReviewID: before.ID,
		ExpectedVersion: casework.ReviewVersion(before, env.caseByID(id).FactsRevision)},
		Items: []casework.LineItemInput{item}}
	wantCode(t, errOf(env.svc.CorrectLineItems(env.ctx, rita, stale)), domain.StaleVersion)
	if lines := env.lineItems(id); lines.By != domain.NoID {
		t.Errorf("a refused request changed the items: %+v", lines)
	}

	once := casework.CorrectLineItems{Items: []casework.LineItemInput{item},
		ReviewTarget: casework.ReviewTarget{ReviewID: before.ID, Once: casework.Once{Key: "k"}}}
	must(t, errOf(env.svc.CorrectLineItems(env.ctx, rita, once)))
	must(t, errOf(env.svc.CorrectLineItems(env.ctx, rita, once)))
	if got := env.countEvents(id, domain.LineItemsCorrected); got != 1 {
		t.Errorf("%d events of one repeated request", got)
	}
	once.Items = []casework.LineItemInput{item, item}
	wantCode(t, errOf(env.svc.CorrectLineItems(env.ctx, rita, once)), domain.IdempotencyMismatch)
	wantCode(t, env.correctLines(rita, id, env.kept(id, 0)), domain.InvalidInput) // nothing changed
	env.verifyCaseLog(id)
}

// Items that are no items are refused with their row, and nothing changes.
func TestLineItemsThatAreRefused(t *testing.T) {
	t.Parallel()
	env, _, rita, id := linesEnv(t)
	env.claim(rita, id)
	from := func(at int) casework.LineItemInput {
		item := line("Nails", "1", "1", "1.00")
		item.From = &at
		return item
	}
	many := slices.Repeat([]casework.LineItemInput{line("Nails", "1", "1", "1.00")},
		domain.MaxLineItems+1)
	for name, items := range map[string][]casework.LineItemInput{
		"too many":                 many,
		"empty":                    {line(" \u202e ", "", "", "")},
		"long":                     {line(strings.Repeat("x", domain.MaxLineDescription+1), "", "", "1.00")},
		"more decimals":            {line("Nails", "1", "1", "1.001")},
		"two separators":           {line("Nails", "1", "1", "1.000,00")},
		"an exponent":              {line("Nails", "1e9", "1", "1.00")},
		"another script":           {line("Nails", "١", "1", "1.00")},
		"too large":                {line("Nails", "1", "1", "99999999999999999.00")},
		"another currency":         {line("Nails", "1", "1", "1.00 USD")},
		"a kept item that is none": {{Kept: true}},
		"no such item":             {from(2)},
		"an item before all":       {from(-1)},
		"an item that is taken":    {from(0), from(0)},
	} {
		wantCode(t, env.correctLines(rita, id, items...), domain.InvalidInput)
		if env.lineItems(id).By != domain.NoID {
			t.Fatalf("%s: the items changed", name)
		}
	}
	must(t, env.correctLines(rita, id, env.kept(id, 1), env.kept(id, 0)))
	if lines := env.lineItems(id); *lines.Items[0].Minor != 90_000 || lines.Items[0].Source != domain.SourceXML {
		t.Errorf("kept in another order: %+v", lines.Items)
	}
	must(t, env.correctLines(rita, id, line("ab\u202ec \x00 d", "1", "", "1.00")))
	if item := env.lineItems(id).Items[0]; item.Description != "abc d" {
		t.Errorf("%q", item.Description)
	}
	must(t, env.correctLines(rita, id)) // a document without items
	if lines := env.lineItems(id); len(lines.Items) != 0 || lines.Sum != nil || lines.By != rita.UserID {
		t.Errorf("%+v", lines)
	}
	must(t, env.correctLines(rita, id, many[:domain.MaxLineItems]...))
}

// Verification finds items that were changed, removed or added behind the program.
func TestTamperedLineItemsAreFound(t *testing.T) {
	t.Parallel()
	env, _, rita, id := linesEnv(t)
	env.claim(rita, id)
	must(t, env.correctLines(rita, id, env.kept(id, 0), line("Freight", "1", "0.5", "0.50")))
	env.ownerExec(`CREATE TABLE kept_lines AS SELECT * FROM line_items`)
	for name, tc := range map[string]struct{ sql, says string }{
		"untouched": {`SELECT 1`, ""},
		"an amount": {`UPDATE line_items SET items = jsonb_set(items, '{1,minor}', '9000') WHERE set_by IS NOT NULL`,
			"were changed"},
		"a person":  {`UPDATE line_items SET set_by = gen_random_uuid() WHERE set_by IS NOT NULL`, "were changed"},
		"a reading": {`UPDATE line_items SET set_by = NULL`, "are missing"},
		"an addition": {`INSERT INTO line_items SELECT (json_populate_record(l, '{"revision": 99}')).*
			FROM line_items l WHERE set_by IS NOT NULL`, "were added"},
	} {
		env.ownerExec(tc.sql)
		result, err := env.newViews().Verify(env.ctx, id)
		must(t, err)
		text := ""
		for _, problem := range result.Problems {
			text += problem.Message + "; "
		}
		if (tc.says == "") != (text == "") || !strings.Contains(text, tc.says) {
			t.Errorf("%s: the verification says %q", name, text)
		}
		env.ownerExec(`DELETE FROM line_items`, `INSERT INTO line_items SELECT * FROM kept_lines`)
	}
}
