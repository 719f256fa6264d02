package transport

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

const uploadOperation = `{"query":"mutation($f:Upload!,$more:[Upload]){upload(file:$f,files:$more)}","variables":{"f":null,"more":[null,null]}}`

// field is one part of a form; a name with a leading @ is a file.
type field struct{ name, value string }

func form(fields ...field) (string, string) {
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for _, f := range fields {
		var part io.Writer
		if name, isFile := strings.CutPrefix(f.name, "@"); isFile {
			part, _ = writer.CreateFormFile(name, "../../etc/"+name+".pdf")
		} else {
			part, _ = writer.CreateFormField(f.name)
		}
		_, _ = io.WriteString(part, f.value)
	}
	_ = writer.Close()
	return body.String(), writer.FormDataContentType()
}

func (d *testServer) upload(t *testing.T, fields ...field) reply {
	t.Helper()
	body, contentType := form(fields...)
	return d.send(t, http.MethodPost, "", strings.NewReader(body), "Content-Type", contentType,
		"GraphQL-Preflight", "1", "Authorization", "Bearer good")
}

// remainingFiles returns the files in the private folder.
func (d *testServer) remainingFiles(t *testing.T) []os.DirEntry {
	t.Helper()
	left, err := os.ReadDir(d.folder)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestFileUpload(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	content := strings.Repeat("0123456789", 100_000)
	got := d.upload(t, field{"operations", uploadOperation},
		field{"map", `{"0":["variables.f","variables.more.1"]}`}, field{"@0", content})
	want := fmt.Sprintf(`{"data":{"upload":"0.pdf %d %x 0123456789"}}`, len(content),
		sha256.Sum256([]byte(content)))
	if hash := fmt.Sprintf("%x", sha256.Sum256([]byte(content))); got.body != strings.Replace(want,
		hash, hash[:8], 1) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if left := d.remainingFiles(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) {
		o.MaxFileBytes = 1 << 20
		o.MaxFiles = 3
		o.MaxBodyBytes = 4 << 10
	})
	operations, mapping, file := field{"operations", uploadOperation},
		field{"map", `{"0":["variables.f"]}`}, field{"@0", "%PDF"}
	for name, tc := range map[string]struct {
		fields []field
		status int
		code   domain.Code
	}{
		"beyond the cap": {[]field{operations, mapping,
			{"@0", strings.Repeat("x", 1<<20+1)}}, 413, domain.FileTooLarge},
		"file first": {[]field{file, operations, mapping}, 400, domain.InvalidInput},
		"map first":  {[]field{mapping, operations, file}, 400, domain.InvalidInput},
		"no map":     {[]field{operations, file}, 400, domain.InvalidInput},
		"nothing":    {nil, 400, domain.InvalidInput},
		"a batch": {[]field{{"operations", "[" + uploadOperation + "]"}, mapping,
			file}, 400, domain.InvalidInput},
		"file not in the map": {[]field{operations, mapping, file, {"@1", "x"}}, 400,
			domain.InvalidInput},
		"file sent twice": {[]field{operations, mapping, file, file}, 400,
			domain.InvalidInput},
		"file not sent": {[]field{operations,
			{"map", `{"0":["variables.f"],"1":["variables.more.0"]}`}, file}, 400,
			domain.InvalidInput},
		"too many files": {[]field{operations, {"map", `{"0":[],"1":[],"2":[],"3":[]}`}},
			400, domain.InvalidInput},
		"a map of text": {[]field{operations, {"map", `"variables.f"`}, file}, 400,
			domain.InvalidInput},
		"a path to nowhere": {[]field{operations, {"map", `{"0":["variables.g"]}`}, file},
			400, domain.InvalidInput},
		"a path through null": {[]field{operations, {"map", `{"0":["variables.f.g"]}`}, file},
			400, domain.InvalidInput},
		"a path beyond the list": {[]field{operations, {"map", `{"0":["variables.more.2"]}`},
			file}, 400, domain.InvalidInput},
		"a path to the query": {[]field{operations, {"map", `{"0":["query"]}`}, file}, 400,
			domain.InvalidInput},
		"two files in one place": {[]field{operations,
			{"map", `{"0":["variables.f"],"1":["variables.f"]}`}, file, {"@1", "x"}}, 400,
			domain.InvalidInput},
		"operations beyond a cap": {[]field{{"operations",
			strings.Repeat(" ", 5<<10) + uploadOperation}, mapping, file}, 413,
			domain.FileTooLarge},
	} {
		if got := d.upload(t, tc.fields...); got.status != tc.status ||
			got.code(t) != string(tc.code) {
			t.Errorf("%s: got %d %s, want %d %s", name, got.status, got.body, tc.status, tc.code)
		}
	}
	if left := d.remainingFiles(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// failingReader is a body that must not be read.
type failingReader struct{ t *testing.T }

func (u failingReader) Read([]byte) (int, error) {
	u.t.Error("the first part was read")
	return 0, io.EOF
}

func TestSenderIsIdentifiedBeforeTheFirstPart(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	for name, tc := range map[string]struct {
		header  []string
		uploads error
		status  int
	}{
		"no preflight header": {[]string{"Authorization", "Bearer good"}, nil, 403},
		"anonymous":           {[]string{"GraphQL-Preflight", "1"}, nil, 401},
		"wrong credentials": {[]string{"GraphQL-Preflight", "1", "Authorization", "Bearer bad"},
			nil, 401},
		"too many uploads": {[]string{"Apollo-Require-Preflight", "1", "Authorization",
			"Bearer good"}, domain.Errorf(domain.RateLimited, "Too many."), 429},
		"no right to send": {[]string{"GraphQL-Preflight", "1", "Authorization", "Bearer good"},
			domain.Errorf(domain.NotPermitted, "No."), 403},
	} {
		d.admitUpload = func() error { return tc.uploads }
		recorder := &recorder{header: http.Header{}}
		request, _ := http.NewRequest(http.MethodPost, "/", failingReader{t})
		request.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		for i := 0; i < len(tc.header); i += 2 {
			request.Header.Set(tc.header[i], tc.header[i+1])
		}
		d.handler.ServeHTTP(recorder, request)
		if recorder.status != tc.status {
			t.Errorf("%s: %d %s", name, recorder.status, recorder.body.String())
		}
	}
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

func TestATruncatedUpload(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, nil)
	body, contentType := form(field{"operations", uploadOperation},
		field{"map", `{"0":["variables.f"]}`}, field{"@0", strings.Repeat("x", 10_000)})
	for _, length := range []int{len(body) - 8, len(body) - 5000, 300, 200, 60, 0} {
		got := d.send(t, http.MethodPost, "", io.MultiReader(strings.NewReader(body[:length])),
			"Content-Type", contentType, "GraphQL-Preflight", "1", "Authorization", "Bearer good")
		if got.status != 400 || got.code(t) != string(domain.InvalidInput) {
			t.Errorf("after %d of %d bytes: %d %s", length, len(body), got.status, got.body)
		}
	}
	if left := d.remainingFiles(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A client that stalls during an upload loses the connection after the idle time, and its file is
// deleted.
func TestAStalledUpload(t *testing.T) {
	t.Parallel()
	d := newTestServer(t, func(o *Options) { o.Pace.Idle = 2 * time.Second })
	body, contentType := form(field{"operations", uploadOperation},
		field{"map", `{"0":["variables.f"]}`}, field{"@0", strings.Repeat("x", 10_000)})
	conn, err := net.Dial("tcp", d.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(conn,
		"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nGraphQL-Preflight: 1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		contentType, len(body), body[:len(body)/2])
	eventually(t, "the upload begins", func() bool { return len(d.remainingFiles(t)) == 1 })
	answer, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("got %.80q", answer)
	}
	eventually(t, "the folder is empty", func() bool { return len(d.remainingFiles(t)) == 0 })
}

func FuzzMultipart(f *testing.F) {
	for _, fields := range [][]field{
		{{"operations", uploadOperation}, {"map", `{"0":["variables.f"]}`}, {"@0", "%PDF"}},
		{{"operations", uploadOperation}, {"map", `{"0":["variables.more.0.x"]}`}, {"@0", ""}},
		{{"map", "{}"}},
	} {
		body, contentType := form(fields...)
		f.Add(body, contentType)
	}
	handler := New(Options{Clock: domain.SystemClock{}, MaxFileBytes: 1 << 16})
	f.Fuzz(func(t *testing.T, body, contentType string) {
		request, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", contentType)
		folder := t.TempDir()
		params, err := handler.readMultipart(t.Context(), request, folder)
		if err == nil && params.Query == "" {
			t.Fatal("a request without a query")
		}
		if err != nil && domain.CodeOf(err).Kind() == domain.KindInternal {
			t.Fatalf("an error without a remedy: %v", err)
		}
	})
}
