package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// An approval that will be refused is refused before the reviewer signs, and what they sign names the fields that they
// approve without a check. A signature over other fields is not valid.
func TestSignedApprovalNamesUncheckedFields(t *testing.T) {
	t.Parallel()
	env := newSignedEnv(t)
	env.reader.vendorConfidence = 0.4
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, invoicePage("Muster Werke GmbH", "U-10", "2026-11-02", "5000.00")
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, env.sam,
		casework.SubmitDocument{File: upload("U-10"), Process: "signed"})
	must(t, err)
	env.drainQueue()
	review := env.claim(env.rita, submitted.CaseID)
	in := toApprove(review, "compared with the order")
	request, err := env.svc.PrepareApproval(env.ctx, env.rita, in)
	names := uncheckedOf(err)
	if request != nil || !slices.Contains(names, domain.FieldVendor) {
		t.Fatalf("asked for a signature: %+v %v", request, err)
	}
	for _, stated := range [][]string{{domain.FieldNumber}, append(slices.Clone(names), domain.FieldNumber)} {
		in.Unchecked = stated
		_, err := env.svc.PrepareApproval(env.ctx, env.rita, in)
		wantCode(t, err, domain.ValidationFailed)
	}
	in.Unchecked = names
	request, err = env.svc.PrepareApproval(env.ctx, env.rita, in)
	must(t, err)
	want := `"unchecked":["` + strings.Join(names, `","`) + `"]`
	if !strings.Contains(request.Statement, want) {
		t.Fatalf("the statement does not name %v: %s", names, request.Statement)
	}
	over := env.phone.Sign(request.Challenge)
	must(t, env.correct(env.rita, submitted.CaseID, domain.FieldVendor, "Muster Werke GmbH"))
	in.Signature, in.Unchecked = &over, nil
	if _, err := env.svc.DecideReview(env.ctx, env.rita, in); err == nil {
		t.Fatal("a signature over unchecked fields approves others")
	}
	in.Unchecked = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == domain.FieldVendor })
	in.Signature = nil
	request, err = env.svc.PrepareApproval(env.ctx, env.rita, in)
	must(t, err)
	signed := env.phone.Sign(request.Challenge)
	in.Signature = &signed
	must(t, errOf(env.svc.DecideReview(env.ctx, env.rita, in)))
	decisions, err := env.db.Reader().Decisions(env.ctx, submitted.CaseID)
	must(t, err)
	if got := decisions[len(decisions)-1]; got.Signature == nil || !slices.Equal(got.Evidence.Unchecked, in.Unchecked) {
		t.Errorf("recorded %+v", got)
	}
	env.verifyCaseLog(submitted.CaseID)
}
