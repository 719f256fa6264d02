package graph

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/scalar"
)

// storedFiles returns the files in the blob and temporary folders.
func (w *testEnv) storedFiles() (paths []string) {
	w.t.Helper()
	for _, dir := range []string{w.blobDir, w.tempDir} {
		must(w.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil && !os.IsNotExist(err) {
				return err
			}
			if err == nil && !entry.IsDir() && !strings.Contains(path, ".journal") {
				paths = append(paths, path)
			}
			return nil
		}))
	}
	return paths
}

// attempt sends the mutation with a file as the user, and checks that a refusal leaves no file.
func (w *testEnv) attempt(name, by, mutation string, input map[string]any, mustRefuse bool) {
	w.t.Helper()
	before := w.storedFiles()
	file := "%PDF-1.7\n" + domain.NewID().String()
	answer := w.upload(by, fmt.Sprintf(`mutation($input: %s%sInput!) { %s(input: $input) { case {
		id } userErrors { ... on Refusal { code message } } } }`,
		strings.ToUpper(mutation[:1]), mutation[1:], mutation), input, file)
	refusals, _ := answer.at(mutation, "userErrors").([]any)
	refused := len(answer.Errors) > 0 || len(refusals) > 0
	after := w.storedFiles()
	switch {
	case strings.Contains(fmt.Sprint(answer), string(domain.Internal)):
		w.t.Errorf("%s: %+v", name, answer)
	case refused && len(after) != len(before):
		w.t.Errorf("%s was refused and left %d files: %+v", name, len(after)-len(before), answer)
	case mustRefuse && !refused:
		w.t.Errorf("%s was not refused", name)
	}
}

// A refused command leaves no file, because everything that can be checked without the file is
// checked before the file is stored.
func TestRefusedCommandsStoreNoFile(t *testing.T) {
	t.Parallel()
	w := newTestEnvWith(t, "", nil)
	sam := w.person("sam", domain.RoleSubmitter)
	w.person("eve", domain.RoleSubmitter)
	w.person("aud", domain.RoleAuditor)
	w.person("mia", domain.RoleManager)
	gone := w.person("gone", domain.RoleSubmitter)
	must(t, w.putUser(domain.User{ID: gone.UserID, Email: "gone@example.com", Name: "gone",
		Roles: []domain.Role{domain.RoleSubmitter}, Disabled: true}))
	scoped := sam
	scoped.TokenID, scoped.Scopes = domain.NewID(), []string{string(domain.ActRead)}
	w.people.Store("scoped", scoped)

	own, foreign := w.submit("sam", "12 000.00"), w.submit("eve", "13 000.00")
	w.runPending()
	review := w.mustExecute("mia", `query($id: ID!) { case(id: $id) { openReview { id } } }`, "id",
		own).text("case", "openReview", "id")
	w.mustExecute("mia", `mutation($r: ID!) { claimReview(input: {reviewId: $r}) { userErrors {
		__typename } } }`, "r", review)
	w.mustExecute("mia", `mutation($r: ID!) { decideReview(input: {reviewId: $r, decision: RETURN,
		reason: "unreadable"}) { userErrors { __typename } } }`, "r", review)
	w.runPending()

	base := map[string]map[string]any{"submitDocument": {}, "replaceDocument": {"caseId": own}}
	with := func(mutation string, more map[string]any) map[string]any {
		input := maps.Clone(base[mutation])
		maps.Copy(input, more)
		return input
	}
	samples := sampler{ownSchema(), map[string]string{"caseId": own}}
	for _, one := range inputs(samples.schema) {
		mutation := one.roots[0].Name
		if base[mutation] == nil || one.items > 0 {
			continue
		}
		for attack, text := range map[string]string{"too long": strings.Repeat("\U0001F600",
			one.max+1), "NUL": "a\x00b", "not UTF-8": "a\xffb",
			"the longest": strings.Repeat("\U0001F600", one.max), "empty": "",
			"separators": "'\"\\/\n\u2028\u202e%_"} {
			input, _ := samples.of("input", one.argument.Type, one.path[1:], text).(map[string]any)
			w.attempt(one.name()+" "+attack, "sam", mutation, with(mutation, input),
				attack == "too long" || attack == "NUL")
		}
	}
	w.attempt("the first under a key", "sam", "submitDocument",
		map[string]any{"idempotencyKey": "k"}, false)
	money := func(amount, currency string) map[string]any {
		return map[string]any{"amount": map[string]any{"amount": amount, "currency": currency}}
	}
	for name, input := range map[string]map[string]any{
		"unknown process": {"process": "nosuch"}, "country": {"country": "Atlantis"},
		"unassigned country":   {"country": "ZZ"},
		"digits for a country": {"country": "12"}, "amount": money("1.2.3", "EUR"),
		"ambiguous amount": money("1,234", "EUR"), "currency": money("1.00", "ZZZ"),
		"negative amount": money("-1.00", "EUR"), "no currency": money("1.00", ""),
		"key used before":   {"idempotencyKey": "k"},
		"file and upload":   {"uploadId": domain.NewID().String()},
		"channel of a page": {"channel": "WEB"},
	} {
		w.attempt("submission: "+name, "sam", "submitDocument", input, name != "channel of a page")
	}
	for name, input := range map[string]map[string]any{
		"stale version":  {"expectedVersion": "77"},
		"another status": {"expectedStatus": "IN_REVIEW"},
		"another's case": {"caseId": foreign},
		"no such case":   {"caseId": scalar.GlobalID(scalar.KindCase, domain.NewID())},
		"no id":          {"caseId": "x"},
		"a review's id":  {"caseId": review}, "file and upload": {"uploadId": domain.NewID().
					String()},
	} {
		w.attempt("replacement: "+name, "sam", "replaceDocument", with("replaceDocument", input),
			true)
	}
	for _, by := range []string{"aud", "gone", "scoped", "", "unknown"} {
		w.attempt("submission by "+by, by, "submitDocument", map[string]any{}, true)
	}
	for _, by := range []string{"aud", "eve", "gone", "scoped", "mia", "", "unknown"} {
		w.attempt("replacement by "+by, by, "replaceDocument", with("replaceDocument", nil),
			by != "mia")
	}
	// checks that the test looks in the right folder
	must(t, os.WriteFile(filepath.Join(w.tempDir, "probe"), nil, 0o600))
	if len(w.storedFiles()) == 0 {
		t.Error("the file was not found")
	}
}

// The service layer itself refuses what the schema's limits refuse over the API, because programs
// and tests call it directly.
func TestServiceStoresNoFileOfRefusedInput(t *testing.T) {
	t.Parallel()
	w := newTestEnvWith(t, "", nil)
	sam := w.person("sam", domain.RoleSubmitter)
	long := func(n int) string { return strings.Repeat("\U0001F600", n) }
	for name, in := range map[string]casework.SubmitDocument{
		"key too long":     {Once: casework.Once{Key: long(201)}},
		"key with NUL":     {Once: casework.Once{Key: "a\x00"}},
		"key not UTF-8":    {Once: casework.Once{Key: "a\xff"}},
		"process too long": {Process: long(81)}, "process with NUL": {Process: "a\x00"},
		"process not UTF-8": {Process: "\xff"}, "unknown process": {Process: "nosuch"},
		"type too long": {DocumentType: long(41)}, "type with NUL": {DocumentType: "invoice\x00"},
		"type not UTF-8": {DocumentType: "\xff"},
		"country":        {Country: "D\x00"}, "amount": {Amount: "1\x00", Currency: "EUR"},
		"currency": {Amount: "1.00", Currency: "E\x00R"},
		"channel":  {Channel: "pigeon\x00"}, "another's upload": {UploadID: domain.NewID()},
	} {
		before := len(w.storedFiles())
		content := []byte("%PDF-1.7\n" + name)
		in.File = casework.Upload{FileName: "a\x00\xff.pdf", Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(content)), nil
			}}
		_, err := w.service.SubmitDocument(t.Context(), sam, in)
		if err == nil || domain.CodeOf(err).Kind() == domain.KindInternal || domain.CodeOf(err).
			Kind() == domain.KindUnavailable {
			t.Errorf("%s: %v", name, err)
		}
		if left := len(w.storedFiles()) - before; left != 0 {
			t.Errorf("%s left %d files", name, left)
		}
	}
}
