package casework_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// withoutOrder submits a file to the remittance without an order.
func (env *testEnv) withoutOrder(
	svc *casework.Service, by domain.Actor, kind, content, key string,
) (domain.ID, error) {
	submitted, err := svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{Process: remittance,
		DocumentType: kind, Amount: "120", Currency: "EUR", Country: "DE", File: upload(content),
		Once: casework.Once{Key: key}})
	return submitted.CaseID, err
}

// storedFiles returns the number of folders with files of cases.
func (env *testEnv) storedFiles() int {
	env.t.Helper()
	entries, err := os.ReadDir(env.blobs.dir)
	must(env.t, err)
	return len(entries)
}

// alterOrderRule changes what the published process says about orders; the column too, unless the
// database is that of an earlier program.
func (env *testEnv) alterOrderRule(key, from, to string, column bool) {
	env.t.Helper()
	env.alterPublished(`UPDATE process_definitions SET document = replace(document, 'order: ` + from +
		`', 'order: ` + to + `') WHERE key = '` + key + `'`)
	if column {
		env.alterPublished(`UPDATE process_definitions SET requires_order = ` +
			map[bool]string{true: "true", false: "false"}[to == "required"] +
			` WHERE key = '` + key + `'`)
	}
}

// A submission without the order that its process requires is refused before its file is stored,
// whatever its document type, and the same file is accepted with an order.
func TestSubmissionWithoutRequiredOrderIsRefused(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for _, kind := range []string{casework.OrderDocumentType, "invoice", "receipt", "content", ""} {
		_, err := env.withoutOrder(env.svc, sam, kind, "same file", "")
		wantCode(t, err, domain.OrderRequired)
		if known, ok := err.(*domain.Error); !ok || known.Field != "order" || known.Remedy == "" {
			t.Errorf("%q: %+v", kind, err)
		}
	}
	if stored, cases := env.storedFiles(), env.queryInt(`SELECT count(*) FROM cases`); stored != 0 ||
		cases != 0 {
		t.Errorf("%d files are stored of %d cases", stored, cases)
	}
	if refused := env.queryInt(`SELECT count(*) FROM access_log WHERE code = 'OrderRequired'`); refused != 5 {
		t.Errorf("%d refusals are logged", refused)
	}
	_, err := env.submitOrder(sam, order("120.00", "EUR", "P-1"), "same file", "")
	must(t, err)
}

// A document type that is not published is refused before the file is stored, and the error names it.
func TestSubmissionOfUnknownTypeIsRefused(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	_, err := env.withoutOrder(env.svc, sam, "invoyce", "a file", "")
	wantCode(t, err, domain.InvalidInput)
	if known, ok := err.(*domain.Error); !ok || known.Field != "documentType" || known.Remedy == "" {
		t.Errorf("the refusal is %+v", err)
	}
	if stored := env.storedFiles(); stored != 0 {
		t.Errorf("%d files are stored", stored)
	}
}

// Of submissions at the same time, those without an order are refused and the others accepted, also
// by a program that has not seen yet that the process requires one.
func TestRequiredOrderIsCheckedInTheTransaction(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	late := env.newServiceOnSharedPool()
	first, err := env.withoutOrder(late, sam, casework.OrderDocumentType, "first", "key")
	must(t, err)
	env.publish(strings.Replace(payingProcess, "key: paying\nversion: 2",
		"key: "+remittance+"\nversion: 3", 1))
	const each = 6
	var refusals [each]error
	var running sync.WaitGroup
	for i := range each {
		running.Go(func() {
			key := "" // those with a key have a transaction of their own
			if i%2 == 0 {
				key = domain.NewID().String()
			}
			_, refusals[i] = env.withoutOrder(late, sam, casework.OrderDocumentType, "without", key)
		})
		running.Go(func() {
			in := order("120.00", "EUR", domain.NewID().String())
			_, err := late.SubmitDocument(env.ctx, sam, casework.SubmitDocument{Process: remittance,
				DocumentType: casework.OrderDocumentType, Order: &in, File: upload("with")})
			if err != nil {
				t.Errorf("with an order: %v", err)
			}
		})
	}
	running.Wait()
	for _, err := range refusals {
		wantCode(t, err, domain.OrderRequired)
	}
	if with := env.queryInt(`SELECT count(*) FROM cases WHERE order_revision = 1
		AND process_version = 3`); with != each {
		t.Errorf("%d cases with an order, want %d", with, each)
	}
	if without := env.queryInt(`SELECT count(*) FROM cases WHERE order_revision = 0`); without != 1 {
		t.Errorf("%d cases without an order, want 1", without)
	}
	again, err := env.withoutOrder(late, sam, casework.OrderDocumentType, "first", "key")
	if err != nil || again != first {
		t.Errorf("the repetition of an accepted command: %s, %v", again, err)
	}
}

// A process that does not accept orders refuses one.
func TestProcessWithoutOrdersRefusesOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	in := order("120.00", "EUR", "P-1")
	for _, process := range []string{"merchant_onboarding", "document_approval"} {
		_, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{Process: process,
			DocumentType: casework.OrderDocumentType, Order: &in, File: upload("x")})
		if known, ok := err.(*domain.Error); !ok || known.Code != domain.InvalidInput ||
			known.Field != "order" {
			t.Errorf("%s: %v", process, err)
		}
	}
}

// A case without an order that has come into a process that requires one is neither paid nor
// archived by it: not by an approval, not without a person, and not by an earlier program.
func TestCaseWithoutRequiredOrderDoesNotPass(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		process string
		column  bool // the database knows it
		program bool // the program knows it
	}{
		"saga, by the program":               {payingProcess, false, true},
		"archive, by the program":            {"", false, true},
		"archive, by the database":           {"", true, false},
		"archive, by both":                   {"", true, true},
		"archive by a saga, by the database": {payingProcess, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam, ann := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1)
			process, node := remittance, "review_l1"
			if row.process != "" {
				process, node = "paying", "review"
				env.publish(strings.Replace(row.process, "order: required", "order: optional", 1))
			}
			env.reader.xml = invoiceXML("150000.00", "Q-1")
			id := env.submitTo(sam, process, casework.OrderDocumentType, "x")
			env.requireState(id, domain.InReview, node)
			if row.program {
				env.alterOrderRule(process, "optional", "required", row.column)
				env.svc = env.newService(env.blobs, casework.Settings{})
			} else {
				env.alterPublished(`UPDATE process_definitions SET requires_order = true
					WHERE key = '` + process + `'`)
			}
			err := env.claimAndDecide(ann, id, node, domain.Approve)
			if row.process != "" && !row.program { // paid, then refused by the archive
				must(t, err)
			} else {
				wantCode(t, err, domain.OrderRequired)
			}
			if c := env.caseByID(id); c.Status == domain.Archived || c.ManifestKey != "" {
				t.Errorf("the case is %s", c.Status)
			}
			if row.program && len(env.connector.done) != 0 {
				t.Errorf("%d calls were made", len(env.connector.done))
			}
			if row.program {
				must(t, env.claimAndDecide(ann, id, node, domain.Return))
			}
			env.verifyCaseLog(id)
		})
	}
}

// A small case that would pass without a person stops with an incident instead.
func TestStraightThroughNeedsTheRequiredOrder(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("717.97", "Q-2")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{
		Process: remittance, DocumentType: casework.OrderDocumentType, File: upload("x")})
	must(t, err)
	env.alterOrderRule(remittance, "optional", "required", true)
	env.svc = env.newService(env.blobs, casework.Settings{})
	env.drainQueue()
	if c := env.caseByID(submitted.CaseID); c.Status != domain.Incident {
		t.Errorf("the case is %s at %+v", c.Status, c.Marking.Tokens)
	}
	env.verifyCaseLog(submitted.CaseID)
}
