package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/transport"
	"countersign/identity"
)

// onCase parses the common arguments of commands on a case.
func onCase(caseID string, expected *string, status *domain.Status, key *string) (
	casework.CaseTarget, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	on := casework.CaseTarget{Once: casework.Once{Key: valueOrEmpty(key)}, CaseID: id,
		ExpectedVersion: valueOrEmpty(expected)}
	if status != nil {
		on.Once.Expect = []domain.Status{*status}
	}
	return on, err
}

func onReview(reviewID string, expected, key *string) (casework.ReviewTarget, error) {
	id, err := scalar.IDOf(scalar.KindReview, "reviewId", reviewID)
	return casework.ReviewTarget{Once: casework.Once{Key: valueOrEmpty(key)}, ReviewID: id,
		ExpectedVersion: valueOrEmpty(expected)}, err
}

// fileOf returns the file of a command: sent with the request, or uploaded before.
func fileOf(file *transport.File, uploadID *string) (casework.Upload, domain.ID, error) {
	switch {
	case (file == nil) == (uploadID == nil):
		return casework.Upload{}, domain.NoID,
			domain.Invalid("file", "Send exactly one of file and uploadId.")
	case file != nil:
		return casework.Upload{FileName: file.Name, Size: file.Size, SHA256: file.SHA256,
			Open: file.Open}, domain.NoID, nil
	}
	id, err := domain.ParseID(*uploadID)
	if err != nil {
		err = domain.Errorf(domain.NotFound, "Upload not found.").
			WithRemedy("Upload the file again.")
	}
	return casework.Upload{}, id, err
}

func fieldsOf(inputs []donotuse.FieldInput) []casework.FieldInput {
	fields := make([]casework.FieldInput, 0, len(inputs))
	for _, input := range inputs {
		field := casework.FieldInput{Name: input.Name, Value: input.Value}
		if input.Undetermined != nil {
			field.Undetermined = *input.Undetermined
		}
		fields = append(fields, field)
	}
	return fields
}

// casePayload converts the result of a command on a case.
func casePayload(changed casework.CaseResult, err error) (*donotuse.CasePayload, error) {
	refusals, err := userErrorsOf(err)
	return &donotuse.CasePayload{CaseID: changed.CaseID, UserErrors: refusals}, err
}

func reviewPayload(changed casework.ReviewResult, err error) (*donotuse.ReviewPayload, error) {
	refusals, err := userErrorsOf(err)
	return &donotuse.ReviewPayload{ReviewID: changed.ReviewID, UserErrors: refusals}, err
}

func (r mutationResolver) SubmitDocument(ctx context.Context, in donotuse.SubmitDocumentInput) (
	*donotuse.SubmitDocumentPayload, error) {
	command := casework.SubmitDocument{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Process:      valueOrEmpty(in.Process),
		DocumentType: valueOrEmpty(in.DocumentType), Country: valueOrEmpty(in.Country)}
	if in.Channel != nil {
		command.Channel = *in.Channel
	}
	var err error
	if command.File, command.UploadID, err = fileOf(in.File, in.UploadID); err != nil {
		refusals, err := userErrorsOf(err)
		return &donotuse.SubmitDocumentPayload{UserErrors: refusals}, err
	}
	if in.Amount != nil {
		command.Amount, command.Currency = in.Amount.Amount, in.Amount.Currency
	}
	if in.Order != nil {
		order := orderOf(*in.Order)
		command.Order = &order
	}
	command.Attributes = statedAttributes(in.Attributes)
	if command.Documents, err = supportingFiles(in.Documents); err != nil {
		refusals, err := userErrorsOf(err)
		return &donotuse.SubmitDocumentPayload{UserErrors: refusals}, err
	}
	submitted, err := r.service.SubmitDocument(ctx, callerOf(ctx), command)
	refusals, err := userErrorsOf(err)
	return &donotuse.SubmitDocumentPayload{CaseID: submitted.CaseID, Twins: submitted.Twins,
		UserErrors: refusals}, err
}

func (r mutationResolver) ResubmitCase(ctx context.Context, in donotuse.ResubmitCaseInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.ResubmitCase(ctx, callerOf(ctx),
		casework.ResubmitCase{CaseTarget: on, Comment: valueOrEmpty(in.Comment),
			ReturnedAt: timeOrZero(in.ReturnedAt)}))
}

func (r mutationResolver) ReplaceDocument(ctx context.Context, in donotuse.ReplaceDocumentInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	command := casework.ReplaceDocument{CaseTarget: on}
	if command.File, command.UploadID, err = fileOf(in.File, in.UploadID); err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.ReplaceDocument(ctx, callerOf(ctx), command))
}

func (r mutationResolver) EnterFields(ctx context.Context, in donotuse.EnterFieldsInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.EnterFields(ctx, callerOf(ctx),
		casework.EnterFields{CaseTarget: on, Fields: fieldsOf(in.Fields)}))
}

func (r mutationResolver) RetryIncident(ctx context.Context, in donotuse.RetryIncidentInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.RetryIncident(ctx, callerOf(ctx), on))
}

func (r mutationResolver) AbandonCase(ctx context.Context, in donotuse.AbandonCaseInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	return casePayload(r.service.AbandonCase(ctx, callerOf(ctx),
		casework.AbandonCase{CaseTarget: on, Reason: in.Reason}))
}

func (r mutationResolver) ClaimReview(ctx context.Context, in donotuse.ClaimReviewInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ClaimReview(ctx, actor, on))
}

func (r mutationResolver) ClaimNextReview(ctx context.Context, in donotuse.ClaimNextReviewInput) (
	*donotuse.ReviewPayload, error) {
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	claim := casework.ClaimNext{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		ClaimedFirst: in.ClaimedFirst}
	if in.AfterReview != nil {
		claim.After, err = scalar.IDOf(scalar.KindReview, "afterReview", *in.AfterReview)
	}
	for i := 0; i < len(in.Skip) && err == nil; i++ {
		var skipped domain.ID
		skipped, err = scalar.IDOf(scalar.KindReview, "skip", in.Skip[i])
		claim.Skip = append(claim.Skip, skipped)
	}
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ClaimNextReview(ctx, actor, claim))
}

func (r mutationResolver) ReleaseReview(ctx context.Context, in donotuse.ReleaseReviewInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ReleaseReview(ctx, actor, on))
}

func (r mutationResolver) HeartbeatReview(ctx context.Context, in donotuse.HeartbeatReviewInput) (
	*donotuse.HeartbeatPayload, error) {
	payload := &donotuse.HeartbeatPayload{}
	id, err := scalar.IDOf(scalar.KindReview, "reviewId", in.ReviewID)
	if err == nil {
		until, beatErr := r.service.Heartbeat(ctx, callerOf(ctx), id)
		payload.ClaimUntil, err = timeOrNil(until), beatErr
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) SaveDraft(ctx context.Context, in donotuse.SaveDraftInput) (
	*donotuse.ReviewPayload, error) {
	id, err := scalar.IDOf(scalar.KindReview, "reviewId", in.ReviewID)
	if err == nil {
		err = r.service.SaveDraft(ctx, callerOf(ctx), id, in.Draft)
	}
	if err != nil {
		id = domain.NoID
	}
	return reviewPayload(casework.ReviewResult{ReviewID: id}, err)
}

func (r mutationResolver) CorrectFields(ctx context.Context, in donotuse.CorrectFieldsInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.CorrectFields(ctx, actor,
		casework.CorrectFields{ReviewTarget: on, Fields: fieldsOf(in.Fields), Confirm: in.Confirm}))
}

func (r mutationResolver) DecideReview(ctx context.Context, in donotuse.DecideReviewInput) (
	*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	signature, err := assertionOf(in.Signature)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.DecideReview(ctx, actor,
		casework.DecideReview{ReviewTarget: on, Verdict: in.Decision,
			Reason: valueOrEmpty(in.Reason), Overrides: overrideInputs(in.Overrides),
			Unchecked: in.Unchecked, Signature: signature, Undoable: in.Undoable}))
}

func (r mutationResolver) ReassignReviews(ctx context.Context, in donotuse.ReassignReviewsInput) (
	*donotuse.ReassignReviewsPayload, error) {
	payload := &donotuse.ReassignReviewsPayload{Results: []donotuse.ReassignResult{}}
	command, err := reassignment(in)
	var results []casework.ReassignResult
	if err == nil {
		results, err = r.service.ReassignReviews(ctx, callerOf(ctx), command)
	}
	for _, item := range results {
		result := donotuse.ReassignResult{ReviewID: scalar.GlobalID(scalar.KindReview,
			item.ReviewID)}
		failure := item.Err
		if failure == nil && item.Code != "" { // the stored result of the same command
			failure = domain.Errorf(item.Code, "%s", item.Message)
		}
		if failure == nil {
			result.Done = item.ReviewID
		}
		if result.UserErrors, failure = userErrorsOf(failure); failure != nil {
			return nil, failure
		}
		payload.Results = append(payload.Results, result)
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func reassignment(in donotuse.ReassignReviewsInput) (casework.ReassignReviews, error) {
	command := casework.ReassignReviews{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: valueOrEmpty(in.Reason)}
	for _, id := range in.ReviewIds {
		review, err := scalar.IDOf(scalar.KindReview, "reviewIds", id)
		if err != nil {
			return command, err
		}
		command.Reviews = append(command.Reviews, review)
	}
	var err error
	if command.Expected, err = expectedOf(command.Reviews, in.ExpectedVersions); err != nil ||
		in.To == nil {
		return command, err
	}
	command.To, err = scalar.IDOf(scalar.KindPerson, "to", *in.To)
	return command, err
}

func (r mutationResolver) CreateAPIToken(ctx context.Context, in donotuse.CreateAPITokenInput) (
	*donotuse.CreateAPITokenPayload, error) {
	secret, hash := identity.NewToken()
	command := casework.CreateToken{Name: in.Name, Scopes: in.Scopes, Hash: hash}
	if in.ExpiresAt != nil {
		command.ExpiresAt = *in.ExpiresAt
	}
	payload := &donotuse.CreateAPITokenPayload{}
	token, err := r.service.CreateToken(ctx, callerOf(ctx), command)
	if err == nil {
		payload.Token, payload.Secret = &token, &secret
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) RevokeAPIToken(ctx context.Context, in donotuse.RevokeAPITokenInput) (
	*donotuse.RevokeAPITokenPayload, error) {
	payload := &donotuse.RevokeAPITokenPayload{}
	id, err := scalar.IDOf(scalar.KindAPIToken, "tokenId", in.TokenID)
	if err == nil {
		var token domain.APIToken
		if token, err = r.service.RevokeToken(ctx, callerOf(ctx), id); err == nil {
			payload.Token = &token
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
