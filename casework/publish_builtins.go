package casework

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"countersign/authz"
	"countersign/doctype"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// PublishBuiltins publishes the processes, rule sets, document types and policy that ship with the
// program, as the system actor. A text that changed since an earlier release becomes the next version;
// versions published by users stay in force. It is idempotent, and works with the database role of the
// migration or of the application.
func (svc *Service) PublishBuiltins(ctx context.Context) error {
	sources, err := workflow.Builtin()
	if err != nil {
		return err
	}
	for _, source := range sources {
		if err := svc.publishBuiltinProcess(ctx, source); err != nil {
			return err
		}
	}
	if err := svc.publishBuiltinRuleSets(ctx); err != nil {
		return err
	}
	if err := svc.publishBuiltinDocumentTypes(ctx); err != nil {
		return err
	}
	return svc.publishBuiltinPolicy(ctx)
}

// publishedText is a published version of a text.
type publishedText struct {
	version  int
	document string
	builtin  bool
}

// nextBuiltinVersion returns the version under which a built-in text is to be published: its own if
// no version exists, or the successor of the newest version if that is built-in too. It returns 0
// if the text is already published; userVersion reports that it returns 0 because a user published
// the newest version. A text that was published once is never published again; otherwise programs
// of two releases would keep replacing each other's version.
func nextBuiltinVersion(
	text []byte, own int, newestFirst []publishedText,
) (next int, userVersion bool) {
	if len(newestFirst) == 0 {
		return own, false
	}
	unversioned := workflow.WithVersion(text, 0)
	for _, existing := range newestFirst {
		if bytes.Equal(workflow.WithVersion([]byte(existing.document), 0), unversioned) {
			return 0, false
		}
	}
	if newest := newestFirst[0]; newest.builtin {
		return newest.version + 1, false
	}
	return 0, true
}

// publishBuiltinText publishes a built-in text if necessary and appends the event to its stream.
func (svc *Service) publishBuiltinText(ctx context.Context, kind domain.ProposalKind,
	stream domain.SystemStream, key string, own int, text []byte,
	existing func(store.Reader) ([]publishedText, error),
	put func(tx *store.Tx, version int, text []byte) (bool, error),
) error {
	return svc.runBuiltinPublication(ctx, stream,
		func(tx *store.Tx) ([]events.Body, error) {
			versions, err := existing(tx.Reader)
			if err != nil {
				return nil, err
			}
			next, userVersion := nextBuiltinVersion(text, own, versions)
			if userVersion {
				svc.log.WarnContext(ctx,
					"built-in text changed, user version stays in force", "kind", kind, "key", key,
					"version", versions[0].version)
			}
			if next == 0 {
				return nil, nil
			}
			text := workflow.WithVersion(text, next)
			inserted, err := put(tx, next, text)
			if err != nil || !inserted {
				return nil, err
			}
			hash := sha256.Sum256(text)
			var body events.Body = generated.DefinitionPublishedV2{Kind: string(kind),
				DefinitionVersion: int64(next), Key: key, Base: int64(next - 1),
				SHA256: hex.EncodeToString(hash[:]), By: domain.SystemUserID}
			if kind == domain.ProposeDocumentType {
				body = documentTypePublishable{svc: svc}.translateEvent(body, "")
			}
			return []events.Body{body}, nil
		})
}

func (svc *Service) publishBuiltinProcess(ctx context.Context, source workflow.Source) error {
	def, err := workflow.Parse(source.YAML)
	if err != nil {
		return err
	}
	if proof := workflow.Verify(def); len(proof.Problems) > 0 {
		return domain.Errorf(domain.Internal, "The built-in process %s is unsound: %v.", source.Key,
			proof.Problems[0])
	}
	existing := func(r store.Reader) ([]publishedText, error) {
		rows, err := r.Definitions(ctx)
		var versions []publishedText
		for _, row := range rows {
			if row.Key == source.Key {
				versions = append(versions,
					publishedText{row.Version, row.Document,
						row.PublishedBy == domain.SystemUserID})
			}
		}
		return versions, err
	}
	return svc.publishBuiltinText(ctx, domain.ProposeProcess, domain.DefinitionStream(source.Key),
		source.Key, source.Version, source.YAML, existing,
		func(tx *store.Tx, version int, text []byte) (bool, error) {
			owners, err := tx.ProcessOwners(ctx, source.Key)
			if err != nil {
				return false, err
			}
			if owners.Required > 0 {
				svc.log.WarnContext(ctx, "built-in text changed, but the process has owners who did not approve it",
					"key", source.Key)
				return false, nil
			}
			return tx.PublishDefinition(ctx,
				store.NewDefinition{Key: source.Key, Version: version, Document: string(text),
					HasAmount:     def.HasAmount,
					RequiresOrder: def.RequiresOrder(), By: domain.SystemUserID})
		})
}

// publishBuiltinRuleSets publishes the built-in rule sets.
func (svc *Service) publishBuiltinRuleSets(ctx context.Context) error {
	sources, err := rules.Builtin()
	if err != nil {
		return err
	}
	for _, source := range sources {
		existing := func(r store.Reader) ([]publishedText, error) {
			rows, err := r.RuleSets(ctx)
			var versions []publishedText
			for _, row := range rows {
				if row.Key == source.Key {
					versions = append(versions,
						publishedText{row.Version, row.Document,
							row.PublishedBy == domain.SystemUserID})
				}
			}
			return versions, err
		}
		err := svc.publishBuiltinText(ctx, domain.ProposeRuleSet, domain.RuleSetStream(source.Key),
			source.Key, source.Version, source.YAML, existing,
			func(tx *store.Tx, version int, text []byte) (bool, error) {
				return tx.PublishRuleSet(ctx,
					store.RuleSetRow{Key: source.Key, Version: version, Document: string(text),
						PublishedBy: domain.SystemUserID})
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// publishBuiltinDocumentTypes publishes the built-in document types.
func (svc *Service) publishBuiltinDocumentTypes(ctx context.Context) error {
	sources, err := doctype.Builtin()
	if err != nil {
		return err
	}
	for _, source := range sources {
		existing := func(r store.Reader) ([]publishedText, error) {
			rows, err := r.DocumentTypes(ctx)
			var versions []publishedText
			for _, row := range rows {
				if row.Key == source.Key {
					versions = append(versions, publishedText{row.Version, row.Document,
						row.PublishedBy == domain.SystemUserID})
				}
			}
			return versions, err
		}
		err := svc.publishBuiltinText(ctx, domain.ProposeDocumentType,
			domain.DocumentTypeStream(source.Key), source.Key, source.Version, source.YAML, existing,
			func(tx *store.Tx, version int, text []byte) (bool, error) {
				return tx.PublishDocumentType(ctx, store.DocumentTypeRow{Key: source.Key,
					Version: version, Document: string(text), PublishedBy: domain.SystemUserID})
			})
		if err != nil {
			return err
		}
	}
	return nil
}

func (svc *Service) publishBuiltinPolicy(ctx context.Context) error {
	return svc.runBuiltinPublication(ctx, domain.PolicyStream,
		func(tx *store.Tx) ([]events.Body, error) {
			policy := authz.DefaultPolicy()
			encoded, err := domain.CanonicalJSON(policy.Rules)
			if err != nil {
				return nil, err
			}
			next, err := nextBuiltinPolicyVersion(ctx, tx, encoded)
			if err != nil || next == 0 {
				return nil, err
			}
			if err := tx.PutPolicy(ctx, next, encoded, domain.SystemUserID); err != nil {
				return nil, err
			}
			if _, err := tx.IncrementAuthority(ctx); err != nil {
				return nil, err
			}
			hash := sha256.Sum256(encoded)
			return []events.Body{generated.PolicyPublishedV1{PolicyVersion: next,
				Rules: int64(len(policy.Rules)), SHA256: hex.EncodeToString(hash[:])}}, nil
		})
}

// runBuiltinPublication runs a publication by the system actor and appends the events that fn
// returns. It has no refusals, so none is logged.
func (svc *Service) runBuiltinPublication(
	ctx context.Context, stream domain.SystemStream, fn func(*store.Tx) ([]events.Body, error),
) error {
	spec := workSpec{operation: "publishBuiltins", stream: stream, callerLogsRefusal: true}
	return svc.runUnitOfWork(ctx, domain.SystemActor(), spec, func(w *unitOfWork) error {
		bodies, err := fn(w.tx)
		w.emit(bodies...)
		return err
	})
}

// nextBuiltinPolicyVersion returns the version under which the built-in policy is to be published:
// the first, or the successor of an older built-in policy. It returns 0 if the built-in policy is
// in force or a user published the current one.
func nextBuiltinPolicyVersion(ctx context.Context, tx *store.Tx, encoded []byte) (int64, error) {
	version, by, err := tx.PolicyAuthor(ctx)
	if domain.HasCode(err, domain.NotFound) {
		return 1, nil
	}
	if err != nil || by != domain.SystemUserID {
		return 0, err
	}
	policy, err := loadPolicy(ctx, tx.Reader)
	if err != nil {
		return 0, err
	}
	current, err := domain.CanonicalJSON(policy.Rules)
	if err != nil || bytes.Equal(current, encoded) {
		return 0, err
	}
	return version + 1, nil
}
