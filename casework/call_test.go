package casework_test

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// identityCheck is a process that others call.
const identityCheck = `key: identity_check
title: {en: KYC, zh: 客户核实}
callable: true
has_amount: false
nodes:
  - {id: start, kind: start, next: identity}
  - {id: identity, kind: review, title: {en: Identity, zh: 身份}, queue: L1, on: {approve: passed, reject: failed}}
  - {id: passed, kind: end}
  - {id: failed, kind: end}
`

// checkedPayment reads a document and calls identityCheck.
const checkedPayment = `key: checked_payment
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: kyc}
  - {id: kyc, kind: call, process: identity_check, on: {passed: second, failed: seal_rejected}}
  - {id: second, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: archived, kind: end, status: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: rejected, kind: end, status: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
`

// publishProcess proposes and publishes a text, and returns its version.
func (env *testEnv) publishProcess(by, second domain.Actor, document string) int {
	env.t.Helper()
	published, err := env.svc.PublishProcess(env.ctx, second,
		casework.EndProposal{ProposalID: env.proposeProcess(by, document), Confirm: true})
	must(env.t, err)
	return published.Version
}

// A case is decided inside and outside of a call by different people, each within their limits, with the
// process that was published then.
func TestACaseRunsThroughACalledProcess(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
	abe, lea := env.person("abe", domain.RoleAdmin), env.person("lea", domain.RoleL1)
	mia, max := env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
	env.publishProcess(ada, abe, identityCheck)
	env.publishProcess(ada, abe, checkedPayment)
	env.reader.xml = invoiceXML("1200000.00", "R-1")
	id := env.submitTo(sam, "checked_payment", "invoice", "a large invoice")
	// Later versions change nothing that runs: not that of the called process, not that of the caller.
	env.publishProcess(ada, abe, strings.Replace(identityCheck, "approve: passed, reject: failed",
		"approve: failed, reject: passed", 1))
	if err := env.claimAndDecide(lea, id, "kyc/identity", domain.Approve); err == nil {
		t.Fatal("a reviewer decides above their limit inside of a call")
	}
	must(t, env.claimAndDecide(mia, id, "kyc/identity", domain.Approve))
	if err := env.claimAndDecide(mia, id, "second", domain.Approve); !domain.HasCode(err,
		domain.FourEyes) && !domain.HasCode(err, domain.NotPermitted) {
		t.Errorf("the same person decides inside and outside: %v", err)
	}
	must(t, env.claimAndDecide(max, id, "second", domain.Approve))
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
}

func TestACallIsRecordedWhenItIsProposed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	_, err := env.svc.ProposeProcess(env.ctx, ada, casework.Propose{Document: checkedPayment})
	wantCode(t, err, domain.UnsoundDefinition) // nothing is published under this key
	env.publishProcess(ada, abe, identityCheck)
	env.publishProcess(ada, abe, checkedPayment)
	called := func(version int) *workflow.Call {
		def, err := workflow.Parse([]byte(env.processDocument("checked_payment", version)))
		must(t, err)
		return def.Calls()[0].Call
	}
	recorded := env.processDocument("identity_check", 1)
	if call := called(1); call.Version != 1 || !strings.Contains(recorded, "version: 1") {
		t.Errorf("%+v", call)
	}
	weaker := strings.Replace(identityCheck, "queue: L1", "queue: L2", 1)
	env.publishProcess(ada, abe, weaker)
	// A forged text in the proposal is replaced by the published one.
	forged := strings.Replace(env.processDocument("checked_payment", 1), "reject: failed", "reject: passed", 1)
	env.publishProcess(ada, abe, strings.Replace(forged, "version: 1\n", "", 1))
	second, _ := workflow.Parse([]byte(env.processDocument("checked_payment", 2)))
	if identity, _ := second.Node("kyc/identity"); called(2).Version != 2 || identity.Queue != "L2" {
		t.Errorf("%+v %+v", called(2), identity)
	}
	// An earlier version is restored as it was.
	restored, err := env.svc.RestoreProcess(env.ctx, ada, casework.Restore{Key: "checked_payment", Version: 1})
	must(t, err)
	_, err = env.svc.PublishProcess(env.ctx, abe,
		casework.EndProposal{ProposalID: restored.ProposalID, Confirm: true})
	must(t, err)
	if called(3).Version != 1 {
		t.Errorf("restored with %+v", called(3))
	}
}

func TestACallableProcessHasNoCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, abe := env.admins()
	sam := env.person("sam", domain.RoleSubmitter)
	env.publishProcess(ada, abe, identityCheck)
	_, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{Process: "identity_check",
		DocumentType: "invoice", File: upload("x")})
	wantCode(t, err, domain.InvalidInput)
	// Neither becomes the other: running cases could not continue, and calls could not be made.
	for _, text := range []string{strings.Replace(checkedPayment, "key: checked_payment", "key: identity_check", 1),
		strings.Replace(identityCheck, "key: identity_check", "key: content_review", 1)} {
		checked, err := env.svc.CheckProcess(env.ctx, ada, text)
		must(t, err)
		if problems := checked.Report.Problems; len(problems) == 0 ||
			problems[0].Rule != "callable" && problems[0].Rule != "recursion" {
			t.Errorf("%v", problems)
		}
	}
}
