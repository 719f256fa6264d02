package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// AddDocument adds a supporting document to a returned case.
type AddDocument struct {
	CaseTarget
	SupportingFile

	// Replaces is the number of the document that it replaces; 0 if none.
	Replaces int
}

// AddDocument adds a supporting document to a returned case, or to one with an incident in place of a
// document that could not be read. It takes the place of an earlier one if it says so: that
// one is kept. All votes are revoked, and resubmitting restarts the process where a replaced document does.
func (svc *Service) AddDocument(
	ctx context.Context, actor domain.Actor, in AddDocument,
) (CaseResult, error) {
	const operation = "addDocument"
	if err := svc.inScope(ctx, actor, operation, domain.ActReplace); err != nil {
		return CaseResult{}, err
	}
	if err := svc.authorizeCaseUnlocked(ctx, actor, domain.ActReplace, in.CaseID); err != nil {
		svc.logRefusal(ctx, actor, operation, in.CaseID, err)
		return CaseResult{}, err
	}
	request := []any{in.CaseID, in.ExpectedVersion, in.Kind, in.Replaces, in.File.FileName,
		in.File.requestIdentity(in.UploadID)}
	var done CaseResult
	if replayed, err := svc.findReplay(ctx, actor, operation, in.Once, request,
		&done); err != nil || replayed {
		return done, err
	}
	file, err := svc.checkSupportingFile(ctx, actor, in.SupportingFile)
	if err != nil {
		return CaseResult{}, atDocument(in.SupportingFile, err)
	}
	next := file.unstored(in.CaseID)
	next.Replaces = in.Replaces
	if err := svc.dryRunCaseCommand(ctx, actor, operation, in.CaseID, in.Once,
		func(c *command) error { return c.addDocument(in, next) }); err != nil {
		return CaseResult{}, err
	}
	if next, err = svc.storeSupportingFile(ctx, actor, in.CaseID, &file); err != nil {
		return CaseResult{}, err
	}
	next.Replaces = in.Replaces
	done, err = runCaseCommand(ctx, svc, actor, operation, in.CaseID, in.Once, request,
		func(c *command) (CaseResult, error) {
			err := c.addDocument(in, next)
			return c.caseResult(), err
		})
	if err == nil {
		svc.removeUpload(ctx, in.UploadID)
	}
	return done, err
}

// addDocument checks the command and adds the document.
func (c *command) addDocument(in AddDocument, next domain.SupportingDocument) error {
	if err := firstError(c.authorizeCase(domain.ActReplace), c.refuseExcluded()); err != nil {
		return err
	}
	if !c.actsForSubmitter() {
		return domain.Errorf(domain.NotPermitted, "Only the submitter adds documents to a case.")
	}
	if err := checkExpectedVersion(in.ExpectedVersion, CaseVersion(c.before)); err != nil {
		return err
	}
	if err := c.consumeUpload(in.UploadID, in.CaseID, store.UploadSupporting); err != nil {
		return err
	}
	all, err := c.supporting()
	if err != nil {
		return err
	}
	repairs, err := c.repairsSupporting(in.Replaces)
	if err != nil {
		return err
	}
	if c.before.Status != domain.Returned && !repairs {
		return domain.Errorf(domain.StateMismatch,
			"A document can be added only after the case was returned.").
			WithDetail("status", string(c.before.Status)).
			WithRemedy("Ask a reviewer to return the case.")
	}
	main, err := c.newestDocument()
	if err != nil {
		return err
	}
	if all, err = domain.NextSupporting(c.def.Documents, all, next, main.SHA256); err != nil {
		return err
	}
	c.change.Case.FactsRevision++
	if repairs {
		if err := c.resolveOpenIncident("replace"); err != nil {
			return err
		}
	}
	c.addSupporting(all[len(all)-1:])
	if err := c.revokeVotes(func(domain.Vote) bool { return true }, "a document was added"); err != nil || !repairs {
		return err
	}
	return c.advanceProcess(workflow.Event{Kind: workflow.Replaced})
}

// repairsSupporting reports whether the case has an incident of a step that reads, and its supporting document
// of the number was not read, so that another file can take its place.
func (c *command) repairsSupporting(number int) (bool, error) {
	if c.before.Status != domain.Incident || number == 0 {
		return false, nil
	}
	run, err := c.currentIncident()
	if err != nil {
		return false, err
	}
	if node, known := c.def.Node(run.Node); !known || node.Behaviour != domain.BehaviourRead {
		return false, nil
	}
	unread, err := c.tx.SupportingToRead(c.ctx, c.before.ID)
	return slices.ContainsFunc(unread,
		func(d domain.SupportingDocument) bool { return d.Number == number }), err
}

// supporting returns the supporting documents of the case. A case of a process that declares none has none,
// so that its commands read nothing.
func (c *command) supporting() ([]domain.SupportingDocument, error) {
	if len(c.def.Documents) == 0 {
		return nil, nil
	}
	return c.tx.Supporting(c.ctx, c.before.ID)
}

// refuseEqualSupporting refuses a document with the bytes of a supporting one.
func (c *command) refuseEqualSupporting(document domain.Document) error {
	all, err := c.supporting()
	if err != nil {
		return err
	}
	for _, one := range domain.CurrentSupporting(all) {
		if slices.Equal(one.SHA256, document.SHA256) {
			return domain.Invalid("file", "The file is already a supporting document, %s.", one.FileName).
				WithRemedy("Choose another file.")
		}
	}
	return nil
}

// refuseSupporting refuses to split a case with supporting documents, because it is unknown to which part
// they belong, and to merge parts that have any.
func (c *command) refuseSupporting() error {
	all, err := c.supporting()
	if err != nil || len(all) == 0 {
		return err
	}
	return domain.Errorf(domain.StateMismatch,
		"%s has supporting documents, so its file cannot be split or merged.", c.before.Reference).
		WithDetail("reason", "documents").WithDetail("case", c.before.Reference).
		WithRemedy("Return the case, so that each document is submitted with its own documents.")
}

// copySupporting stores the current supporting documents of a case as those of a new case.
func (svc *Service) copySupporting(
	ctx context.Context, actor domain.Actor, from, to domain.ID,
) ([]domain.SupportingDocument, error) {
	all, err := svc.db.Reader().Supporting(ctx, from)
	if err != nil {
		return nil, err
	}
	current := domain.CurrentSupporting(all)
	for i := range current {
		d := &current[i]
		content, _, err := svc.ports.Blobs.Open(ctx, d.BlobKey)
		if err != nil {
			return nil, err
		}
		d.BlobKey, _, _, err = svc.ports.Blobs.Put(ctx, to, content)
		_ = content.Close()
		if err != nil {
			return nil, err
		}
		d.CaseID, d.CreatedBy, d.Replaces = to, actor.UserID, 0
	}
	return current, nil
}

// acceptsCopies reports whether a version of a process accepts what was submitted with a case.
func acceptsCopies(def *workflow.Definition, s submission) bool {
	_, err := s.supportingFor(def, nil)
	return err == nil && domain.FitAttributes(def.Attributes, s.record.Attributes) == nil
}

// checkSupporting refuses a case whose supporting documents the version does not accept.
func (m *caseMigration) checkSupporting() error {
	all, err := m.tx.Supporting(m.ctx, m.before.ID)
	if err == nil && domain.FitSupporting(m.to.Documents, all) != nil {
		err = refuseMove(moveFiles,
			"The new version requires another supporting document, or does not accept one that the case has.")
	}
	return err
}
