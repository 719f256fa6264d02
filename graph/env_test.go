package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/internal/pgtest"
	"countersign/internal/tracing"
	"countersign/live"
	"countersign/store"
	"countersign/views"
)

// testEnv is the adapter over the real service layer, read side and hub, on a database of its own.
type testEnv struct {
	// knowSeller makes the seller of most invoices known: one was approved before.
	knowSeller func()
	// turnClock lets the clock of the database be ahead by a time.
	turnClock func(time.Duration)
	t         *testing.T
	db        *store.DB
	service   *casework.Service
	views     *views.Views
	server    *httptest.Server
	notifier  *recordingNotifier
	people    sync.Map // token -> domain.Actor
	// blobDir stores files; tempDir holds uploads during a request.
	blobDir, tempDir string
}

// recordingNotifier publishes hints as a server does, and keeps pending runs until the test
// executes them.
type recordingNotifier struct {
	publisher *live.Publisher
	mu        sync.Mutex
	pending   []domain.PendingRun
	ahead     time.Duration // of the clock of the database
}

func (b *recordingNotifier) Enqueue(_ context.Context, wakes []domain.PendingRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, wakes...)
}

func (b *recordingNotifier) PublishHints(ctx context.Context, hints []domain.Hint) {
	b.publisher.Publish(ctx, append(hints, domain.Hint{Stream: domain.QueuesTopic}))
}

// takePending returns the due runs and drops deadlines that are hours away.
func (b *recordingNotifier) takePending() []domain.PendingRun {
	b.mu.Lock()
	defer b.mu.Unlock()
	soon := time.Now().Add(b.ahead + time.Minute)
	wakes := slices.DeleteFunc(b.pending, func(w domain.PendingRun) bool {
		return w.RunAfter.After(soon)
	})
	b.pending = nil
	return wakes
}

// fakeReader implements the port of reading. It returns an e-invoice over the amount in the file,
// by the vendor on its third line if there is one; with printedPage instead of an amount, a page with
// the lines below it and without an e-invoice.
type fakeReader struct{}

const printedPage = "printed page"

func (fakeReader) Open(_ context.Context, request casework.ReadRequest) (
	casework.OpenedDocument, error) {
	content, err := request.Open()
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	defer func() { _ = content.Close() }()
	body, err := io.ReadAll(content)
	if err != nil {
		return casework.OpenedDocument{}, err
	}
	lines := strings.Split(string(body), "\n")
	if len(lines) < 2 || lines[1] == "damaged" {
		return casework.OpenedDocument{}, domain.Errorf(domain.DamagedFile, "The file is damaged.")
	}
	if lines[1] == printedPage {
		return openedPage(recognisedPage(lines[2:]), nil), nil
	}
	printed := invoice(lines[1], lines[2:]...)
	page := domain.Page{Number: 1, Width: 100, Height: 100, DPI: 150, Source: domain.SourceText,
		Text:  "invoice",
		Words: printed.Words()}
	xml := printed.XML()
	if len(lines) >= 4 && lines[3] == withoutXML {
		page.Width, page.Height, page.Words, xml = 600, 300, pageWithTax(printed), nil
	}
	return openedPage(page, xml), nil
}

func openedPage(page domain.Page, xml []byte) casework.OpenedDocument {
	return casework.OpenedDocument{XML: xml,
		Pages: func(context.Context, bool) ([]casework.ScannedPage, error) {
			return []casework.ScannedPage{{Page: page, OpenRaster: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader([]byte("\x89PNG\r\n\x1a\n"))), nil
			}}}, nil
		}}
}

// recognisedPage returns a page with the lines as OCR would return them.
func recognisedPage(lines []string) domain.Page {
	page := domain.Page{Number: 1, Width: 1000, Height: 1400, DPI: 150, Source: domain.SourceOCR,
		Text: strings.Join(lines, "\n")}
	for i, line := range lines {
		x := 50
		for _, word := range strings.Fields(line) {
			width := 12 * len(word)
			page.Words = append(page.Words, domain.Word{Text: word, Confidence: 0.95, Line: i,
				Box: domain.Box{X: x, Y: 50 + 30*i, W: width, H: 20}})
			x += width + 12
		}
	}
	return page
}

// pageWithTax returns the words of a page that prints the invoice with its net and its tax.
func pageWithTax(of einvoice.Invoice) []domain.Word {
	net := of.Total * 5 / 6
	money := func(minor int64) string { return domain.FormatMinor(minor, 2) }
	var words []domain.Word
	for at, line := range []string{"INVOICE", of.Seller, "Invoice number " + of.Number,
		"Net amount EUR " + money(net), "VAT EUR " + money(of.Total-net),
		"Total amount EUR " + money(of.Total), "IBAN " + einvoice.Account} {
		for column, text := range strings.Fields(line) {
			words = append(words, domain.Word{Text: text, Confidence: 1, Line: at,
				Box: domain.Box{X: 10 + 90*column, Y: 10 + 30*at, W: 80, H: 12}})
		}
	}
	return words
}

// numbered begins the fourth line of a file whose e-invoice has a number that does not follow from
// its total.
const numbered = "number "

// invoice returns an e-invoice over the total in EUR; its number depends on the total.
func invoice(total string, seller ...string) einvoice.Invoice {
	money, err := domain.ParseMoney(total, "EUR")
	if err != nil {
		panic(err)
	}
	of := "Muster Werke GmbH"
	if len(seller) > 0 && seller[0] != "" {
		of = seller[0]
	}
	number := "R-" + total
	if len(seller) > 1 && strings.HasPrefix(seller[1], numbered) {
		number = strings.TrimPrefix(seller[1], numbered)
	}
	return einvoice.Invoice{Number: number, Seller: of, Total: money.Minor}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newTestEnv(t *testing.T) *testEnv { return newTestEnvWith(t, "", nil) }

func newTestEnvOn(t *testing.T, url string) *testEnv { return newTestEnvWith(t, url, nil) }

// newTestEnvWith returns an environment on the database ("" means a new one) with modified options.
func newTestEnvWith(t *testing.T, url string, alter func(*Options)) *testEnv {
	t.Helper()
	return newTestEnvPolling(t, url, 100*time.Millisecond, alter)
}

// newTestEnvPolling returns an environment whose hub polls at the given interval.
func newTestEnvPolling(t *testing.T, url string, interval time.Duration,
	alter func(*Options)) *testEnv {
	t.Helper()
	knowSeller, turnClock := func() {}, func(time.Duration) {}
	if url == "" {
		database := pgtest.New(t)
		url = database.AppURL
		knowSeller = func() {
			const seller = "Muster Werke GmbH"
			must(t, einvoice.Past{ID: domain.NewID(), Key: casework.PartyKey(seller), Vendor: seller,
				DocumentType: "invoice", Account: einvoice.Account}.Insert(t.Context(), database.Owner(t)))
		}
		turnClock = func(by time.Duration) {
			_, err := database.Owner(t).Exec(t.Context(), fmt.Sprintf(`CREATE OR REPLACE FUNCTION
				clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
				AS 'SELECT clock_timestamp() + interval ''%d seconds'''`, int(by.Seconds())))
			must(t, err)
		}
	}
	ctx := t.Context()
	db, err := store.Open(ctx, url, 8)
	must(t, err)
	t.Cleanup(db.Close)
	log := slog.New(slog.DiscardHandler)
	w := &testEnv{t: t, db: db, notifier: &recordingNotifier{}, blobDir: t.TempDir(),
		tempDir: t.TempDir(), knowSeller: knowSeller}
	w.turnClock = func(by time.Duration) {
		turnClock(by)
		w.notifier.ahead = by
	}
	blobs, err := blob.OpenFolder(w.blobDir)
	if err == nil {
		t.Cleanup(func() { _ = blobs.Close() })
	}
	must(t, err)
	w.service, err = casework.New(db, casework.Ports{Reader: fakeReader{}, Blobs: blobs,
		Notifier: w.notifier, ConnectorTester: localWebhooks(t)}, casework.Settings{SendsMail: true,
		Providers: []string{"corp"}}, log)
	must(t, err)
	t.Cleanup(func() { w.service.Close(context.WithoutCancel(ctx)) })
	readViews := views.New(db.Reader(), w.service.Authorizer)
	w.views = readViews
	hub := live.NewHub(live.Options{Log: db.Reader(), Authorizer: readViews, Logger: log,
		PollInterval: interval, MinListInterval: time.Millisecond})
	w.notifier.publisher = live.NewPublisher(nil, hub, log)
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { hub.Run(loop) })
	must(t, w.service.PublishBuiltins(ctx))
	for currency, micros := range map[string]int64{"EUR": 1_100_000, "USD": 1_000_000} {
		must(t, w.service.SeedRate(ctx, currency, micros))
	}
	options := Options{Service: w.service, Views: readViews, Hub: hub,
		Rates: live.NewRateLimiter(nil, domain.SystemClock{}),
		Clock: domain.SystemClock{}, Logger: log, AllowIntrospection: true, TempDir: w.tempDir,
		Identify: w.identify, Bounds: Bounds{Requests: 100_000, AddressRequests: 100_000}}
	if alter != nil {
		alter(&options)
	}
	handler := New(options)
	w.server = httptest.NewServer(withTraces(handler))
	t.Cleanup(func() {
		handler.Close()
		w.server.Close()
		stop()
		running.Wait()
	})
	return w
}

func (w *testEnv) identify(_ context.Context, r *http.Request, token string) (domain.Actor, error) {
	if token == "" {
		token = r.Header.Get("Authorization")
	}
	if token == "" {
		return domain.Actor{}, nil
	}
	if actor, known := w.people.Load(strings.TrimPrefix(token, "Bearer ")); known {
		return actor.(domain.Actor), nil
	}
	return domain.Actor{}, domain.Errorf(domain.Unauthenticated, "wrong credentials")
}

// person creates a user whose token is their name; reviewers get the queues of their roles.
func (w *testEnv) person(name string, roles ...domain.Role) domain.Actor {
	w.t.Helper()
	user := domain.User{Email: name + "@example.com", Name: name, Roles: roles}
	for _, role := range roles {
		switch role {
		case domain.RoleL1, domain.RoleSenior:
			user.Queues = append(user.Queues, domain.QueueL1)
		case domain.RoleManager:
			user.Queues = append(user.Queues, domain.QueueL1, domain.QueueL2)
		}
	}
	id, err := w.service.PutUser(w.t.Context(), domain.SystemActor(), casework.PutUser{User: user})
	must(w.t, err)
	actor := domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
	w.people.Store(name, actor)
	return actor
}

// runPending executes pending runs until none are left.
func (w *testEnv) runPending() {
	w.t.Helper()
	for range 50 {
		wakes := w.notifier.takePending()
		if len(wakes) == 0 {
			return
		}
		for _, wake := range wakes {
			if wake.Queue == domain.QueueTimers {
				continue // a deadline, hours away
			}
			must(w.t, w.service.RunStage(w.t.Context(),
				casework.RunRequest{CaseID: wake.CaseID, RunID: wake.RunID, Worker: "w"}))
		}
	}
	w.t.Fatal("the runs do not end")
}

// result is a decoded response.
type result struct {
	Data   map[string]any
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
}

// at returns the value at a path of keys and indices.
func (r result) at(path ...any) any {
	var here any = r.Data
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := here.(map[string]any)
			here = object[key]
		case int:
			list, _ := here.([]any)
			if key >= len(list) {
				return nil
			}
			here = list[key]
		}
	}
	return here
}

func (r result) text(path ...any) string {
	text, _ := r.at(path...).(string)
	return text
}

// mustExecute sends a document as the user and fails on GraphQL errors.
func (w *testEnv) mustExecute(by, query string, variables ...any) result {
	w.t.Helper()
	answer := w.execute(by, query, variables...)
	if len(answer.Errors) > 0 {
		w.t.Fatalf("%s asks %s: %+v", by, query, answer.Errors)
	}
	return answer
}

func (w *testEnv) execute(by, query string, variables ...any) result {
	w.t.Helper()
	values := map[string]any{}
	for i := 0; i < len(variables); i += 2 {
		values[variables[i].(string)] = variables[i+1]
	}
	body, err := json.Marshal(map[string]any{"query": query, "variables": values})
	must(w.t, err)
	return w.send(by, bytes.NewReader(body), "application/json")
}

// withTraces gives each person's requests a trace of their own.
func withTraces(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(tracing.WithContext(r.Context(),
			traceOf(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))))
	})
}

func traceOf(name string) tracing.Context {
	sum := sha256.Sum256([]byte(name))
	return tracing.Context{Trace: [16]byte(sum[:16]), Span: [8]byte(sum[16:24])}
}

func (w *testEnv) send(by string, body io.Reader, contentType string) result {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL, body)
	must(w.t, err)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("GraphQL-Preflight", "1")
	if by != "" {
		request.Header.Set("Authorization", "Bearer "+by)
	}
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	var answer result
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		w.t.Fatalf("%s: %v", response.Status, err)
	}
	return answer
}

// upload sends a document with a file at variables.input.file.
func (w *testEnv) upload(by, query string, input map[string]any, content string) result {
	w.t.Helper()
	input["file"] = nil
	return w.uploadTo("file", by, query, input, content)
}

// uploadTo sends a document with a file at the place within variables.input.
func (w *testEnv) uploadTo(place, by, query string, input map[string]any, content string) result {
	w.t.Helper()
	operations, err := json.Marshal(map[string]any{"query": query,
		"variables": map[string]any{"input": input}})
	must(w.t, err)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(w.t, form.WriteField("operations", string(operations)))
	must(w.t, form.WriteField("map", `{"0":["variables.input.`+place+`"]}`))
	part, err := form.CreateFormFile("0", "invoice.pdf")
	must(w.t, err)
	_, err = io.WriteString(part, content)
	must(w.t, err)
	must(w.t, form.Close())
	return w.send(by, &body, form.FormDataContentType())
}

const submitMutation = `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) {
	case { id version reference status cursor final } duplicates { reference } userErrors { __typename ... on Refusal { code message remedy field } } } }`

// submit submits an invoice over the total and returns the case's id.
// withoutXML is the fourth line of a file that contains no e-invoice.
const withoutXML = "without an e-invoice"

func (w *testEnv) submit(by, total string) string {
	w.t.Helper()
	answer := w.upload(by, submitMutation, map[string]any{}, "%PDF-1.7\n"+total+"\n")
	id := answer.text("submitDocument", "case", "id")
	if id == "" {
		w.t.Fatalf("not submitted: %+v", answer)
	}
	return id
}

func (w *testEnv) putUser(user domain.User) error {
	_, err := w.service.PutUser(w.t.Context(), domain.SystemActor(), casework.PutUser{User: user})
	return err
}
