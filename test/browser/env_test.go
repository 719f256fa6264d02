package browser

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"countersign/test/testcluster"
)

// people are the second users of each role, for scenes with two of them.
var people = []testcluster.Person{
	{Email: "submitter2@test.test", Name: "Tom Okafor", Roles: "submitter"},
	{Email: "junior2@test.test", Name: "Jun Park", Roles: "reviewer_l1", Queues: "L1,repair"},
	{Email: "manager2@test.test", Name: "Malik Haddad", Roles: "manager", Queues: "L1,L2,repair"},
	{Email: "aml@test.test", Name: "Amara Diallo", Roles: "reviewer_aml", Queues: "AML"},
	{Email: "aml2@test.test", Name: "Anders Holm", Roles: "reviewer_aml", Queues: "AML"},
	{Email: "admin2@test.test", Name: "Adele Berg", Roles: "administrator"},
}

// names of all people by their role, as the stories call them.
var names = []string{"submitter", "submitter2", "junior", "junior2", "senior", "manager",
	"manager2", "aml", "aml2", "auditor", "admin", "admin2"}

// credentials are what a story needs to sign in as a person, or to act as a colleague through the
// API.
type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Token    string `json:"token"`
}

// testEnv is an installation of its own with control endpoints for what no page can do: a server
// that stops, an engine that fails, a document on disk.
type testEnv struct {
	t         *testing.T
	cluster   *testcluster.Cluster
	worker    *testcluster.Process
	tesseract string // the link under which the worker finds its engine
	control   *httptest.Server
	mutex     sync.Mutex
}

// configuredProvider is a provider whose groups are mapped in stories. No one signs in through it.
const configuredProvider = `providers:
  - {name: corp, label: Corporate account, issuer: "https://login.corp.example", client_id: c, client_secret: s}
`

func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil { //nolint:gosec // sandboxed children pass through it
		t.Fatal(err)
	}
	e := &testEnv{t: t, tesseract: filepath.Join(folder, "tesseract")}
	e.engine("tesseract")
	providers := filepath.Join(folder, "providers.yaml")
	if err := os.WriteFile(providers, []byte(configuredProvider), 0o600); err != nil {
		t.Fatal(err)
	}
	e.cluster = testcluster.NewWith(t, people, append(append(testcluster.Checkpoints(t),
		modelSettings(t)...),
		"COUNTERSIGN_TESSERACT="+e.tesseract,
		"COUNTERSIGN_OIDC_FILE="+providers,
		// For connectors to receivers that the stories start.
		"COUNTERSIGN_CONNECTOR_SECRETS=story=whsec_"+base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"COUNTERSIGN_CONNECTOR_NETWORKS=127.0.0.1")...)
	e.worker = e.cluster.Worker()
	e.control = httptest.NewServer(e.controlHandler())
	t.Cleanup(e.control.Close)
	return e
}

// engine lets the worker's tesseract be this program from the next page on.
func (e *testEnv) engine(program string) {
	path, err := exec.LookPath(program)
	if err == nil {
		err = os.Symlink(path, e.tesseract+".next")
	}
	if err == nil {
		err = os.Rename(e.tesseract+".next", e.tesseract)
	}
	if err != nil {
		e.t.Errorf("let %s be the engine: %v", program, err)
	}
}

// controlHandler serves the control endpoints, one request at a time.
func (e *testEnv) controlHandler() http.Handler {
	mux := http.NewServeMux()
	actions := map[string]func(){
		"/server/stop":     func() { e.cluster.Server.Stop() },
		"/server/start":    func() { e.cluster.RestartServer() },
		"/worker/stop":     func() { e.worker.Stop() },
		"/worker/start":    func() { e.worker = e.cluster.Worker() },
		"/tesseract/fails": func() { e.engine("false") },
		"/tesseract/works": func() { e.engine("tesseract") },
		"/redis/stop":      func() { e.must(e.cluster.Redis.Stop()) },
		"/redis/start":     func() { e.must(e.cluster.Redis.Start(e.t.Context())) },
	}
	for path, run := range actions {
		mux.HandleFunc("POST "+path, func(rw http.ResponseWriter, _ *http.Request) {
			run()
			answer(rw, map[string]bool{"done": true})
		})
	}
	mux.HandleFunc("POST /invoices", e.drawInvoice)
	mux.HandleFunc("POST /deadlines/pass", e.passDeadlines)
	mux.HandleFunc("POST /history", e.makeHistory)
	mux.HandleFunc("POST /claims/expire", e.expireClaims)
	mux.HandleFunc("POST /invoices/with-cover", e.drawInvoiceWithCover)
	mux.HandleFunc("POST /invoices/united", e.drawUnitedInvoices)
	mux.HandleFunc("POST /letters", e.drawLetter)
	mux.HandleFunc("POST /cli", e.runCLI)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		mux.ServeHTTP(rw, r)
	})
}

func (e *testEnv) must(err error) {
	if err != nil {
		e.t.Error(err)
	}
}

func answer(rw http.ResponseWriter, value any) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(value) // a story that has gone away reads no answer
}

// passDeadlines lets the deadlines of a case's open reviews have passed an hour ago:
// {"reference":"CS-…"}. No page and no person can do that, and a story does not wait for a day.
func (e *testEnv) passDeadlines(rw http.ResponseWriter, r *http.Request) {
	var input struct{ Reference string }
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	owner := e.cluster.Database.Owner(e.t)
	_, err := owner.Exec(r.Context(), `UPDATE reviews SET claim_by = now() - interval '2 hours', decide_by = now() - interval '1 hour'
		WHERE status IN ('open', 'claimed') AND case_id IN (SELECT id FROM cases WHERE reference = $1)`, input.Reference)
	e.must(err)
	answer(rw, map[string]bool{"done": err == nil})
}

// drawInvoice draws an invoice and answers with the path of its file, its number, vendor and account:
// {"kind":"pdf"|"png","number":1,"euros":100,"vendor":""}.
func (e *testEnv) drawInvoice(rw http.ResponseWriter, r *http.Request) {
	var input struct {
		Kind, Vendor string
		Number       int
		Euros        int64
	}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	invoice := testcluster.Invoice(input.Number, input.Euros)
	if input.Vendor != "" {
		invoice.Vendor = input.Vendor
	}
	path := ""
	if input.Kind == "png" {
		path = e.cluster.PNG(invoice)
	} else {
		path = e.cluster.PDF(invoice)
	}
	answer(rw, map[string]string{"path": path, "invoice": invoice.Number,
		"vendor": invoice.Vendor, "account": invoice.IBAN})
}

// runCLI runs the command line as a person: {"as":"junior","args":["review","list"]}.
func (e *testEnv) runCLI(rw http.ResponseWriter, r *http.Request) {
	var input struct {
		As   string
		Args []string
	}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	said := e.cluster.CLI(input.As).Run(input.Args...)
	answer(rw, map[string]any{"code": said.Code, "out": said.Out, "all": said.Combined})
}

// description is what a story knows of its environment, as JSON.
func (e *testEnv) description(browsers browsers, screenshots string) string {
	users := map[string]credentials{}
	for _, name := range names {
		email := name + "@test.test"
		password, token := e.cluster.Credentials(email)
		users[name] = credentials{email, password, token}
	}
	text, err := json.Marshal(map[string]any{"url": e.cluster.URL, "control": e.control.URL,
		"people": users, "chromium": browsers.chromium, "firefox": browsers.firefox,
		"screenshots": screenshots, "photograph": *photograph, "slow": *slow})
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

// browsers are the paths of the browsers that the system installed.
type browsers struct{ chromium, firefox string }

// findBrowsers looks for both browsers. Chromium's headless shell comes first: it is the same engine
// without the windows, whose own pages cost more than most pages under test.
func findBrowsers(t *testing.T) browsers {
	t.Helper()
	return browsers{
		chromium: findProgram(t, "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
			"/Applications/Chromium.app/Contents/MacOS/Chromium"),
		firefox: findProgram(t, "firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"),
	}
}

func findProgram(t *testing.T, candidates ...string) string {
	t.Helper()
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("none of %s is installed; on Debian scripts/install.sh --tests installs one",
		strings.Join(candidates, ", "))
	return ""
}
