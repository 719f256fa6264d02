package casework_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"countersign/audit"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/testpasskey"
)

// signedProcess needs a signature for approvals above 1,000.00 and allows to undo a decision.
var signedProcess = strings.NewReplacer("key: slow", "key: signed", "    seats: 2\n",
	"    signature_above: 100000\n").Replace(slowProcess)

// signedEnv has a reviewer whose passkey is registered and in a checkpoint.
type signedEnv struct {
	*checkpointEnv
	sam, rita domain.Actor
	phone     *testpasskey.Authenticator
	passkey   domain.ID
}

func newSignedEnv(t *testing.T) *signedEnv {
	t.Helper()
	env := &signedEnv{checkpointEnv: newCheckpointEnv(t)}
	env.publish(signedProcess)
	env.sam = env.person("sam", domain.RoleSubmitter)
	env.rita = env.session("rita")
	env.phone, env.passkey = env.register(env.rita)
	env.sign()
	return env
}

// session is a person in a browser.
func (env *signedEnv) session(name string) domain.Actor {
	actor := env.person(name, domain.RoleSenior)
	actor.SessionID = domain.NewID()
	return actor
}

func (env *signedEnv) register(by domain.Actor) (*testpasskey.Authenticator, domain.ID) {
	env.t.Helper()
	phone := testpasskey.New("localhost", "http://localhost:8080")
	id, err := env.svc.AddPasskey(env.ctx, by, phone.Passkey("phone"))
	must(env.t, err)
	return phone, id
}

// invoice submits an invoice and lets the person claim its review.
func (env *signedEnv) invoice(by domain.Actor, total, number string) domain.Review {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML(total, number)
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, env.sam,
		casework.SubmitDocument{File: upload(number), Process: "signed"})
	must(env.t, err)
	env.drainQueue()
	return env.claim(by, submitted.CaseID)
}

func toApprove(review domain.Review, reason string) casework.DecideReview {
	return casework.DecideReview{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Verdict: domain.Approve, Reason: reason}
}

// approve approves with a signature over what the server asks to sign.
func (env *signedEnv) approve(by domain.Actor, review domain.Review, with *testpasskey.Authenticator) error {
	env.t.Helper()
	in := toApprove(review, "checked")
	request, err := env.svc.PrepareApproval(env.ctx, by, in)
	must(env.t, err)
	signed := with.Sign(request.Challenge)
	in.Signature = &signed
	_, err = env.svc.DecideReview(env.ctx, by, in)
	return err
}

// An approval above the bound is accepted with the reviewer's own signature over exactly this approval
// only, and the signature verifies without the installation.
func TestSignedApproval(t *testing.T) {
	t.Parallel()
	env := newSignedEnv(t)
	small := env.invoice(env.rita, "900.00", "S-0")
	request, err := env.svc.PrepareApproval(env.ctx, env.rita, toApprove(small, ""))
	if err != nil || request != nil {
		t.Fatalf("an approval below the bound: %+v %v", request, err)
	}
	unneeded := env.phone.Sign([]byte("x"))
	in := toApprove(small, "")
	in.Signature = &unneeded
	_, err = env.svc.DecideReview(env.ctx, env.rita, in)
	wantCode(t, err, domain.InvalidInput)
	must(t, env.decide(env.rita, small.ID, domain.Approve, ""))

	review := env.invoice(env.rita, "5000.00", "S-1")
	wantCode(t, env.decide(env.rita, review.ID, domain.Approve, ""), domain.SignatureRequired)
	must(t, env.approve(env.rita, review, env.phone))
	env.setClockOffset(env.clockOffset + 11*60e9) // the time to undo is over
	env.drainQueue()
	env.sign()
	if result := env.verify(); len(result.Problems) > 0 {
		t.Fatal(problemsOf(result))
	}
	decisions, err := env.db.Reader().Decisions(env.ctx, review.CaseID)
	must(t, err)
	if len(decisions) != 1 || decisions[0].Signature == nil ||
		decisions[0].Signature.PasskeyID != env.passkey {
		t.Fatalf("%+v", decisions)
	}
	auditor := env.person("ann", domain.RoleAuditor)
	pack, err := env.packOf(auditor, review.CaseID, env.signer.Keys())
	must(t, err)
	report, err := verifyPack(pack, env.signer.Keys())
	must(t, err)
	if report.Break != nil || report.Signatures != 1 {
		t.Fatalf("%+v %v", report, report.Break)
	}
	if !bytes.Contains(pack, []byte("Signed by passkey "+env.passkey.String())) {
		t.Error("the page of the pack does not show the signature")
	}
	env.verifyExported(1)

	// Rejecting needs no signature.
	other := env.invoice(env.rita, "5000.00", "S-2")
	must(t, env.decide(env.rita, other.ID, domain.Reject, "not ours"))
}

// verifyExported exports everything and verifies the file.
func (env *signedEnv) verifyExported(signatures int64) {
	env.t.Helper()
	reader := env.db.Reader()
	log, err := reader.CheckpointLog(env.ctx, env.signer.Origin())
	must(env.t, err)
	var file bytes.Buffer
	exporter, err := audit.NewExporter(&file, log.Origin, time.Now(), false)
	must(env.t, err)
	for sealed, err := range reader.SealedCheckpoints(env.ctx, log.ID) {
		must(env.t, err)
		must(env.t, exporter.Checkpoint(sealed))
	}
	heads, err := reader.Heads(env.ctx, domain.NoID, 1000)
	must(env.t, err)
	for _, head := range heads {
		var rows *audit.StreamRows
		if head.Case {
			head, rows, err = reader.CaseRecord(env.ctx, head.Stream)
			must(env.t, err)
		}
		must(env.t, exporter.Stream(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash},
			reader.EventsUpTo(env.ctx, head), rows))
	}
	must(env.t, exporter.Close())
	report, err := audit.VerifyExport(&file, audit.ExportCheck{Keys: env.signer.Keys()})
	must(env.t, err)
	if report.Break != nil || report.Signatures != signatures {
		env.t.Fatalf("%d signatures, %v", report.Signatures, report.Breaks)
	}
}

// Everything but a signature of the reviewer's own passkey, made now, over this approval, is refused.
func TestSignaturesOfSomethingElse(t *testing.T) {
	t.Parallel()
	env := newSignedEnv(t)
	lea := env.session("lea")
	foreign, _ := env.register(lea)
	env.sign()
	review := env.invoice(env.rita, "5000.00", "S-1")
	other := env.invoice(env.rita, "6000.00", "S-2")
	challenge := func(review domain.Review, reason string) []byte {
		request, err := env.svc.PrepareApproval(env.ctx, env.rita, toApprove(review, reason))
		must(t, err)
		return request.Challenge
	}
	sign := func(change func(*testpasskey.Authenticator)) *domain.PasskeyAssertion {
		device := *env.phone
		change(&device)
		signed := device.Sign(challenge(review, "checked"))
		return &signed
	}
	over := func(challenge []byte) *domain.PasskeyAssertion {
		device := *env.phone
		signed := device.Sign(challenge)
		return &signed
	}
	altered := over(challenge(review, "checked"))
	altered.Signature[len(altered.Signature)-1] ^= 1
	registration := over(challenge(review, "checked"))
	registration.ClientData = bytes.Replace(registration.ClientData, []byte("webauthn.get"),
		[]byte("webauthn.create"), 1)
	unknown := testpasskey.New("localhost", "http://localhost:8080").Sign(challenge(review, "checked"))
	others := foreign.Sign(challenge(review, "checked"))
	for name, signed := range map[string]*domain.PasskeyAssertion{
		"another review":       over(challenge(other, "checked")),
		"another reason":       over(challenge(review, "other")),
		"any bytes":            over([]byte("hello")),
		"another person's":     &others,
		"an unregistered key":  &unknown,
		"an altered signature": altered,
		"a registration":       registration,
		"nothing":              {},
		"another site":         sign(func(a *testpasskey.Authenticator) { a.Site.ID = "evil.example" }),
		"another page":         sign(func(a *testpasskey.Authenticator) { a.Site.Origin = "https://evil.example" }),
		"no verified person":   sign(func(a *testpasskey.Authenticator) { a.Device.Options.UserNotVerified = true }),
		"no person":            sign(func(a *testpasskey.Authenticator) { a.Device.Options.UserNotPresent = true }),
	} {
		in := toApprove(review, "checked")
		in.Signature = signed
		if _, err := env.svc.DecideReview(env.ctx, env.rita, in); !domain.HasCode(err,
			domain.SignatureInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A signature that was right is not, after a fact changed and after the decision was undone.
	before := over(challenge(review, "checked"))
	must(t, env.correct(env.rita, review.CaseID, domain.FieldInvoiceCode, "IC-1"))
	in := toApprove(review, "checked")
	in.Signature = before
	_, err := env.svc.DecideReview(env.ctx, env.rita, in)
	wantCode(t, err, domain.SignatureInvalid)
	again := env.phone.Sign(challenge(review, "checked"))
	in.Signature = &again
	_, err = env.svc.DecideReview(env.ctx, env.rita, in)
	must(t, err)
	_, err = env.svc.UndoDecision(env.ctx, env.rita, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	reopened := env.claim(env.rita, review.CaseID)
	in.ReviewID = reopened.ID
	_, err = env.svc.DecideReview(env.ctx, env.rita, in)
	wantCode(t, err, domain.SignatureInvalid)
	// A copied authenticator counts from where it was copied.
	device := *env.phone
	device.Key.Counter = 0
	copied := device.Sign(challenge(reopened, "checked"))
	in.Signature = &copied
	_, err = env.svc.DecideReview(env.ctx, env.rita, in)
	wantCode(t, err, domain.SignatureInvalid)
	must(t, env.approve(env.rita, reopened, env.phone))
}

// Tokens, bulk approvals, people without a passkey, new and removed passkeys do not approve above the
// bound.
func TestWhoCannotSign(t *testing.T) {
	t.Parallel()
	env := newSignedEnv(t)
	review := env.invoice(env.rita, "5000.00", "S-1")
	token := env.rita
	token.SessionID, token.TokenID, token.Channel = domain.NoID, domain.NewID(), domain.ChannelAPI
	token.Scopes = []string{string(domain.ActDecide), string(domain.ActClaim)}
	_, err := env.svc.PrepareApproval(env.ctx, token, toApprove(review, ""))
	wantCode(t, err, domain.SignatureRequired)
	request, err := env.svc.PrepareApproval(env.ctx, env.rita, toApprove(review, ""))
	must(t, err)
	signed := env.phone.Sign(request.Challenge)
	in := toApprove(review, "")
	in.Signature = &signed
	_, err = env.svc.DecideReview(env.ctx, token, in)
	wantCode(t, err, domain.SignatureRequired)
	results, err := env.svc.ApproveReviews(env.ctx, env.rita, casework.BulkReviews{
		Reviews: []domain.ID{review.ID}})
	must(t, err)
	wantCode(t, results[0].Err, domain.SignatureRequired)
	lea := env.session("lea")
	second := env.invoice(lea, "5000.00", "S-2")
	_, err = env.svc.PrepareApproval(env.ctx, lea, toApprove(second, ""))
	wantCode(t, err, domain.SignatureRequired)
	phone, id := env.register(lea)
	wantCode(t, env.approve(lea, second, phone), domain.SignatureInvalid) // in no checkpoint yet
	env.sign()
	must(t, env.svc.RemovePasskey(env.ctx, lea, id))
	_, err = env.svc.PrepareApproval(env.ctx, lea, toApprove(second, ""))
	wantCode(t, err, domain.SignatureRequired)
	newer, _ := env.register(lea)
	env.sign()
	request, err = env.svc.PrepareApproval(env.ctx, lea, toApprove(second, ""))
	must(t, err)
	removed := phone.Sign(request.Challenge)
	in = toApprove(second, "")
	in.Signature = &removed
	_, err = env.svc.DecideReview(env.ctx, lea, in)
	wantCode(t, err, domain.SignatureInvalid)
	must(t, env.approve(lea, second, newer))

	// One authenticator belongs to one person, and is registered once.
	_, err = env.svc.AddPasskey(env.ctx, env.rita, newer.Passkey("phone"))
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.AddPasskey(env.ctx, token, testpasskey.New("localhost", "").Passkey("key"))
	wantCode(t, err, domain.NotPermitted)
	wantCode(t, env.svc.RemovePasskey(env.ctx, env.rita, id), domain.NotFound)
}

// Changes of signatures and passkeys by the database's owner are found.
func TestTamperedSignatures(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"no signature":      `UPDATE decisions SET signature = NULL WHERE signature IS NOT NULL`,
		"another signature": `UPDATE decisions SET signature = jsonb_set(signature, '{signature}', '"AAAA"') WHERE signature IS NOT NULL`,
		"another statement": `UPDATE decisions SET signature = jsonb_set(signature, '{statement}', '"{}"') WHERE signature IS NOT NULL`,
		"another key":       `UPDATE passkeys SET public_key = '\x30'`,
		"another person":    `UPDATE passkeys SET user_id = (SELECT id FROM users WHERE name = 'sam')`,
		"no key":            `DELETE FROM passkeys`,
		"an unregistered key": `INSERT INTO passkeys SELECT gen_random_uuid(), user_id, 'x', 'localhost', '\x01', '\x02', -7, '', 0, false,
			at FROM passkeys`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newSignedEnv(t)
			review := env.invoice(env.rita, "5000.00", "S-1")
			must(t, env.approve(env.rita, review, env.phone))
			if result := env.verify(); len(result.Problems) > 0 {
				t.Fatal(problemsOf(result))
			}
			env.asAdmin(change)
			if result := env.verify(); len(result.Problems) == 0 {
				t.Error("not found")
			}
		})
	}
}
