package casework

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"countersign/authz"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// PublishBuiltins publishes what comes with the program, as the system: processes, rule sets, the policy. A text that has
// changed since an earlier program becomes the next version; where people have published versions of their own, theirs stay
// in force. It runs with the rights of migrate or of the application, and may run again.
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
	return svc.publishBuiltinPolicy(ctx)
}

// publishedText is a published version, by whomever.
type publishedText struct {
	version  int
	document string
	builtin  bool
}

// nextBuiltinVersion is the version under which a text of the program is published: its own where nothing stands, the one after
// the newest where that came with another program. 0: it stands already, or, when kept, people have versions of their own.
// A text that stands somewhere is never published again, so that programs of two versions do not take turns.
func nextBuiltinVersion(text []byte, own int, newestFirst []publishedText) (next int, kept bool) {
	if len(newestFirst) == 0 {
		return own, false
	}
	plain := workflow.WithVersion(text, 0)
	for _, existing := range newestFirst {
		if bytes.Equal(workflow.WithVersion([]byte(existing.document), 0), plain) {
			return 0, false
		}
	}
	if newest := newestFirst[0]; newest.builtin {
		return newest.version + 1, false
	}
	return 0, true
}

// publishBuiltinText publishes a text of the program if it has to be, and tells of it on its stream.
func (svc *Service) publishBuiltinText(ctx context.Context, kind domain.ProposalKind, stream domain.SystemStream, key string, own int, text []byte,
	existing func(store.Reader) ([]publishedText, error), put func(tx *store.Tx, version int, text []byte) (bool, error),
) error {
	return svc.runStreamChange(ctx, stream, domain.SystemActor(), func(tx *store.Tx) ([]events.Body, error) {
		versions, err := existing(tx.Reader)
		if err != nil {
			return nil, err
		}
		next, kept := nextBuiltinVersion(text, own, versions)
		if kept {
			svc.log.WarnContext(ctx, "what comes with the program has changed; the version published here stays in force", "kind", kind, "key", key,
				"version", versions[0].version)
		}
		if next == 0 {
			return nil, nil
		}
		text := workflow.WithVersion(text, next)
		fresh, err := put(tx, next, text)
		if err != nil || !fresh {
			return nil, err
		}
		hash := sha256.Sum256(text)
		return []events.Body{generated.DefinitionPublishedV2{Kind: string(kind), DefinitionVersion: int64(next), Key: key, Base: int64(next - 1),
			SHA256: hex.EncodeToString(hash[:]), By: domain.SystemUserID}}, nil
	})
}

func (svc *Service) publishBuiltinProcess(ctx context.Context, source workflow.Source) error {
	def, err := workflow.Parse(source.YAML)
	if err != nil {
		return err
	}
	if proof := workflow.Verify(def); len(proof.Problems) > 0 {
		return domain.Errorf(domain.Internal, "The built-in process %s is not sound: %v.", source.Key, proof.Problems[0])
	}
	existing := func(r store.Reader) ([]publishedText, error) {
		rows, err := r.Definitions(ctx)
		var versions []publishedText
		for _, row := range rows {
			if row.Key == source.Key {
				versions = append(versions, publishedText{row.Version, row.Document, row.PublishedBy == domain.SystemUserID})
			}
		}
		return versions, err
	}
	return svc.publishBuiltinText(ctx, domain.ProposeProcess, domain.DefinitionStream(source.Key), source.Key, source.Version, source.YAML, existing,
		func(tx *store.Tx, version int, text []byte) (bool, error) {
			return tx.PublishDefinition(ctx, store.NewDefinition{Key: source.Key, Version: version, Document: string(text),
				HasAmount: def.HasAmount, By: domain.SystemUserID})
		})
}

// publishBuiltinRuleSets publishes the rule sets that come with the program.
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
					versions = append(versions, publishedText{row.Version, row.Document, row.PublishedBy == domain.SystemUserID})
				}
			}
			return versions, err
		}
		err := svc.publishBuiltinText(ctx, domain.ProposeRuleSet, domain.RuleSetStream(source.Key), source.Key, source.Version, source.YAML, existing,
			func(tx *store.Tx, version int, text []byte) (bool, error) {
				return tx.PublishRuleSet(ctx, store.RuleSetRow{Key: source.Key, Version: version, Document: string(text), PublishedBy: domain.SystemUserID})
			})
		if err != nil {
			return err
		}
	}
	return nil
}

func (svc *Service) publishBuiltinPolicy(ctx context.Context) error {
	return svc.runStreamChange(ctx, domain.PolicyStream, domain.SystemActor(), func(tx *store.Tx) ([]events.Body, error) {
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
		return []events.Body{generated.PolicyPublishedV1{PolicyVersion: next, Rules: int64(len(policy.Rules)), SHA256: hex.EncodeToString(hash[:])}}, nil
	})
}

// nextBuiltinPolicyVersion is the version under which the program's own rules come into force: the first, or the one after those
// of an older program that nobody has changed. 0 when they hold already, or people have made rules of their own.
func nextBuiltinPolicyVersion(ctx context.Context, tx *store.Tx, encoded []byte) (int64, error) {
	present, by, err := tx.PolicyAuthor(ctx)
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
	held, err := domain.CanonicalJSON(policy.Rules)
	if err != nil || bytes.Equal(held, encoded) {
		return 0, err
	}
	return present + 1, nil
}
