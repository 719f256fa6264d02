package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
	"countersign/export"
	"countersign/identity"
	"countersign/views"
	"countersign/web"
)

// copyCases inserts copies of a case.
func (w *testEnv) copyCases(of domain.ID, n int) {
	w.t.Helper()
	ids, references := make([]domain.ID, n), make([]string, n)
	for i := range n {
		ids[i], references[i] = domain.NewID(), fmt.Sprintf("CS-2020-%06d", i+1)
	}
	_, err := w.owner.Exec(w.ctx, `INSERT INTO cases SELECT (jsonb_populate_record(c,
		jsonb_build_object('id', new.id, 'reference', new.reference))).*
		FROM cases c, unnest($2::uuid[], $3::text[]) AS new (id, reference) WHERE c.id = $1`,
		of, ids, references)
	must(w.t, err)
}

// rowsOf parses an export; the last row is the end of it.
func rowsOf(t *testing.T, got reply, format export.Format) []map[string]string {
	t.Helper()
	if got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var rows []map[string]string
	if format == export.Lines {
		for line := range strings.Lines(got.body) {
			var values map[string]any
			must(t, json.Unmarshal([]byte(line), &values))
			row := map[string]string{}
			for name, value := range values {
				if value != nil {
					row[name] = fmt.Sprint(value)
				}
			}
			rows = append(rows, row)
		}
		return rows
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body,
		"\ufeff"))).ReadAll()
	must(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// column returns the values of a column, without the last record, which must say that the export is
// complete.
func column(t *testing.T, rows []map[string]string, name string) []string {
	t.Helper()
	values := []string{}
	for i, row := range rows {
		if i == len(rows)-1 {
			if row["kind"] != "end" || row["number"] != strconv.Itoa(len(rows)-1) {
				t.Errorf("the last record is %v", row)
			}
			return values
		}
		if row["number"] != strconv.Itoa(i+1) {
			t.Errorf("record %d has the number %s", i+1, row["number"])
		}
		values = append(values, row[name])
	}
	return values
}

// Everyone exports exactly what their lists show, in both formats; who may not read audit trails may
// not export them.
func TestExportsHaveTheRightsOfTheLists(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	list := views.New(w.db.Reader(), w.service.Authorizer)
	people := map[string]domain.Actor{}
	for name, role := range map[string]domain.Role{"ada": domain.RoleSubmitter,
		"ben": domain.RoleSubmitter, "rita": domain.RoleL1, "max": domain.RoleManager,
		"aud": domain.RoleAuditor, "amy": domain.RoleAML, "root": domain.RoleAdmin} {
		people[name] = w.person(name, role)
	}
	id := w.submit(people["ada"], "a.pdf", pdf)
	w.submit(people["ben"], "b.pdf", pdf+" ")
	total := 0
	for name, actor := range people {
		client := w.signedIn(name)
		page, err := list.Cases(w.ctx, actor, views.CaseQuery{Limit: 100})
		must(t, err)
		want := []string{}
		for _, c := range page.Cases {
			want = append(want, c.ID.String())
		}
		_, refused := list.AuditTrail(w.ctx, actor, id, views.TrailCursor{}, 1)
		for _, format := range export.Formats() {
			got := column(t, rowsOf(t, w.get(client, "/export/cases."+string(format)), format), "id")
			if total += len(got); !slices.Equal(got, want) {
				t.Errorf("%s exports %v, the list is %v", name, got, want)
			}
			column(t, rowsOf(t, w.get(client, "/export/reviews."+string(format)), format), "id")
			one := w.get(client, "/export/audit."+string(format)+"?case="+id.String())
			if refused != nil {
				wantCode(t, name, one, domain.CodeOf(refused))
			} else if entries := column(t, rowsOf(t, one, format), "caseId"); len(entries) == 0 ||
				entries[0] != id.String() {
				t.Errorf("%s exports the audit trail %v", name, entries)
			}
			all := w.get(client, "/export/audit."+string(format))
			if domain.HasCode(refused, domain.NotFound) || domain.HasCode(refused,
				domain.NotPermitted) {
				wantCode(t, name, all, domain.NotPermitted)
				continue
			}
			ids := slices.Compact(column(t, rowsOf(t, all, format), "caseId"))
			if !slices.Equal(ids, want) {
				t.Errorf("%s exports the audit trails of %v, the list is %v", name, ids, want)
			}
		}
	}
	if total == 0 {
		t.Error("no one exported a case")
	}
	wantReply(t, w.get(nil, "/export/cases.csv"), http.StatusUnauthorized, domain.Unauthenticated)
}

func wantCode(t *testing.T, name string, got reply, code domain.Code) {
	t.Helper()
	if got.code() != string(code) {
		t.Errorf("%s got %d %s, want %s", name, got.status, got.body, code)
	}
}

// An export has a file name, honours the filters of the list, and leaves an entry in the access log.
func TestAnExportIsNamedFilteredAndRecorded(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	id := w.submit(ada, "a.pdf", pdf)
	w.copyCases(id, 1)
	_, err := w.owner.Exec(w.ctx, `UPDATE cases SET status = 'in_review' WHERE id = $1`, id)
	must(t, err)
	client := w.signedIn("ada")
	got := w.get(client, "/export/cases.csv?status=archived,IN_REVIEW&bom=true")
	if !strings.HasPrefix(got.body, "\ufeffkind,number,id,") || !strings.Contains(
		got.header.Get("Content-Disposition"), `attachment; filename="countersign-cases-2`) ||
		got.header.Get("Content-Type") != export.CSV.MediaType() {
		t.Errorf("%v %.40q", got.header, got.body)
	}
	if ids := column(t, rowsOf(t, got, export.CSV), "id"); !slices.Equal(ids, []string{id.String()}) {
		t.Errorf("in review are %v", ids)
	}
	text := w.get(client, "/export/cases.jsonl?text=cs-2020-0000")
	if names := column(t, rowsOf(t, text, export.Lines), "reference"); !slices.Equal(names,
		[]string{"CS-2020-000001"}) {
		t.Errorf("the text selects %v", names)
	}
	for _, query := range []string{"?status=lost", "?text=a&text=b", "?unknown=1", "?bom=2",
		"?text=" + strings.Repeat("x", 201), "?text=a%00b"} {
		wantReply(t, w.get(client, "/export/cases.csv"+query), http.StatusBadRequest,
			domain.InvalidInput)
	}
	for _, query := range []string{"?due=soon", "?assignee=x", "?mine=perhaps"} {
		wantReply(t, w.get(client, "/export/reviews.csv"+query), http.StatusBadRequest,
			domain.InvalidInput)
	}
	wantReply(t, w.get(client, "/export/people.csv"), http.StatusNotFound, domain.NotFound)
	w.get(client, "/cases/"+id.String()+"/result.json")
	w.service.Close(context.WithoutCancel(w.ctx)) // writes what was recorded
	var exports, results int
	must(t, w.owner.QueryRow(w.ctx, `SELECT count(*) FILTER (WHERE object = 'export cases'),
		count(*) FILTER (WHERE object = 'result' AND case_id = $2)
		FROM access_log WHERE actor = $1`, ada.UserID, id).Scan(&exports, &results))
	if exports != 2 || results != 1 {
		t.Errorf("%d exports and %d results are in the access log", exports, results)
	}
}

// A spreadsheet does not execute what a document states.
func TestCellsThatLookLikeFormulas(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	client := w.signedIn("ada")
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "＝1", "\nx"} {
		_, err := w.owner.Exec(w.ctx, `UPDATE cases SET counterparty = $2, amount_minor = -1250,
			currency = 'EUR', amount_known = true WHERE id = $1`, id, text)
		must(t, err)
		got := w.get(client, "/export/cases.csv")
		row := rowsOf(t, got, export.CSV)[0]
		if row["counterparty"] != "'"+text || row["amount"] != "-12.50" ||
			row["amountMinor"] != "-1250" || row["currency"] != "EUR" {
			t.Errorf("%q became %q, the amount %q %q", text, row["counterparty"], row["amount"],
				row["amountMinor"])
		}
		row = rowsOf(t, w.get(client, "/export/cases.jsonl"), export.Lines)[0]
		if row["counterparty"] != text || row["amountMinor"] != "-1250" {
			t.Errorf("as JSON %q is %q", text, row["counterparty"])
		}
	}
}

// hookedAuthenticator calls a hook before the nth authentication.
type hookedAuthenticator struct {
	web.Authenticator
	calls atomic.Int64
	hook  func(call int64)
}

func (a *hookedAuthenticator) Identify(ctx context.Context, credential identity.Credential) (
	identity.Identity, error) {
	a.hook(a.calls.Add(1))
	return a.Authenticator.Identify(ctx, credential)
}

// An export whose reader loses the credential or a right ends early, and says so: in its last record,
// and by an aborted transfer.
func TestACutExportIsRecognisable(t *testing.T) {
	t.Parallel()
	hooked := &hookedAuthenticator{hook: func(int64) {}}
	w := newTestEnv(t, func(o *web.Options) {
		hooked.Authenticator = o.Callers.Authenticator
		o.Callers.Authenticator = hooked
	})
	ada := w.person("ada", domain.RoleSubmitter, domain.RoleAuditor)
	w.copyCases(w.submit(ada, "a.pdf", pdf), 249)
	for name, test := range map[string]struct {
		revoke func(token domain.APIToken)
		code   domain.Code
	}{
		"token": {func(token domain.APIToken) {
			_, err := w.service.RevokeToken(w.ctx, ada, token.ID)
			must(t, err)
		}, domain.Unauthenticated},
		"role": {func(domain.APIToken) {
			_, err := w.owner.Exec(w.ctx, `DELETE FROM user_roles WHERE user_id = $1
				AND role = 'auditor'`, ada.UserID)
			must(t, err)
		}, domain.StaleVersion},
	} {
		for _, format := range export.Formats() {
			token, secret := w.token(ada, "read")
			first := hooked.calls.Load() + 1
			hooked.hook = func(call int64) {
				if call == first+2 { // before the third page
					test.revoke(token)
				}
			}
			body, err := w.transfer("/export/cases."+string(format), secret)
			hooked.hook = func(int64) {}
			lines := strings.Split(strings.TrimSpace(body), "\n")
			last := lines[len(lines)-1]
			want := fmt.Sprintf("error,200,%s,", test.code)
			if format == export.Lines {
				want = fmt.Sprintf(`{"kind":"error","number":200,"code":%q,`, test.code)
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(last, want) {
				t.Errorf("%s as %s: %v, the last line is %.200s", name, format, err, last)
			}
			_, err = w.owner.Exec(w.ctx, `INSERT INTO user_roles (user_id, role)
				VALUES ($1, 'auditor') ON CONFLICT DO NOTHING`, ada.UserID)
			must(t, err)
		}
	}
	if got := w.log.String(); strings.Count(got, `"path":"/export/cases.csv"`) != 2 {
		t.Errorf("the cut exports are not in the log: %s", got)
	}
}

// transfer returns the body of a response, also of an aborted one.
func (w *testEnv) transfer(path, secret string) (string, error) {
	w.t.Helper()
	response := w.open(path, secret)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func (w *testEnv) open(path, secret string) *http.Response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.server.URL+path, nil)
	must(w.t, err)
	request.Header.Set("Authorization", "Bearer "+secret)
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	return response
}

// maxExportsPerUser is the bound of package web.
const maxExportsPerUser = 2

// A user has at most two exports at the same time.
func TestExportsAtTheSameTimeAreBounded(t *testing.T) {
	t.Parallel()
	hooked := &hookedAuthenticator{hook: func(int64) {}}
	w := newTestEnv(t, func(o *web.Options) {
		hooked.Authenticator = o.Callers.Authenticator
		o.Callers.Authenticator = hooked
	})
	ada := w.person("ada", domain.RoleSubmitter)
	w.copyCases(w.submit(ada, "a.pdf", pdf), 149)
	_, secret := w.token(ada, "read")
	first := hooked.calls.Load() + 1
	waiting, proceed := make(chan struct{}), make(chan struct{})
	hooked.hook = func(call int64) {
		if call == first+1 || call == first+3 { // before the second pages of two exports
			waiting <- struct{}{}
			<-proceed
		}
	}
	var running []*http.Response
	for range maxExportsPerUser {
		running = append(running, w.open("/export/cases.csv", secret))
		<-waiting
	}
	third := w.get(nil, "/export/cases.csv", "Authorization", "Bearer "+secret)
	wantReply(t, third, http.StatusTooManyRequests, domain.RateLimited)
	if third.header.Get("Retry-After") != "10" {
		t.Errorf("the refusal says %v", third.header)
	}
	close(proceed)
	for _, response := range running {
		body, err := io.ReadAll(response.Body)
		must(t, errors.Join(err, response.Body.Close()))
		if !strings.Contains(string(body), "\nend,150,") {
			t.Errorf("the export ends with %q", body[len(body)-80:])
		}
	}
}

// measuredCases is the number of cases of the test of memory, which exports them with mostGrowth
// bytes at most.
const (
	measuredCases = 10_000
	mostGrowth    = 24 << 20
)

// An export of many cases keeps one page in memory.
func TestExportsHaveBoundedMemory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleSubmitter)
	w.copyCases(w.submit(ada, "a.pdf", pdf), measuredCases-1)
	_, secret := w.token(ada, "read")
	for _, format := range export.Formats() {
		before, most := heap(), uint64(0)
		response := w.open("/export/cases."+string(format), secret)
		lines, size, last := 0, 0, ""
		scanner := bufio.NewScanner(response.Body)
		for scanner.Scan() {
			lines, size, last = lines+1, size+len(scanner.Bytes())+1, scanner.Text()
			if lines%1000 == 0 {
				most = max(most, heap())
			}
		}
		must(t, errors.Join(scanner.Err(), response.Body.Close()))
		rows := lines - 1
		if format == export.CSV {
			rows--
		}
		if growth := int64(most) - int64(before); rows != measuredCases || growth > mostGrowth ||
			!strings.Contains(last, "end") {
			t.Errorf("%s: %d rows, the memory grew by %d kB, the last is %s", format, rows,
				growth>>10, last)
		} else {
			t.Logf("%s: %d rows, %d kB; live memory grew by at most %d kB", format, rows, size>>10,
				growth>>10)
		}
	}
}

// heap returns the bytes in use after a collection.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// The result of a case fits its schema, which is served without a credential.
func TestTheResultOfACase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	id := w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	w.person("ben", domain.RoleSubmitter)
	contract := w.get(w.browser(), export.ResultSchemaPath)
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(contract.body))
	must(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	must(t, compiler.AddResource("result.json", schema))
	compiled, err := compiler.Compile("result.json")
	must(t, err)
	got := w.get(w.signedIn("ada"), "/cases/"+id.String()+"/result.json")
	if got.status != http.StatusOK || !strings.Contains(got.header.Get("Content-Disposition"),
		`-result.json"`) {
		t.Fatalf("%d %v %s", got.status, got.header, got.body)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(got.body)))
	must(t, err)
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%v: %s", err, got.body)
	}
	for _, path := range []string{id.String(), domain.NewID().String(), "x"} {
		wantReply(t, w.get(w.signedIn("ben"), "/cases/"+path+"/result.json"), http.StatusNotFound,
			domain.NotFound)
	}
}
