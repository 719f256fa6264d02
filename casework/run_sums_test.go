package casework_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

func (env *testEnv) submitInvoice(by domain.Actor, seller, number string, cents int64) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = einvoice.Invoice{Number: number, Seller: seller, Total: cents}.XML()
	env.reader.mu.Unlock()
	id := env.submit(by, number+seller)
	env.drainQueue()
	return id
}

// Six invoices of 990 USD within a minute: the first passes, the others wait.
func TestSixInvoicesBelowTheMark(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.approvedBefore("Acme GmbH", "invoice", einvoice.Account)
	for i := range 6 {
		id := env.submitInvoice(sam, "Acme GmbH", fmt.Sprintf("INV-%d00%d", i, i), 90000)
		status, found := env.caseByID(id).Status, env.finding(id, "split_small")
		if i == 0 {
			if status != domain.Archived || found != nil {
				t.Errorf("the first is %s, %+v", status, found)
			}
			continue
		}
		if status != domain.InReview || found == nil {
			t.Errorf("invoice %d is %s, %v", i, status, env.rulesOf(id))
			continue
		}
		want := "As of 20"
		sum := fmt.Sprintf(" add up to %d.00 USD. Each amount is below the limit of 1000.00 USD.", 990*(i+1))
		documents := fmt.Sprintf(" UTC, this document and %d more of this counterparty since ", i)
		if !strings.HasPrefix(found.Message, want) || !strings.Contains(found.Message, sum) ||
			!strings.Contains(found.Message, documents) {
			t.Errorf("invoice %d: %s", i, found.Message)
		}
	}
}

// Receipts of different shops that one person hands in within a day reach the mark together: the later
// ones wait. Those of a clerk whose documents usually reach it do not.
func TestReceiptsOfOneSubmitter(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, kim := env.person("sam", domain.RoleSubmitter), env.person("kim", domain.RoleSubmitter)
	shops := 0
	found := func(by domain.Actor, total string) *domain.Finding {
		shops++
		id := env.submitLines(by, "receipt", invoicePage(fmt.Sprintf("Shop%c Retail Ltd", 'A'+shops),
			fmt.Sprintf("R-%d", 7100+37*shops), "2026-11-02", total)...)
		if got := env.finding(id, "split_small"); got != nil || env.caseByID(id).AmountKnown {
			return got
		}
		t.Fatalf("the amount is not read: %+v", env.caseByID(id))
		return nil
	}
	for n := range 6 {
		switch got := found(sam, fmt.Sprintf("8%d.00", 10+n)); {
		case n == 0 && got != nil:
			t.Errorf("the first has %s", got.Message)
		case n > 0 && got == nil:
			t.Errorf("receipt %d has no finding", n)
		case n > 0 && !strings.Contains(got.Message,
			fmt.Sprintf("this document and %d more of this submitter since ", n)):
			t.Errorf("receipt %d: %s", n, got.Message)
		}
	}
	for range 5 {
		found(kim, "880.00")
	}
	env.setClockOffset(env.clockOffset + 48*time.Hour)
	for range 2 {
		if got := found(kim, "870.00"); got != nil {
			t.Errorf("a usual clerk has %s", got.Message)
		}
	}
}

// The same over two names of one merged party with accounts of their own, and over two parties with
// one account.
func TestSplitOverNamesAndAccounts(t *testing.T) {
	t.Parallel()
	for name, merged := range map[string]bool{"two names": true, "one account": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam := env.person("sam", domain.RoleSubmitter)
			submit := func(seller, number string, cents int64, account string) domain.ID {
				xml := einvoice.Invoice{Number: number, Seller: seller, Total: cents}.XML()
				env.reader.xml = bytes.ReplaceAll(xml, []byte("DE89370400440532013000"),
					[]byte(account))
				id := env.submit(sam, number)
				env.drainQueue()
				return id
			}
			second := "GB29NWBK60161331926819"
			if !merged {
				second = "DE89370400440532013000"
			}
			submit("Acme GmbH", "A-1001", 90000, "DE89370400440532013000")
			submit("Bcme GmbH", "B-2002", 100, second)
			if merged {
				env.joinGroups("Bcme GmbH", "Acme GmbH")
			}
			id := submit("Bcme GmbH", "B-3003", 80000, second)
			if found := env.finding(id, "split_small"); found == nil {
				t.Errorf("it is %s with %v", env.caseByID(id).Status, env.rulesOf(id))
			}
			env.requireState(id, domain.InReview, "review_l1")
		})
	}
}

// Monthly rent below the mark passes each month.
func TestMonthlyRent(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.approvedBefore("Acme GmbH", "invoice", einvoice.Account)
	for month := range 3 {
		id := env.submitInvoice(sam, "Acme GmbH", fmt.Sprintf("RENT-%02d", month), 90000)
		if status := env.caseByID(id).Status; status != domain.Archived {
			t.Errorf("month %d: %s, %v", month, status, env.rulesOf(id))
		}
		env.setClockOffset(env.clockOffset + 28*24*time.Hour)
	}
}

// Two documents at the same moment do not both pass below the mark.
func TestConcurrentDocumentsBelowTheMark(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	total := 0
	for round := range 20 {
		var ids []domain.ID
		seller := fmt.Sprintf("Seller %c GmbH", 'a'+round)
		env.approvedBefore(seller, "invoice", "")
		for i := range 2 {
			env.reader.xml = einvoice.Invoice{Number: fmt.Sprintf("I%d-%03d%d", i, round, 7*i),
				Seller: seller, Total: 60000}.XML()
			env.reader.xml = bytes.ReplaceAll(env.reader.xml, []byte("DE89370400440532013000"),
				nil)
			ids = append(ids, env.submit(sam, domain.NewID().String()))
			for _, run := range env.takeDueRuns() { // reads the file
				must(t, env.svc.RunStage(env.ctx, casework.RunRequest{CaseID: run.CaseID,
					RunID: run.RunID, Worker: "w"}))
				break
			}
		}
		env.runConcurrently()
		passed := 0
		for _, id := range ids {
			if env.caseByID(id).Status == domain.Archived {
				passed++
			}
		}
		if passed > 1 {
			t.Fatalf("round %d: both passed", round)
		}
		total += passed
	}
	if total == 0 {
		t.Error("no document passed, so that the rounds prove nothing")
	}
}

func (env *testEnv) runConcurrently() {
	env.t.Helper()
	for {
		runs := env.takeDueRuns()
		if len(runs) == 0 {
			return
		}
		var group sync.WaitGroup
		for i, run := range runs {
			group.Go(func() {
				if err := env.svc.RunStage(env.ctx, casework.RunRequest{CaseID: run.CaseID,
					RunID: run.RunID, Worker: fmt.Sprint("worker-", i)}); err != nil {
					env.t.Error(err)
				}
			})
		}
		group.Wait()
	}
}

// The sums contain each case once: not after it was rejected, and its amount after a correction.
func TestSumsFollowTheCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jan, kim := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1),
		env.person("kim", domain.RoleL1)
	id := env.submitLines(sam, "invoice",
		invoicePage("Hafen Logistik GmbH", "INV-4711", "2026-11-02", "1200.00")...)
	env.requireSums()
	env.claim(jan, id)
	must(t, env.correct(jan, id, domain.FieldTotal, "2300.00"))
	env.requireSums()
	must(t, env.claimAndDecide(kim, id, "review_l1", domain.Reject))
	env.drainQueue()
	env.requireSums()
}

// requireSums compares the sums with the cases.
func (env *testEnv) requireSums() {
	env.t.Helper()
	var wrong int
	must(env.t, env.owner.QueryRow(env.ctx, `WITH due AS (SELECT kind, subject, hour, sum_band(base_minor) AS band,
			sum(base_minor) AS base,
			count(*) AS documents FROM (
			SELECT 'submitter' AS kind, submitter::text AS subject, base_minor,
				date_trunc('hour', created_at, 'UTC') AS hour FROM cases WHERE amount_known AND
				status NOT IN ('rejected', 'abandoned')
			UNION ALL SELECT 'counterparty', p::text, base_minor, date_trunc('hour', created_at, 'UTC')
				FROM cases, unnest(array_append(other_party_ids, party_id)) p WHERE amount_known AND
				status NOT IN ('rejected', 'abandoned') AND p <> '00000000-0000-0000-0000-000000000000'
			UNION ALL SELECT 'account', a, base_minor, date_trunc('hour', created_at, 'UTC')
				FROM cases, unnest(accounts) a WHERE amount_known AND
				status NOT IN ('rejected', 'abandoned')) x GROUP BY 1, 2, 3, 4)
		SELECT count(*) FROM due FULL JOIN document_sums s USING (kind, subject, hour, band)
		WHERE coalesce(due.base, 0) <> coalesce(s.base_minor, 0)
			OR coalesce(due.documents, 0) <> coalesce(s.documents, 0)`).Scan(&wrong))
	if wrong != 0 {
		env.t.Errorf("%d sums differ from the cases", wrong)
	}
}
