package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"countersign/audit"
	"countersign/domain"
	"countersign/events/generated"
)

// SignatureRequest is what a reviewer's passkey must sign so that an approval is accepted.
type SignatureRequest struct {
	// Challenge is the SHA-256 of Statement.
	Challenge    []byte
	Statement    string // a domain.ApprovalStatement as canonical JSON
	RelyingParty string
	Credentials  [][]byte // of the reviewer's passkeys
}

// PrepareApproval returns what the reviewer must sign to approve, nil if the approval needs no
// signature. It checks what DecideReview checks, and changes nothing. SignatureRequired if the
// reviewer cannot sign.
func (svc *Service) PrepareApproval(
	ctx context.Context, actor domain.Actor, in DecideReview,
) (*SignatureRequest, error) {
	if err := svc.inScope(ctx, actor, "decide", domain.ActDecide); err != nil {
		return nil, err
	}
	in.Verdict, in.Once = domain.Approve, Once{}
	return withPresentControls(ctx, svc,
		func() (domain.ID, error) { return svc.caseOfReview(ctx, in.ReviewID) },
		func(evaluated bool) (*SignatureRequest, error) {
			return runReviewCommand(ctx, svc, actor, "prepareApproval", in.ReviewTarget, in,
				func(c *command, review domain.Review) (*SignatureRequest, error) {
					c.evaluated = evaluated
					reason, err := c.checkDecision(review, in)
					if err != nil {
						return nil, err
					}
					return c.requestSignature(review, verdictInput{in.Verdict, reason, in.Overrides,
						in.Unchecked, nil})
				})
		})
}

// requestSignature refuses what decideReview would refuse after the reviewer has signed.
func (c *command) requestSignature(review domain.Review, in verdictInput) (*SignatureRequest, error) {
	if err := c.requirePresentControls(); err != nil || !c.signs(review, domain.Approve) {
		return nil, err
	}
	if c.actor.SessionID == domain.NoID {
		return nil, signatureRequired()
	}
	passkeys, err := c.tx.PasskeysOf(c.ctx, c.actor.UserID)
	if err != nil {
		return nil, err
	}
	if len(passkeys) == 0 {
		return nil, signatureRequired()
	}
	evidence, fields, findings, err := c.freezeEvidence()
	if err != nil {
		return nil, err
	}
	facts, err := c.processFacts(c.before, fields, findings)
	if err != nil {
		return nil, err
	}
	facts.Unseen = facts.Unseen && review.Repairs()
	if err := c.requireApprovable(review, &evidence, in, facts, fields, findings); err != nil {
		return nil, err
	}
	statement, err := audit.StatementOf(&domain.Decision{CaseID: c.before.ID, ReviewID: review.ID,
		Actor: c.actor.UserID, OnBehalfOf: c.actor.OnBehalfOf, Verdict: domain.Approve, Reason: in.reason,
		Evidence: evidence}, c.versionOf(review), statedOverrides(in.overrides))
	if err != nil {
		return nil, err
	}
	challenge := sha256.Sum256([]byte(statement))
	request := &SignatureRequest{Challenge: challenge[:], Statement: statement,
		RelyingParty: passkeys[0].RelyingParty}
	for _, p := range passkeys {
		request.Credentials = append(request.Credentials, p.CredentialID)
	}
	return request, nil
}

func (c *command) versionOf(review domain.Review) string {
	return ReviewVersion(review, c.before.FactsRevision)
}

// signs reports whether the verdict needs the reviewer's signature.
func (c *command) signs(review domain.Review, verdict domain.Verdict) bool {
	node, known := c.def.Node(review.Node)
	return known && verdict == domain.Approve &&
		node.SignsApproval(c.before.AmountKnown, c.before.BaseMinor)
}

func statedOverrides(inputs []OverrideInput) []domain.StatementOverride {
	var stated []domain.StatementOverride
	for _, input := range inputs {
		stated = append(stated, domain.StatementOverride{Rule: input.Rule,
			Reason: strings.TrimSpace(input.Reason)})
	}
	return stated
}

func signatureRequired() *domain.Error {
	return domain.Errorf(domain.SignatureRequired,
		"An approval of this amount needs your signature by passkey.").
		WithRemedy("Sign in with a browser, add a passkey to your account if it has none, and approve the review there.")
}

func signatureInvalid(cause error) *domain.Error {
	return domain.Errorf(domain.SignatureInvalid, "The signature is not valid for this approval: %v.",
		cause).WithRemedy("Reload the review and sign again.").WithCause(cause)
}

// signDecision adds the reviewer's signature to an approval that needs one. version is that of the
// review before the decision. A signature that is not needed is refused, so that none is recorded
// unverified.
func (c *command) signDecision(
	decision *domain.Decision, review domain.Review, version string, overrides []OverrideInput,
	signed *domain.PasskeyAssertion,
) error {
	needed := c.signs(review, decision.Verdict)
	switch {
	case !needed && signed == nil:
		return nil
	case !needed:
		return domain.Invalid("signature", "This decision needs no signature.")
	case signed == nil || c.actor.SessionID == domain.NoID:
		return signatureRequired()
	}
	passkey, err := c.tx.PasskeyByCredential(c.ctx, signed.CredentialID)
	if domain.HasCode(err, domain.NotFound) || err == nil && passkey.UserID != c.actor.UserID {
		return domain.Errorf(domain.SignatureInvalid, "The signature is not by one of your passkeys.").
			WithRemedy("Sign with a passkey of your account.")
	}
	if err != nil {
		return err
	}
	statement, err := audit.StatementOf(decision, version, statedOverrides(overrides))
	if err != nil {
		return err
	}
	challenge := sha256.Sum256([]byte(statement))
	count, err := audit.VerifyAssertion(audit.KeyOf(passkey), *signed, challenge[:])
	if err != nil {
		return signatureInvalid(err)
	}
	if err := c.usePasskey(passkey, count); err != nil {
		return err
	}
	decision.Signature = &domain.ApprovalSignature{PasskeyID: passkey.ID, Statement: statement,
		PasskeyAssertion: *signed}
	return nil
}

// usePasskey records the use of a passkey for a signature. Its registration must be in a checkpoint
// already, so that the signature is provably younger.
func (c *command) usePasskey(passkey domain.Passkey, count uint32) error {
	recorded, err := c.tx.PasskeyRecorded(c.ctx, passkey.ID)
	if err != nil {
		return err
	}
	if !recorded {
		return domain.Errorf(domain.SignatureInvalid,
			"Your passkey is new: no checkpoint of the audit log has it yet.").
			WithRemedy("Approve again in a minute.").WithDetail("reason", "passkey_new")
	}
	old, err := c.tx.PasskeyOlderThan(c.ctx, passkey.ID, independencePeriod)
	if err != nil || !old {
		return firstError(err, domain.Errorf(domain.SignatureInvalid,
			"Your passkey was added through your provider less than 24 hours ago.").
			WithRemedy("Leave the review to another reviewer, or approve it when 24 hours have passed.").
			WithDetail("reason", "passkey_new"))
	}
	used, err := c.tx.UsePasskey(c.ctx, passkey.ID, count)
	if err != nil {
		return err
	}
	if !used {
		return copiedPasskey()
	}
	return nil
}

func copiedPasskey() *domain.Error {
	return domain.Errorf(domain.SignatureInvalid,
		"The authenticator's counter did not grow: its key may have been copied.").
		WithRemedy("Remove this passkey, use another one, and tell an administrator.").
		WithDetail("reason", "passkey_copied")
}

// signatureEvent returns the part of the decision's event about the signature, nil without one.
func signatureEvent(signature *domain.ApprovalSignature) (*generated.ReviewDecidedV1Signature, error) {
	if signature == nil {
		return nil, nil
	}
	hash, err := audit.SignatureHash(signature)
	if err != nil {
		return nil, err
	}
	statement := sha256.Sum256([]byte(signature.Statement))
	return &generated.ReviewDecidedV1Signature{PasskeyID: signature.PasskeyID,
		SignatureSHA256: hash, StatementSHA256: hex.EncodeToString(statement[:])}, nil
}
