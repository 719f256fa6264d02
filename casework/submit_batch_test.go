package casework_test

import (
	"fmt"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// TestConcurrentSubmissions submits documents concurrently: each is checked independently and
// processed to the end.
func TestConcurrentSubmissions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, eve, auditor := env.person("sam", domain.RoleSubmitter),
		env.person("eve", domain.RoleSubmitter), env.person("ada", domain.RoleAuditor)
	type attempt struct {
		by      domain.Actor
		process string
		key     string
		code    domain.Code
		result  casework.SubmitResult
		err     error
	}
	var attempts []*attempt
	for i := range 6 {
		attempts = append(attempts, &attempt{by: sam}, &attempt{by: eve},
			&attempt{by: sam, key: fmt.Sprint("k", i/2)},
			&attempt{by: auditor, code: domain.NotPermitted}, &attempt{by: eve, process: "nosuch",
				code: domain.InvalidInput})
	}
	var group sync.WaitGroup
	for i, a := range attempts {
		group.Go(func() {
			content := fmt.Sprint("document ", i)
			if a.key != "" {
				content = a.key
			}
			a.result, a.err = env.svc.SubmitDocument(env.ctx, a.by,
				casework.SubmitDocument{File: upload(content), Process: a.process,
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
		cases[a.result.CaseID] = a.result.Reference
	}
	if len(cases) != 12+3 {
		t.Errorf("%d cases, want 12 and one for each of 3 keys", len(cases))
	}
	references := map[string]bool{}
	for id, reference := range cases {
		if c := env.caseByID(id); c.Reference != reference || references[reference] ||
			c.Status == domain.Archived {
			t.Errorf("case %+v has the reference %s", c, reference)
		}
		references[reference] = true
	}
	env.drainQueueConcurrently()
	for id := range cases {
		if status := env.caseByID(id).Status; status != domain.Archived &&
			status != domain.InReview {
			t.Errorf("case %s is %s", id, status)
		}
		env.verifyCaseLog(id)
	}
}

// drainQueueConcurrently executes all enqueued runs concurrently, each by two workers.
func (env *testEnv) drainQueueConcurrently() {
	env.t.Helper()
	for range 50 {
		pendingRuns := env.takeDueRuns()
		if len(pendingRuns) == 0 {
			return
		}
		var group sync.WaitGroup
		for i, pendingRun := range pendingRuns {
			for _, worker := range []string{"worker-1", "worker-2"} {
				group.Go(func() {
					if err := env.svc.RunStage(env.ctx,
						casework.RunRequest{CaseID: pendingRun.CaseID, RunID: pendingRun.RunID,
							Worker: worker}); err != nil {
						env.t.Errorf("task %d: %v", i, err)
					}
				})
			}
		}
		group.Wait()
	}
	env.t.Fatal("the queue does not drain")
}
