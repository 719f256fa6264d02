package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"countersign/store"
	"countersign/workflow"
)

// staffingState is what staffing was last asked of: it is asked again when rights or definitions have changed.
type staffingState struct {
	last atomic.Pointer[staffingInputs]
}

type staffingInputs struct {
	authority   int64
	definitions int
}

// CheckStaffing asks of every process in force whether there are enough distinct people for every way, and keeps the answer
// beside the definition. It does nothing while neither rights nor definitions have changed since this process last asked;
// again asks in any case. It returns the keys for which the answer has changed.
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
	now := staffingInputs{authority.Version, len(rows)}
	if before := svc.staffingCheck.last.Load(); !again && before != nil && *before == now {
		return nil, nil
	}
	held, err := svc.authorityAt(ctx, r, authority.Version)
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
		short, _ := findUnderstaffed(def, held.authorizer, people)
		differs, err := svc.storeStaffing(ctx, def, short)
		if err != nil {
			return changed, err
		}
		if differs {
			changed = append(changed, row.Key)
		}
	}
	svc.staffingCheck.last.Store(&now)
	return changed, nil
}

// storeStaffing writes the answer for one process and says so in the log where it is a bad one.
func (svc *Service) storeStaffing(ctx context.Context, def *workflow.Definition, short []workflow.Problem) (bool, error) {
	problems, err := json.Marshal(append([]workflow.Problem{}, short...))
	if err != nil {
		return false, fmt.Errorf("casework: encode staffing: %w", err)
	}
	changed, err := svc.db.Autocommit().PutStaffing(ctx, store.Staffing{Key: def.Key, Version: def.Version, Problems: problems})
	if err == nil && changed && len(short) > 0 {
		svc.log.WarnContext(ctx, "not enough people for every way", "process", def.Key, "version", def.Version, "way", short[0].String())
	}
	return changed, err
}

// checkDefinitions names published versions that can no longer be read or proved: their cases would stop.
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
			problems = []workflow.Problem{{Message: fmt.Sprintf("the text names %s version %d", def.Key, def.Version)}}
		}
		if len(problems) > 0 {
			found = append(found, Inconsistency{Kind: UnsoundDefinition, Object: fmt.Sprintf("%s %d", row.Key, row.Version),
				Message: fmt.Sprintf("process %s version %d does not hold any more: %s", row.Key, row.Version, problems[0]),
				Remedy:  "Its cases stop; publish a sound version, and run the program that they began with."})
		}
	}
	sets, err := svc.db.Reader().RuleSets(ctx)
	if err != nil {
		return found, err
	}
	for _, row := range sets {
		if _, judged := (ruleSetPublishable{svc}).parseKey(row.Document); judged.Refusal != nil {
			found = append(found, Inconsistency{Kind: UnsoundDefinition, Object: fmt.Sprintf("%s %d", row.Key, row.Version),
				Message: fmt.Sprintf("rule set %s version %d does not hold any more: %s", row.Key, row.Version, failureMessage(judged.Refusal)),
				Remedy:  "Restore an earlier version, or publish a mended one."})
		}
	}
	return found, nil
}

func failureMessage(err error) string {
	message, _ := failureText(err)
	return message
}
