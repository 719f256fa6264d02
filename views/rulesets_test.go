package views

import (
	"os"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// Stored findings of rule sets without titles, and findings stored before rule sets were data, have
// a title and never show a bare rule id.
func TestFindingTitlesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	names := pgtest.New(t)
	db, err := store.Open(t.Context(), names.AppURL, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	first, err := os.ReadFile("../rules/testdata/invoice_v1.yaml")
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Replace(string(first), "id: round_amount", "id: weekend_invoice", 1)
	err = db.InTx(t.Context(), func(tx *store.Tx) error {
		for version, text := range []string{string(first), own} {
			row := store.RuleSetRow{
				Key: "invoice", Version: version + 1, Document: text,
				PublishedBy: domain.SystemUserID,
			}
			if _, err := tx.PublishRuleSet(t.Context(), row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v := New(db.Reader(), nil)
	for _, test := range []struct {
		finding domain.Finding
		en, zh  string
	}{
		{
			domain.Finding{Rule: "duplicate_number", RuleSet: "invoice", RuleVersion: 1},
			"Duplicate invoice number", "发票号码重复",
		},
		{
			domain.Finding{Rule: "weekend_invoice", RuleSet: "invoice", RuleVersion: 2},
			"Weekend invoice", "Weekend invoice",
		},
		{
			domain.Finding{Rule: "no_such_rule", RuleSet: "invoice", RuleVersion: 1},
			"No such rule", "No such rule",
		},
		{domain.Finding{Rule: "duplicate_bytes"}, "Same file submitted more than once", "同一文件多次提交"},
		{domain.Finding{Rule: "some_old_rule"}, "Some old rule", "Some old rule"},
	} {
		for language, want := range map[string]string{"en": test.en, "zh": test.zh, "fr": test.en} {
			if got, err := v.FindingTitle(t.Context(), test.finding, language); err != nil ||
				got != want {
				t.Errorf("%+v in %s: %q, %v", test.finding, language, got, err)
			}
		}
	}
}
