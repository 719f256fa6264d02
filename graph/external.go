package graph

import (
	"context"
	"encoding/hex"
	"fmt"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
)

// externalLease parses the task and the lease token of a worker.
func externalLease(in donotuse.ExternalLeaseInput) (lease casework.ExternalLease, err error) {
	if lease.CaseID, err = scalar.IDOf(scalar.KindCase, "caseId", in.CaseID); err != nil {
		return lease, err
	}
	if lease.RunID, err = scalar.IDOf(scalar.KindTask, "taskId", in.TaskID); err != nil {
		return lease, err
	}
	if lease.Token, err = domain.ParseID(in.LeaseToken); err != nil {
		err = domain.Invalid("leaseToken", "%.60q is not a valid lease token.", in.LeaseToken)
	}
	return lease, err
}

func externalTask(task casework.ExternalTask) donotuse.ExternalTask {
	c, d := task.Case, task.Document
	output := donotuse.ExternalTask{ID: scalar.GlobalID(scalar.KindTask, task.Run.ID),
		LeaseToken: task.Run.LeaseToken.String(),
		LeaseUntil: task.Run.LeaseUntil, Topic: task.Run.Topic, Node: task.Run.Node,
		Visit: task.Run.Visit, Attempt: task.Run.Attempt,
		Outcomes: task.Outcomes, CaseID: scalar.GlobalID(scalar.KindCase, c.ID),
		Reference: c.Reference, ProcessKey: c.ProcessKey,
		ProcessVersion: c.ProcessVersion, DocumentType: c.DocumentType, Country: c.Country,
		Fields: task.Fields, RiskBasis: donotuse.ExternalRiskBasis{
			Amounts: listed(task.Risk.Amounts), Countries: listed(task.Risk.Countries),
			CountryRoles: listed(task.Risk.CountryRoles),
			Names:        listed(task.Risk.Names), TaxIds: listed(task.Risk.TaxIDs),
			Accounts: listed(task.Risk.Accounts)},
		CorrelationID: c.CorrelationID,
		Document: donotuse.ExternalDocument{Revision: d.Revision, FileName: d.FileName,
			MediaType: d.MediaType, Size: d.Size,
			Sha256: hex.EncodeToString(d.SHA256),
			Path:   fmt.Sprintf("/cases/%s/document?revision=%d", c.ID, d.Revision),
			Pages:  make([]donotuse.ExternalPage, 0, len(task.Pages))}}
	if c.Part.PagesOf(d) {
		output.Document.Part = &casework.PageRange{First: c.Part.First, Last: c.Part.Last}
	}
	if c.AmountKnown {
		output.Amount = &c.Amount
	}
	if task.Traceparent != "" {
		output.Traceparent = &task.Traceparent
	}
	for _, page := range task.Pages {
		output.Document.Pages = append(output.Document.Pages,
			donotuse.ExternalPage{Number: page.Number, Text: page.Text,
				Path: fmt.Sprintf("/cases/%s/pages/%d?revision=%d", c.ID, page.Number, d.Revision)})
	}
	return output
}

// listed returns the values as a list that is never null.
func listed[T any](values []T) []T { return append([]T{}, values...) }

func (r mutationResolver) LeaseExternalTasks(ctx context.Context,
	in donotuse.LeaseExternalTasksInput) (*donotuse.LeaseExternalTasksPayload, error) {
	payload := &donotuse.LeaseExternalTasksPayload{Tasks: []donotuse.ExternalTask{}}
	tasks, err := r.service.LeaseExternalTasks(ctx, callerOf(ctx),
		casework.LeaseExternal{Topic: in.Topic, Worker: valueOrEmpty(in.Worker), MaxTasks: in.Most})
	for _, task := range tasks {
		payload.Tasks = append(payload.Tasks, externalTask(task))
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) ExtendExternalTask(ctx context.Context,
	in donotuse.ExtendExternalTaskInput) (*donotuse.ExtendExternalTaskPayload, error) {
	payload := &donotuse.ExtendExternalTaskPayload{}
	lease, err := externalLease(in.Lease)
	if err == nil {
		until, extendErr := r.service.ExtendExternalTask(ctx, callerOf(ctx), lease)
		payload.LeaseUntil, err = timeOrNil(until), extendErr
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) CompleteExternalTask(ctx context.Context,
	in donotuse.CompleteExternalTaskInput) (*donotuse.ExternalTaskPayload, error) {
	lease, err := externalLease(in.Lease)
	if err != nil {
		return externalPayload(err)
	}
	command := casework.CompleteExternal{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Lease: lease, Outcome: valueOrEmpty(in.Outcome)}
	for _, field := range in.Fields {
		command.Fields = append(command.Fields,
			casework.ExternalField{Name: field.Name, Value: field.Value, Page: field.Page,
				Confidence: field.Confidence})
	}
	_, err = r.service.CompleteExternalTask(ctx, callerOf(ctx), command)
	return externalPayload(err)
}

func (r mutationResolver) FailExternalTask(ctx context.Context, in donotuse.FailExternalTaskInput) (
	*donotuse.ExternalTaskPayload, error) {
	lease, err := externalLease(in.Lease)
	if err != nil {
		return externalPayload(err)
	}
	_, err = r.service.FailExternalTask(ctx, callerOf(ctx),
		casework.FailExternal{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
			Lease: lease,
			Code:  domain.Code(valueOrEmpty(in.Code)), Message: in.Message})
	return externalPayload(err)
}

func externalPayload(err error) (*donotuse.ExternalTaskPayload, error) {
	done := err == nil
	refusals, err := userErrorsOf(err)
	return &donotuse.ExternalTaskPayload{Done: done, UserErrors: refusals}, err
}
