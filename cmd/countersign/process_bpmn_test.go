package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProcessExportBPMN(t *testing.T) {
	t.Parallel()
	versions := object{"processDefinitions": nodes(object{"version": 2, "bpmn": "<two/>"},
		object{"version": 1, "bpmn": "<one/>"})}
	server := newFakeAPI(t, versions)
	if code, out, messages := server.run("process", "export-bpmn", "x"); code != 0 ||
		out != "<two/>" {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	if got := server.last().Variables; got["key"] != "x" || got["newest"] != true {
		t.Errorf("the newest version is asked for with %v", got)
	}
	to := filepath.Join(t.TempDir(), "x.bpmn")
	command := []string{"process", "export-bpmn", "x", "--version", "1", "-o", to}
	if code, out, messages := newFakeAPI(t, versions).run(command...); code != 0 || out != "" {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	if text, err := os.ReadFile(to); err != nil || string(text) != "<one/>" {
		t.Errorf("wrote %q, %v", text, err)
	}
	for part, run := range map[string][]string{
		"already exists":     command,
		"no such version":    {"process", "export-bpmn", "x", "--version", "9"},
		"cannot be written.": {"process", "export-bpmn", "x", "-o", filepath.Join(to, "y")},
	} {
		code, _, messages := newFakeAPI(t, versions).run(run...)
		if code == 0 || !strings.Contains(messages, part) {
			t.Errorf("%v: exit code %d, %q", run, code, messages)
		}
	}
	hidden := object{"processDefinitions": nodes(object{"version": 1, "bpmn": nil})}
	if code, _, messages := newFakeAPI(t, hidden).run("process", "export-bpmn", "x"); code == 0 ||
		!strings.Contains(messages, "may not see the text") {
		t.Errorf("exit code %d, %q", code, messages)
	}
}

func TestProcessImportBPMN(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "bpmn", "testdata")
	server := newFakeAPI(t, object{})
	code, out, messages := server.run("process", "import-bpmn",
		filepath.Join(folder, "exports", "supplier_payment.bpmn"))
	if code != 0 || messages != "" || !strings.HasPrefix(out, "key: supplier_payment\n") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	code, out, messages = server.run("process", "import-bpmn", filepath.Join(folder, "plain.bpmn"))
	if code != 0 || !strings.HasPrefix(out, "key: travel_expenses\n") ||
		!strings.Contains(messages,
			"note: Activity_0abc: The file does not say queue. Add it to the text.\n") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
	file := filepath.Join(t.TempDir(), "bad.bpmn")
	source, err := os.ReadFile(filepath.Join(folder, "plain.bpmn"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(source), "bpmn2:exclusiveGateway", "bpmn2:inclusiveGateway")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, messages = server.run("process", "import-bpmn", file)
	if code != exitFailed || out != "" || !strings.Contains(messages,
		"refused: Gateway_1: inclusiveGateway is not supported.\n") ||
		!strings.Contains(messages, "The engine cannot run bad.bpmn.") {
		t.Errorf("exit code %d, output %q, messages %q", code, out, messages)
	}
}
