package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
)

// serveExports serves the body for every path of an export or a result, and keeps the addresses. Other
// requests go to the fake endpoint.
func (f *fakeAPI) serveExports(body string, status int) (asked *[]string) {
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/graphql" {
			f.ServeHTTP(w, r)
			return
		}
		*asked = append(*asked, r.URL.String())
		if r.Header.Get("Authorization") != "Bearer secret" {
			f.t.Errorf("the credential is %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
		if strings.HasSuffix(body, "cut") {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	f.t.Cleanup(server.Close)
	f.url = server.URL
	return asked
}

func TestExportCommands(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	answers := jsonAnswers()
	answers["cases"] = object{"nodes": []any{object{"id": scalar.GlobalID(scalar.KindCase, id),
		"reference": "CS-2026-000001", "status": "ARCHIVED", "version": "1", "cursor": "c"}}}
	const whole = "kind,number,id,reference\ncase,1,x,\"a\nb\"\nend,1,,\n"
	for command, address := range map[string]string{
		"export cases --status archived,in_review --text=Müller": "/export/cases.csv?status=archived%2Cin_review&text=M%C3%BCller",
		"export reviews --all --due overdue --bom":               "/export/reviews.csv?all=true&bom=true&due=overdue",
		"export audit --case CS-2026-000001":                     "/export/audit.csv?case=" + id.String(),
		"export audit":                                           "/export/audit.csv",
	} {
		f := newFakeAPI(t, answers)
		asked := f.serveExports(whole, http.StatusOK)
		code, out, messages := f.run(strings.Fields(command)...)
		if code != 0 || out != whole || len(*asked) != 1 || (*asked)[0] != address {
			t.Errorf("%s: %d %q %s, requested %v", command, code, out, messages, *asked)
		}
	}
	f := newFakeAPI(t, answers)
	asked := f.serveExports(`{"format":"countersign.case-result.v1"}`, http.StatusOK)
	code, out, messages := f.run("case", "result", "CS-2026-000001")
	if code != 0 || out != `{"format":"countersign.case-result.v1"}` ||
		(*asked)[0] != "/cases/"+id.String()+"/result.json" {
		t.Errorf("%d %s %s %v", code, out, messages, *asked)
	}
}

// An export that is not complete is an error, and leaves no file.
func TestAnIncompleteExportLeavesNoFile(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"code":"NotPermitted","message":"You may not export this."}}`
	for name, test := range map[string]struct {
		format, body string
		status, code int
		message      string
	}{
		"whole csv": {"csv", "kind\ncase,1,x,\nend,1,,\n", 200, exitDone, ""},
		"whole":     {"jsonl", "{\"kind\":\"case\"}\n{\"kind\":\"end\",\"number\":1}\n", 200, exitDone, ""},
		"no end":    {"csv", "kind\ncase,1,x,\n", 200, exitFailed, "cut off"},
		"cut":       {"jsonl", "{\"kind\":\"case\"}\n{\"kind\":cut", 200, exitFailed, "cut off"},
		"error": {"csv", "kind\ncase,1,x,\nerror,1,StaleVersion,\n", 200, exitFailed,
			"StaleVersion"},
		"error line": {"jsonl", `{"kind":"error","number":7,"code":"SessionExpired","message":"Ended."}`,
			200, exitFailed, "Ended. The export ended after 7 records."},
		"refused":  {"csv", refusal, 403, exitFailed, "You may not export this."},
		"no reply": {"csv", "<html>", 502, exitFailed, "unexpected response"},
	} {
		f := newFakeAPI(t, jsonAnswers())
		f.serveExports(test.body, test.status)
		path := filepath.Join(t.TempDir(), "export")
		code, _, messages := f.run("export", "cases", "--format", test.format, "-o", path)
		text, err := os.ReadFile(path)
		if code != test.code || !strings.Contains(messages, test.message) ||
			(err == nil) != (code == exitDone) || err == nil && string(text) != test.body {
			t.Errorf("%s: %d %s, file %q %v", name, code, messages, text, err)
		}
		if code == exitDone {
			code, _, messages = f.run("export", "cases", "-o", path)
			if code != exitUsage || !strings.Contains(messages, "already exists") {
				t.Errorf("a second export: %d %s", code, messages)
			}
		}
	}
}

// The archive copy of a document is written as it arrives; one that was cut off leaves no file.
func TestArchiveCopyCommand(t *testing.T) {
	t.Parallel()
	id := domain.NewID()
	answers := jsonAnswers()
	answers["cases"] = object{"nodes": []any{object{"id": scalar.GlobalID(scalar.KindCase, id),
		"reference": "CS-2026-000001", "status": "ARCHIVED", "version": "1", "cursor": "c"}}}
	const whole = "%PDF-1.7\n\x00\xff\nstartxref\n9\n%%EOF\n"
	f := newFakeAPI(t, answers)
	asked := f.serveExports(whole, http.StatusOK)
	code, out, messages := f.run("archive-copy", "CS-2026-000001")
	if code != 0 || out != whole || len(*asked) != 1 || (*asked)[0] != "/cases/"+id.String()+"/archive-copy" {
		t.Errorf("%d %q %s, requested %v", code, out, messages, *asked)
	}
	file := filepath.Join(t.TempDir(), "copy.pdf")
	code, _, messages = f.run("archive-copy", id.String(), "--revision", "2", "-o", file)
	if written, err := os.ReadFile(file); code != 0 || err != nil || string(written) != whole ||
		(*asked)[1] != "/cases/"+id.String()+"/archive-copy?revision=2" {
		t.Errorf("%d %q %v %s, requested %v", code, written, err, messages, *asked)
	}
	if code, _, _ := f.run("archive-copy", id.String(), "--revision=-1"); code == 0 {
		t.Error("a negative revision is accepted")
	}
	cut := newFakeAPI(t, answers)
	cut.serveExports("%PDF-1.7\ncut", http.StatusOK)
	file = filepath.Join(t.TempDir(), "cut.pdf")
	code, _, messages = cut.run("archive-copy", id.String(), "-o", file)
	if _, err := os.Stat(file); code == 0 || err == nil || !strings.Contains(messages, "cut off") {
		t.Errorf("a copy that was cut: %d %s, file %v", code, messages, err)
	}
}
