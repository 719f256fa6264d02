package casework_test

import (
	"fmt"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Submissions of the same moment are judged each by itself, and every document then goes its whole way beside the others.
func TestSubmissionsOfTheSameMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, eve, auditor := w.person("sam", domain.RoleSubmitter), w.person("eve", domain.RoleSubmitter), w.person("ada", domain.RoleAuditor)
	type attempt struct {
		by      domain.Actor
		process string
		key     string
		code    domain.Code
		got     casework.Submitted
		err     error
	}
	var attempts []*attempt
	for i := range 6 {
		attempts = append(attempts, &attempt{by: sam}, &attempt{by: eve}, &attempt{by: sam, key: fmt.Sprint("k", i/2)},
			&attempt{by: auditor, code: domain.NotPermitted}, &attempt{by: eve, process: "nosuch", code: domain.InvalidInput})
	}
	var group sync.WaitGroup
	for i, a := range attempts {
		group.Go(func() {
			content := fmt.Sprint("document ", i)
			if a.key != "" {
				content = a.key
			}
			a.got, a.err = w.hall.SubmitDocument(w.ctx, a.by, casework.SubmitDocument{File: upload(content), Process: a.process,
				Once: casework.Once{Key: a.key}})
		})
	}
	group.Wait()
	cases := map[domain.ID]string{}
	for _, a := range attempts {
		if a.code != "" {
			wantCode(t, a.err, a.code)
			continue
		}
		must(t, a.err)
		cases[a.got.CaseID] = a.got.Reference
	}
	if len(cases) != 12+3 {
		t.Errorf("%d cases, want 12 and one for each of 3 keys", len(cases))
	}
	references := map[string]bool{}
	for id, reference := range cases {
		if kase := w.kase(id); kase.Reference != reference || references[reference] || kase.Status == domain.Archived {
			t.Errorf("case %+v has the reference %s", kase, reference)
		}
		references[reference] = true
	}
	w.workAtOnce()
	for id := range cases {
		if status := w.kase(id).Status; status != domain.Archived && status != domain.InReview {
			t.Errorf("case %s is %s", id, status)
		}
		w.verify(id)
	}
}

// workAtOnce does everything that was rung side by side, each task by two workers.
func (w *world) workAtOnce() {
	w.t.Helper()
	for range 50 {
		wakes := w.due()
		if len(wakes) == 0 {
			return
		}
		var group sync.WaitGroup
		for i, wake := range wakes {
			for _, worker := range []string{"worker-1", "worker-2"} {
				group.Go(func() {
					if err := w.hall.RunStage(w.ctx, casework.Waking{CaseID: wake.CaseID, RunID: wake.RunID, Worker: worker}); err != nil {
						w.t.Errorf("task %d: %v", i, err)
					}
				})
			}
		}
		group.Wait()
	}
	w.t.Fatal("the work does not end")
}
