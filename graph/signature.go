package graph

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
)

func (r mutationResolver) PrepareApproval(ctx context.Context, in donotuse.PrepareApprovalInput) (
	*donotuse.PrepareApprovalPayload, error) {
	payload := &donotuse.PrepareApprovalPayload{}
	request, err := r.prepareApproval(ctx, in)
	if request != nil {
		payload.Signature = &donotuse.SignatureRequest{Challenge: encodeBinary(request.Challenge),
			RelyingParty: request.RelyingParty, CredentialIds: []string{},
			Statement: json.RawMessage(request.Statement)}
		for _, id := range request.Credentials {
			payload.Signature.CredentialIds = append(payload.Signature.CredentialIds, encodeBinary(id))
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) prepareApproval(ctx context.Context, in donotuse.PrepareApprovalInput) (
	*casework.SignatureRequest, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, nil)
	if err != nil {
		return nil, err
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return nil, err
	}
	return r.service.PrepareApproval(ctx, actor, casework.DecideReview{ReviewTarget: on,
		Reason: valueOrEmpty(in.Reason), Overrides: overrideInputs(in.Overrides), Unchecked: in.Unchecked})
}

func encodeBinary(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// assertionOf decodes a passkey's answer, nil without one.
func assertionOf(in *donotuse.PasskeyAssertionInput) (*domain.PasskeyAssertion, error) {
	if in == nil {
		return nil, nil
	}
	signed := &domain.PasskeyAssertion{}
	for _, part := range []struct {
		text string
		into *[]byte
	}{{in.CredentialID, &signed.CredentialID}, {in.ClientDataJSON, &signed.ClientData},
		{in.AuthenticatorData, &signed.AuthenticatorData}, {in.Signature, &signed.Signature}} {
		raw, err := base64.RawURLEncoding.DecodeString(part.text)
		if err != nil {
			return nil, domain.Invalid("signature", "The signature is not in base64url without padding.").
				WithCause(err)
		}
		*part.into = raw
	}
	return signed, nil
}

// Signature is null for viewers of a redacted case, because the statement has the hash of the whole
// evidence.
func (decisionResolver) Signature(ctx context.Context, d *domain.Decision) (
	*donotuse.ApprovalSignature, error) {
	if d.Signature == nil {
		return nil, nil
	}
	c, err := loadersFrom(ctx).cases.Load(ctx, d.CaseID)
	if err != nil || c == nil || c.Redacted {
		return nil, err
	}
	passkey, err := loadersFrom(ctx).passkeys.Load(ctx, d.Signature.PasskeyID)
	if err != nil {
		return nil, err
	}
	hash, err := signedHash(d.Signature)
	if err != nil {
		return nil, err
	}
	return &donotuse.ApprovalSignature{PasskeyID: d.Signature.PasskeyID.String(),
		PasskeyName: passkey.Name, Statement: json.RawMessage(d.Signature.Statement),
		StatementSha256: hash}, nil
}

// signedHash returns the hash of the statement, which is the signed challenge. An erasure removes the
// statement and not the challenge.
func signedHash(signature *domain.ApprovalSignature) (string, error) {
	var client struct {
		Challenge string `json:"challenge"`
	}
	err := json.Unmarshal(signature.ClientData, &client)
	if err != nil {
		return "", fmt.Errorf("graph: signature: %w", err)
	}
	hash, err := base64.RawURLEncoding.DecodeString(client.Challenge)
	if err != nil {
		return "", fmt.Errorf("graph: signature: %w", err)
	}
	return hex.EncodeToString(hash), nil
}

func (r reviewResolver) SignatureRequired(ctx context.Context, review *domain.Review) (bool, error) {
	c, err := loadersFrom(ctx).cases.Load(ctx, review.CaseID)
	if err != nil || c == nil {
		return false, err
	}
	return r.views.SignsApproval(ctx, c.Case, *review)
}
