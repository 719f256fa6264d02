package audit

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"countersign/domain"
)

// PackReport is the result of verifying a pack.
type PackReport struct {
	Reference string
	Case      domain.ID
	MadeAt    time.Time
	Events    int64
	Erased    int64
	// Checkpoint covers the events up to Covered; the zero Checkpoint if the pack has none.
	Checkpoint Checkpoint
	Covered    int64
	// Signatures is the number of approvals whose signature by a passkey was verified.
	Signatures int64
	// OwnKeys reports that only the keys in the pack itself were used.
	OwnKeys bool
	// Proved are the files whose hashes are in the record, Unproved those that only the pack lists.
	Proved, Unproved []string
	Break            *Break
}

// maxPackText bounds the record and pack.json.
const maxPackText = 256 << 20

// VerifyPack verifies a pack using only the file; with keys, that it is of their log. It reports
// tampering as the report's Break. ValidationFailed if the file is no pack.
func VerifyPack(file io.ReaderAt, size int64, check ExportCheck) (PackReport, error) {
	v := packVerifier{check: check}
	err := v.run(file, size)
	var found *Break
	if errors.As(err, &found) {
		v.report.Break = found
		err = nil
	}
	return v.report, err
}

type packVerifier struct {
	check    ExportCheck
	document packDocument
	report   PackReport
	record   []byte
	page     []byte
}

func altered(format string, args ...any) *Break {
	return &Break{Kind: BreakAlteredPack, Message: fmt.Sprintf(format, args...)}
}

func noPack(cause error) error {
	return domain.Errorf(domain.ValidationFailed, "The file is not an evidence pack.").WithCause(cause)
}

func (v *packVerifier) run(file io.ReaderAt, size int64) error {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return noPack(err)
	}
	if len(archive.File) == 0 || archive.File[len(archive.File)-1].Name != packIndex {
		return noPack(errors.New("the index is missing"))
	}
	text, err := readEntry(archive.File[len(archive.File)-1])
	if err == nil {
		err = json.Unmarshal(text, &v.document)
	}
	if err != nil || v.document.Format != PackFormat {
		return noPack(err)
	}
	v.report.Reference, v.report.Case = v.document.Reference, v.document.Case
	v.report.MadeAt = timeOf(v.document.MadeAt)
	for _, step := range []func() error{
		func() error { return v.compareFiles(archive.File[:len(archive.File)-1]) },
		func() error { return v.compareSpelling(archive, file, size, text) },
		v.verifyRecord, v.comparePage,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func readEntry(file *zip.File) ([]byte, error) {
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	return io.ReadAll(io.LimitReader(content, maxPackText))
}

// compareFiles compares the files with the hashes that the index lists.
func (v *packVerifier) compareFiles(files []*zip.File) error {
	if len(files) != len(v.document.Files) {
		return altered("the pack has %d files, its index lists %d", len(files), len(v.document.Files))
	}
	for i, file := range files {
		listed := v.document.Files[i]
		if file.Name != listed.Name {
			return altered("the index lists %s, the pack has %s", listed.Name, file.Name)
		}
		content, err := file.Open()
		if err != nil {
			return altered("%s cannot be read: %v", file.Name, err)
		}
		sum := sha256.New()
		var kept bytes.Buffer
		into := io.Writer(sum)
		if file.Name == packRecord || file.Name == packPage {
			into = io.MultiWriter(sum, &kept)
		}
		_, err = io.Copy(into, content)
		_ = content.Close()
		if err != nil || hexOf(sum) != listed.SHA256 {
			return altered("%s was altered", file.Name)
		}
		switch file.Name {
		case packRecord:
			v.record = kept.Bytes()
		case packPage:
			v.page = kept.Bytes()
		}
	}
	return nil
}

// compareSpelling writes the archive again and compares every byte.
func (v *packVerifier) compareSpelling(archive *zip.Reader, file io.ReaderAt, size int64,
	index []byte) error {
	compared := &comparer{with: bufio.NewReader(io.NewSectionReader(file, 0, size))}
	again := newPackArchive(compared)
	for _, entry := range archive.File[:len(archive.File)-1] {
		content, err := entry.Open()
		if err != nil {
			return altered("%s cannot be read: %v", entry.Name, err)
		}
		err = again.add(entry.Name, roleOwn, content)
		_ = content.Close()
		if err != nil {
			return altered("the archive was altered before its byte %d", compared.at)
		}
	}
	if err := again.end(index); err != nil || compared.at != size {
		return altered("the archive was altered at its byte %d", compared.at)
	}
	return nil
}

// comparer is a writer that fails at the first byte that differs.
type comparer struct {
	with *bufio.Reader
	at   int64
}

// Write compares.
func (c *comparer) Write(text []byte) (int, error) {
	present := make([]byte, len(text))
	n, _ := io.ReadFull(c.with, present)
	for i := range text {
		if i >= n || present[i] != text[i] {
			return i, errors.New("the archive differs")
		}
		c.at++
	}
	return len(text), nil
}

// verifyRecord verifies the events and rows against the checkpoint.
func (v *packVerifier) verifyRecord() error {
	record := newExportVerifier(ExportCheck{})
	if err := v.addProofs(record); err != nil {
		return err
	}
	report, err := record.run(bytes.NewReader(v.record))
	if err != nil {
		return err
	}
	v.report.Events, v.report.Erased, v.report.Signatures = report.Events, report.Erased,
		report.Signatures
	if report.Break != nil {
		return report.Break
	}
	if report.Streams != 1 || !record.done[v.document.Case] || record.last == nil ||
		record.last.present == nil {
		return altered("the record is not that of case %s", v.document.Reference)
	}
	return v.proveFiles(record.last)
}

// addProofs verifies the proofs and lets the record be compared with their leaves.
func (v *packVerifier) addProofs(record *exportVerifier) error {
	for _, key := range v.document.Passkeys {
		record.approvals.keys[key.ID] = key
	}
	if v.document.Note == "" {
		return nil
	}
	keys := v.check.Keys
	if keys.Origin() == "" {
		own, err := ParseKeys(v.document.Keys)
		if err != nil {
			return altered("the keys of the pack cannot be read")
		}
		keys, v.report.OwnKeys = own, true
	}
	if keys.Origin() != v.document.Origin {
		return altered("the pack is of log %s, the public key is of log %s", v.document.Origin, keys.Origin())
	}
	checkpoint, err := OpenNote([]byte(v.document.Note), keys)
	if err != nil {
		return altered("the checkpoint is not signed by log %s", keys.Origin())
	}
	v.report.Checkpoint = checkpoint.Checkpoint
	for _, external := range v.check.External {
		outside, err := OpenNote(external.Note, keys)
		if err == nil && outside.Size == checkpoint.Size && !bytes.Equal(outside.Root, checkpoint.Root) {
			return altered("the checkpoint differs from the one in %s", external.Place)
		}
	}
	for _, line := range v.document.Proofs {
		proof, err := line.toProof()
		if err != nil || VerifyInclusion(proof.Leaf, proof.Index, proof.Path, checkpoint.Checkpoint) != nil {
			return altered("the proof of %s is wrong", proof.Leaf)
		}
		leaf := proof.Leaf
		record.approvals.addLeaf(leaf, int64(proof.Index))
		switch {
		case leaf.Kind == LeafPasskey:
		case leaf.Subject != v.document.Case:
			return altered("the proof of %s is of another case", leaf)
		case leaf.Kind == LeafHead:
			record.expected[leaf.Subject] = append(record.expected[leaf.Subject], expectedHead{leaf: leaf})
			v.report.Covered = max(v.report.Covered, leaf.Seq)
		default:
			record.rows[leaf.Subject] = append(record.rows[leaf.Subject], leaf)
		}
	}
	return nil
}

// proveFiles requires that the original files and the page images are those of the record. Other files
// are proved if the record has their hash.
func (v *packVerifier) proveFiles(facts *streamFacts) error {
	hashes, images := map[string]bool{}, imagesOf(facts.events)
	unrecorded := map[string]bool{}
	for _, reading := range facts.unrecordedReadings() {
		for _, image := range reading.Images {
			unrecorded[image.SHA256] = true
		}
	}
	for _, event := range facts.events {
		addHashes(hashes, string(event.Body))
	}
	for i := range facts.present.Decisions {
		hashes[facts.present.Decisions[i].Evidence.DocumentSHA256] = true
	}
	for _, file := range v.document.Files {
		name := strings.TrimPrefix(file.Name, "files/")
		switch {
		case file.Role == roleOwn:
		case hashes[file.SHA256]:
			v.report.Proved = append(v.report.Proved, name)
		case v.report.Erased == 0 && (file.Role == RoleOriginal || file.Role == RolePage && images ||
			file.Role == RoleSupportingPage && !unrecorded[file.SHA256]):
			return altered("%s is not the file of the record", name)
		default:
			v.report.Unproved = append(v.report.Unproved, name)
		}
	}
	return nil
}

// imagesOf reports whether all events that pages were read have the hashes of their images. Those of
// earlier programs have not.
func imagesOf(events []*domain.Event) bool {
	found := false
	for _, event := range events {
		var body struct {
			Summary struct {
				Pages      int64    `json:"pages"`
				PageImages []string `json:"pageImages"`
			} `json:"summary"`
		}
		if event.Type != domain.StageCompleted || json.Unmarshal(event.Body, &body) != nil ||
			body.Summary.Pages == 0 {
			continue
		}
		if len(body.Summary.PageImages) == 0 {
			return false
		}
		found = true
	}
	return found
}

// addHashes adds all SHA-256 in hexadecimal that a text contains.
func addHashes(hashes map[string]bool, text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdef", r)
	}) {
		if len(word) == 2*sha256.Size {
			hashes[word] = true
		}
	}
}

// comparePage makes the page again from the record.
func (v *packVerifier) comparePage() error {
	events, rows, err := readRecord(v.record, v.document.Case)
	if err != nil {
		return altered("the record cannot be read: %v", err)
	}
	page, err := packPageOf(&v.document, events, rows)
	if err != nil || !bytes.Equal(page, v.page) {
		return altered("%s does not show the record", packPage)
	}
	return nil
}

// readRecord reads the events and rows of a record that was verified.
func readRecord(record []byte, caseID domain.ID) (events []*domain.Event, rows *StreamRows, err error) {
	for line := range bytes.Lines(record) {
		var parsed exportLine
		if err := json.Unmarshal(line, &parsed); err != nil {
			return nil, nil, err
		}
		switch parsed.Kind {
		case kindEvent:
			event, err := parsed.toEvent()
			if err != nil {
				return nil, nil, err
			}
			events = append(events, event)
		case kindRows:
			if rows, err = parsed.Rows.toRows(caseID); err != nil {
				return nil, nil, err
			}
		}
	}
	return events, rows, nil
}

// timeOf converts microseconds since 1970.
func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// sortedNames returns the keys of a map in order.
func sortedNames[V any](values map[string]V) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
