package views_test

import (
	"errors"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// The form of a row is computed last: not for a step without bulk approval, nor for a case above its limits.
func TestBulkApprovalReadsTheFormLast(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, lea := env.person("sam", domain.RoleSubmitter), env.person("lea", domain.RoleL1)
	errRead := errors.New("the form was read")
	read := func() ([]views.FieldForm, error) { return nil, errRead }
	for _, test := range []struct {
		amount, node, outside string
		read                  bool
	}{
		{"90000.00", "review_l1", "amount", false},
		{"1000.00", "review_l2", "not_allowed", false},
		{"1234.56", "review_l1", "", true},
	} {
		id := env.submit(sam, test.amount)
		view, err := env.views.Case(env.ctx, lea, id)
		must(t, err)
		view.Risk = 0
		got, err := env.views.BulkApproval(env.ctx, view, test.node, nil, read)
		if errors.Is(err, errRead) != test.read || err == nil && got.Outside != test.outside {
			t.Errorf("%+v: %+v, %v", test, got, err)
		}
	}
}
