package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"countersign/doctype"
	"countersign/store"
	"countersign/workflow"
)

// staffingState remembers the inputs of the last staffing check, which is repeated when they
// change.
type staffingState struct {
	last atomic.Pointer[staffingInputs]
}

type staffingInputs struct {
	authority   int64
	definitions int
}

// CheckStaffing checks for every process in force whether each path has enough distinct reviewers,
// and stores the result next to the definition. It skips the check if neither permissions nor
// definitions changed since this process last checked; again forces it. It returns the keys whose
// result changed.
func (svc *Service) CheckStaffing(ctx context.Context, again bool) ([]string, error) {
	r := svc.db.Reader()
	authority, err := r.AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	inputs := staffingInputs{authority.Version, len(rows)}
	if before := svc.staffingCheck.last.Load(); !again && before != nil && *before == inputs {
		return nil, nil
	}
	snapshot, err := svc.authorityAt(ctx, r, authority.Version)
	if err != nil {
		return nil, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	var changed []string
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		def, err := svc.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			return changed, err
		}
		found := findUnderstaffed(def, snapshot.authorizer, people)
		differs, err := svc.storeStaffing(ctx, def, slices.Concat(found.short, found.second))
		if err != nil {
			return changed, err
		}
		if differs {
			changed = append(changed, row.Key)
		}
	}
	svc.staffingCheck.last.Store(&inputs)
	return changed, nil
}

// storeStaffing stores the result for one process and logs a warning if it lacks reviewers.
func (svc *Service) storeStaffing(
	ctx context.Context, def *workflow.Definition, short []workflow.Problem,
) (bool, error) {
	problems, err := json.Marshal(append([]workflow.Problem{}, short...))
	if err != nil {
		return false, fmt.Errorf("casework: encode staffing: %w", err)
	}
	changed, err := svc.db.Autocommit().PutStaffing(ctx,
		store.Staffing{Key: def.Key, Version: def.Version, Problems: problems})
	if err == nil && changed && len(short) > 0 {
		svc.log.WarnContext(ctx, "not enough reviewers for every path", "process", def.Key,
			"version", def.Version, "way", short[0].String())
	}
	return changed, err
}

// checkDefinitions lists published versions that no longer parse or verify; their cases would stop.
func (svc *Service) checkDefinitions(ctx context.Context) ([]Inconsistency, error) {
	rows, err := svc.db.Reader().Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var found []Inconsistency
	for _, row := range rows {
		def, problems := workflow.Check([]byte(row.Document))
		if len(problems) == 0 {
			problems = workflow.Verify(def).Problems
		}
		if len(problems) == 0 && (def.Key != row.Key || def.Version != row.Version) {
			problems = []workflow.Problem{
				{Message: fmt.Sprintf("the text contains %s version %d", def.Key, def.Version)}}
		}
		if len(problems) > 0 {
			found = append(found,
				Inconsistency{Kind: UnsoundDefinition,
					Object: fmt.Sprintf("%s %d", row.Key, row.Version),
					Message: fmt.Sprintf("process %s version %d is no longer valid: %s", row.Key,
						row.Version, problems[0]),
					Remedy: "Its cases stop. Publish a valid version, and run the release with which they started."})
		}
	}
	sets, err := svc.db.Reader().RuleSets(ctx)
	if err != nil {
		return found, err
	}
	for _, row := range sets {
		if _, parsed := (ruleSetPublishable{svc: svc}).parseKey(row.Document); parsed.Refusal != nil {
			found = append(found,
				Inconsistency{Kind: UnsoundDefinition,
					Object: fmt.Sprintf("%s %d", row.Key, row.Version),
					Message: fmt.Sprintf("rule set %s version %d is no longer valid: %s", row.Key,
						row.Version, failureMessage(parsed.Refusal)),
					Remedy: "Restore an earlier version, or publish a corrected one."})
		}
	}
	types, err := svc.invalidDocumentTypes(ctx)
	return append(found, types...), err
}

// invalidDocumentTypes lists published versions of document types that can no longer be read.
func (svc *Service) invalidDocumentTypes(ctx context.Context) ([]Inconsistency, error) {
	rows, err := svc.db.Reader().DocumentTypes(ctx)
	var found []Inconsistency
	for _, row := range rows {
		if _, err := doctype.ParsePublished([]byte(row.Document)); err != nil {
			found = append(found, Inconsistency{Kind: UnsoundDefinition,
				Object: fmt.Sprintf("%s %d", row.Key, row.Version),
				Message: fmt.Sprintf("document type %s version %d is no longer valid: %s", row.Key,
					row.Version, failureMessage(err)),
				Remedy: "Its cases stop. Run the release with which it was published."})
		}
	}
	return found, err
}

func failureMessage(err error) string {
	message, _ := failureText(err)
	return message
}
