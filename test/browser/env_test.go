package browser

import (
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
	{Email: "junior2@test.test", Name: "Jun Park", Roles: "reviewer_l1", Queues: "L1"},
	{Email: "manager2@test.test", Name: "Malik Haddad", Roles: "manager", Queues: "L1,L2"},
	{Email: "aml@test.test", Name: "Amara Diallo", Roles: "reviewer_aml", Queues: "AML"},
	{Email: "admin2@test.test", Name: "Adele Berg", Roles: "administrator"},
}

// names of all people by their role, as the stories call them.
var names = []string{"submitter", "submitter2", "junior", "junior2", "senior", "manager",
	"manager2", "aml", "auditor", "admin", "admin2"}

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

func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o755); err != nil { //nolint:gosec // sandboxed children pass through it
		t.Fatal(err)
	}
	w := &testEnv{t: t, tesseract: filepath.Join(folder, "tesseract")}
	w.engine("tesseract")
	w.cluster = testcluster.NewWith(t, people, "COUNTERSIGN_TESSERACT="+w.tesseract)
	w.worker = w.cluster.Worker()
	w.control = httptest.NewServer(w.controlHandler())
	t.Cleanup(w.control.Close)
	return w
}

// engine lets the worker's tesseract be this program from the next page on.
func (w *testEnv) engine(program string) {
	path, err := exec.LookPath(program)
	if err == nil {
		err = os.Symlink(path, w.tesseract+".next")
	}
	if err == nil {
		err = os.Rename(w.tesseract+".next", w.tesseract)
	}
	if err != nil {
		w.t.Errorf("let %s be the engine: %v", program, err)
	}
}

// controlHandler serves the control endpoints, one request at a time.
func (w *testEnv) controlHandler() http.Handler {
	mux := http.NewServeMux()
	acts := map[string]func(){
		"/server/stop":     func() { w.cluster.Server.Stop() },
		"/server/start":    func() { w.cluster.RestartServer() },
		"/worker/stop":     func() { w.worker.Stop() },
		"/worker/start":    func() { w.worker = w.cluster.Worker() },
		"/tesseract/fails": func() { w.engine("false") },
		"/tesseract/works": func() { w.engine("tesseract") },
		"/redis/stop":      func() { w.must(w.cluster.Redis.Stop()) },
		"/redis/start":     func() { w.must(w.cluster.Redis.Start(w.t.Context())) },
	}
	for path, act := range acts {
		mux.HandleFunc("POST "+path, func(rw http.ResponseWriter, _ *http.Request) {
			act()
			answer(rw, map[string]bool{"done": true})
		})
	}
	mux.HandleFunc("POST /paper", w.drawInvoice)
	mux.HandleFunc("POST /reviews/late", w.passDeadlines)
	mux.HandleFunc("POST /reviews/lapse", w.expireClaims)
	mux.HandleFunc("POST /bundle", w.drawBundle)
	mux.HandleFunc("POST /terminal", w.runCLI)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		mux.ServeHTTP(rw, r)
	})
}

func (w *testEnv) must(err error) {
	if err != nil {
		w.t.Error(err)
	}
}

func answer(rw http.ResponseWriter, value any) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(value) // a story that has gone away reads no answer
}

// passDeadlines lets the deadlines of a case's open reviews have passed an hour ago:
// {"reference":"CS-…"}. No page and no person can do that, and a story does not wait for a day.
func (w *testEnv) passDeadlines(rw http.ResponseWriter, r *http.Request) {
	var ask struct{ Reference string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	owner := w.cluster.Database.Owner(w.t)
	_, err := owner.Exec(r.Context(), `UPDATE reviews SET claim_by = now() - interval '2 hours', decide_by = now() - interval '1 hour'
		WHERE status IN ('open', 'claimed') AND case_id IN (SELECT id FROM cases WHERE reference = $1)`, ask.Reference)
	w.must(err)
	answer(rw, map[string]bool{"done": err == nil})
}

// drawInvoice draws an invoice and answers with the path of its file:
// {"kind":"pdf"|"png","number":1,"euros":100,"vendor":""}.
func (w *testEnv) drawInvoice(rw http.ResponseWriter, r *http.Request) {
	var ask struct {
		Kind, Vendor string
		Number       int
		Euros        int64
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	invoice := testcluster.Invoice(ask.Number, ask.Euros)
	if ask.Vendor != "" {
		invoice.Vendor = ask.Vendor
	}
	path := ""
	if ask.Kind == "png" {
		path = w.cluster.PNG(invoice)
	} else {
		path = w.cluster.PDF(invoice)
	}
	answer(rw, map[string]string{"path": path, "invoice": invoice.Number})
}

// runCLI runs the command line as a person: {"as":"junior","args":["review","list"]}.
func (w *testEnv) runCLI(rw http.ResponseWriter, r *http.Request) {
	var ask struct {
		As   string
		Args []string
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	said := w.cluster.CLI(ask.As).Run(ask.Args...)
	answer(rw, map[string]any{"code": said.Code, "out": said.Out, "all": said.Combined})
}

// description is what a story knows of its world, as JSON.
func (w *testEnv) description(chromium, shots string) string {
	everybody := map[string]credentials{}
	for _, name := range names {
		email := name + "@test.test"
		password, token := w.cluster.Credentials(email)
		everybody[name] = credentials{email, password, token}
	}
	text, err := json.Marshal(map[string]any{"url": w.cluster.URL, "desk": w.control.URL,
		"people": everybody, "chromium": chromium, "shots": shots})
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// findChromium is the browser that the system installed.
func findChromium(t *testing.T) string {
	t.Helper()
	candidates := []string{"chromium", "chromium-browser", "google-chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium"}
	for _, name := range candidates {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("none of %s is installed; on Debian scripts/install.sh --tests installs one",
		strings.Join(candidates, ", "))
	return ""
}
