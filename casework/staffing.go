package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"countersign/store"
	"countersign/workflow"
)

// staffed is what staffing was last asked of: it is asked again when rights or definitions have changed.
type staffed struct{ asked atomic.Pointer[staffedAt] }

type staffedAt struct {
	authority   int64
	definitions int
}

// AskStaffing asks of every process in force whether there are enough distinct people for every way, and keeps the answer
// beside the definition. It does nothing while neither rights nor definitions have changed since this process last asked;
// again asks in any case. It returns the keys for which the answer has changed.
func (h *Hall) AskStaffing(ctx context.Context, again bool) ([]string, error) {
	r := h.db.Reader()
	authority, err := r.AuthorityVersion(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := r.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	now := staffedAt{authority.Version, len(rows)}
	if before := h.staffed.asked.Load(); !again && before != nil && *before == now {
		return nil, nil
	}
	held, err := h.judgeAt(ctx, r, authority.Version)
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
		def, err := h.definitions.get(ctx, r, row.Key, row.Version)
		if err != nil {
			return changed, err
		}
		short, _ := staffing(def, held.judge, people)
		differs, err := h.keepStaffing(ctx, def, short)
		if err != nil {
			return changed, err
		}
		if differs {
			changed = append(changed, row.Key)
		}
	}
	h.staffed.asked.Store(&now)
	return changed, nil
}

// keepStaffing writes the answer for one process and says so in the log where it is a bad one.
func (h *Hall) keepStaffing(ctx context.Context, def *workflow.Definition, short []workflow.Problem) (bool, error) {
	problems, err := json.Marshal(append([]workflow.Problem{}, short...))
	if err != nil {
		return false, fmt.Errorf("casework: encode staffing: %w", err)
	}
	changed, err := h.db.Alone().PutStaffing(ctx, store.Staffing{Key: def.Key, Version: def.Version, Problems: problems})
	if err == nil && changed && len(short) > 0 {
		h.log.WarnContext(ctx, "not enough people for every way", "process", def.Key, "version", def.Version, "way", short[0].String())
	}
	return changed, err
}

// examineDefinitions names published versions that can no longer be read or proved: their cases would stop.
func (h *Hall) examineDefinitions(ctx context.Context) ([]Difference, error) {
	rows, err := h.db.Reader().Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for _, row := range rows {
		def, problems := workflow.Check([]byte(row.Document))
		if len(problems) == 0 {
			problems = workflow.Prove(def).Problems
		}
		if len(problems) == 0 && (def.Key != row.Key || def.Version != row.Version) {
			problems = []workflow.Problem{{Message: fmt.Sprintf("the text names %s version %d", def.Key, def.Version)}}
		}
		if len(problems) > 0 {
			found = append(found, Difference{Kind: UnsoundDefinition, Object: fmt.Sprintf("%s %d", row.Key, row.Version),
				Sentence: fmt.Sprintf("process %s version %d does not hold any more: %s", row.Key, row.Version, problems[0]),
				WayOut:   "Its cases stop; publish a sound version, and run the program that they began with."})
		}
	}
	sets, err := h.db.Reader().RuleSets(ctx)
	if err != nil {
		return found, err
	}
	for _, row := range sets {
		if _, judged := (ruleSubject{h}).keyOf(row.Document); judged.Refusal != nil {
			found = append(found, Difference{Kind: UnsoundDefinition, Object: fmt.Sprintf("%s %d", row.Key, row.Version),
				Sentence: fmt.Sprintf("rule set %s version %d does not hold any more: %s", row.Key, row.Version, sentenceOf(judged.Refusal)),
				WayOut:   "Restore an earlier version, or publish a mended one."})
		}
	}
	return found, nil
}

func sentenceOf(err error) string {
	message, _ := sentence(err)
	return message
}
