package main

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// limitRow is a limit of limit list --json.
type limitRow struct {
	Role, DocumentType, Action string
	Unlimited                  bool
	BaseMinor                  int64
}

func (o *operatorTool) limits() map[string]limitRow {
	o.t.Helper()
	var rows []limitRow
	o.decoded(&rows, "limit", "list")
	limits := map[string]limitRow{}
	for _, row := range rows {
		if _, twice := limits[row.Role+" "+row.DocumentType]; twice {
			o.t.Errorf("%+v is listed twice", row)
		}
		limits[row.Role+" "+row.DocumentType] = row
	}
	return limits
}

// The list is complete: it also has the limits of single document types, of roles that no user has,
// and of roles that an administrator defined. An operator who audits the rights relies on it.
func TestEveryLimitIsListed(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	before := len(o.limits())
	o.operator(func(op *operator) {
		if err := op.service.PutRole(t.Context(), domain.SystemActor(), casework.PutRole{
			Name: "clerk", Description: "A custom role"}); err != nil {
			t.Fatal(err)
		}
	})
	o.ok("limit", "set", "reviewer_aml", "100", "--type", "receipt")
	o.ok("limit", "set", "reviewer_aml", "1,000.50", "--type", "invoice")
	o.ok("limit", "set", "clerk", "unlimited")
	o.ok("limit", "set", "clerk", "0", "--type", "receipt")
	limits := o.limits()
	for key, want := range map[string]limitRow{
		"reviewer_aml receipt": {"reviewer_aml", "receipt", "decide", false, 100_00},
		"reviewer_aml invoice": {"reviewer_aml", "invoice", "decide", false, 1000_50},
		"clerk ":               {"clerk", "", "decide", true, 0},
		"clerk receipt":        {"clerk", "receipt", "decide", false, 0},
	} {
		if limits[key] != want {
			t.Errorf("%s: %+v, want %+v", key, limits[key], want)
		}
	}
	if len(limits) != before+4 {
		t.Errorf("%d limits, then %d", before, len(limits))
	}
	table := strings.Join(strings.Fields(o.ok("limit", "list")), " ")
	for _, row := range []string{"clerk decide all unlimited", "clerk decide receipt 0.00 USD",
		"reviewer_aml decide invoice 1000.50 USD", "reviewer_aml decide receipt 100.00 USD"} {
		if !strings.Contains(table, row) {
			t.Errorf("%q is not in %s", row, table)
		}
	}
}

// The confirmation says what was set: the amount with its currency, and for which documents.
func TestSettingALimitSaysForWhat(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	for args, want := range map[string]string{
		"manager 2500": "manager may decide up to 2500.00 USD, " +
			"for every document type without a limit of its own\n",
		"manager unlimited": "manager may decide up to any amount, " +
			"for every document type without a limit of its own\n",
		"manager 7.5 --type receipt": "manager may decide up to 7.50 USD, " +
			"for the document type receipt\n",
	} {
		if got := o.ok(append([]string{"limit", "set"}, strings.Fields(args)...)...); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	for args, message := range map[string]string{
		"nobody 3":                  `The role "nobody" does not exist. Use one of: administrator, `,
		"manager 1.000":             "The separator in",
		"manager 1.234":             "The separator in",
		"manager 0.001":             "0.001 has 3 decimal places, but USD allows 2.",
		"manager -- -1":             "A limit cannot be negative.",
		"manager 1e3":               `"1e3" is not an amount.`,
		"manager 1e400x":            `"1e400x" is not an amount.`,
		"manager 99999999999999999": "The amount 99999999999999999 is too large.",
	} {
		o.refused(exitUsage, message, append([]string{"limit", "set"}, strings.Fields(args)...)...)
	}
}

// A conflict is declared once per person and party, and is listed.
func TestConflictsOfInterest(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	anna := o.person("anna", domain.RoleL1)
	var first, second struct{ ID, Person, Party string }
	o.decoded(&first, "conflict", "declare", anna, "Kiefer GmbH", "--reason", "a cousin")
	o.decoded(&second, "conflict", "declare", strings.ToUpper(anna), "KIEFER  gmbh", "--reason",
		"again")
	if first.ID == "" || first.ID != second.ID || first.Person != second.Person {
		t.Errorf("declared %+v and %+v", first, second)
	}
	for _, args := range [][]string{{"", "--reason", "x"}, {" . ", "--reason", "x"}} {
		o.refused(exitUsage, "Enter the name", append([]string{"conflict", "declare", anna},
			args...)...)
	}
	list := o.ok("conflict", "list")
	if rows := strings.Split(strings.TrimSpace(list), "\n"); len(rows) != 2 ||
		!strings.Contains(rows[1], first.ID) || !strings.Contains(rows[1], anna) ||
		!strings.Contains(rows[1], "Kiefer GmbH") || !strings.Contains(rows[1], "a cousin") {
		t.Errorf("the list is\n%s", list)
	}
}

// Countries are listed by risk, the high ones first.
func TestCountryRisks(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	var rows []struct{ Country, Level string }
	o.decoded(&rows, "country", "list")
	levels, last := map[string]string{}, "high"
	for _, row := range rows {
		if last == "elevated" && row.Level == "high" {
			t.Errorf("%s is below an elevated country", row.Country)
		}
		levels[row.Country], last = row.Level, row.Level
	}
	if levels["IR"] != "high" || levels["AO"] != "elevated" {
		t.Errorf("the list is %v", levels)
	}
	code, _, messages := o.run("country", "set", "SE", "low", "--reason", "x")
	if code != exitUsage || !strings.Contains(messages, "high") {
		t.Errorf("an unknown level: exit code %d: %s", code, messages)
	}
}
