package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
)

// supportingCheck compares the supporting documents of a case with the events that record them.
type supportingCheck struct {
	added map[int]addedDocument // by number
	count int                   // of events, also of those whose bodies were erased
	files []string              // hashes of the files that an erasure deleted; nil without one
	read  map[int]readDocument  // by number
}

// addedDocument is the body of the event of a supporting document.
type addedDocument struct {
	Number    int    `json:"number"`
	Kind      string `json:"kind"`
	Replaces  int    `json:"replaces"`
	FileName  string `json:"fileName"`
	MediaType string `json:"mediaType"`
	SHA256    string `json:"sha256"`
	Size      int64  `json:"size"`
	// ReadingRecorded says that every reading of the document has an event.
	ReadingRecorded bool `json:"readingRecorded"`

	seq int64
	by  domain.ID
	at  time.Time
}

func (s *supportingCheck) add(event *domain.Event) {
	var body addedDocument
	s.count++
	if json.Unmarshal(event.Body, &body) != nil {
		return // erased
	}
	if s.added == nil {
		s.added = map[int]addedDocument{}
	}
	body.seq, body.by, body.at = event.Seq, event.Actor, event.At
	s.added[body.Number] = body
}

func (s *supportingCheck) addErasure(event *domain.Event) {
	var body struct {
		Files []string `json:"files"`
	}
	if json.Unmarshal(event.Body, &body) == nil {
		s.files = append([]string{}, body.Files...)
	}
}

// problems returns the rows that were changed, deleted or added. Events after the head may have rows.
func (s *supportingCheck) problems(rows []domain.SupportingDocument, head int64) []RowProblem {
	var problems []RowProblem
	found := map[int]bool{}
	for i := range rows {
		d := &rows[i]
		found[d.Number] = true
		recorded, known := s.added[d.Number]
		hash := hex.EncodeToString(d.SHA256)
		switch {
		case !known && s.files != nil && slices.Contains(s.files, hash) && d.Number <= s.count:
			// the event was erased, and the erasure names the file
		case !known:
			problems = append(problems, RowProblem{0, fmt.Sprintf(
				"the supporting document %d was added: no event mentions it", d.Number)})
		case recorded.Kind != d.Kind || recorded.Replaces != d.Replaces || recorded.SHA256 != hash ||
			recorded.Size != d.Size || recorded.MediaType != d.MediaType ||
			recorded.by != d.CreatedBy || !recorded.at.Equal(d.CreatedAt) ||
			s.files == nil && recorded.FileName != d.FileName:
			problems = append(problems, RowProblem{recorded.seq, fmt.Sprintf(
				"the supporting document %d was changed: it is not the one of event %d", d.Number,
				recorded.seq)})
		}
	}
	for number := 1; number <= s.count; number++ {
		if recorded := s.added[number]; !found[number] && recorded.seq <= head {
			problems = append(problems, RowProblem{recorded.seq, fmt.Sprintf(
				"the supporting document %d is missing", number)})
		}
	}
	return problems
}

// exportSupporting is a supporting document in an export.
type exportSupporting struct {
	Number    int       `json:"number"`
	Kind      string    `json:"kind"`
	Replaces  int       `json:"replaces,omitempty"`
	FileName  string    `json:"fileName"`
	MediaType string    `json:"mediaType"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"`
	By        domain.ID `json:"by"`
	At        int64     `json:"at"`

	Reading *exportReading `json:"reading,omitempty"`
}

func supportingLines(rows *CaseRows) (lines []exportSupporting) {
	for i := range rows.Supporting {
		d := &rows.Supporting[i]
		lines = append(lines, exportSupporting{d.Number, d.Kind, d.Replaces, d.FileName, d.MediaType,
			d.Size, hex.EncodeToString(d.SHA256), d.CreatedBy, d.CreatedAt.UnixMicro(),
			readingLine(d.Number, rows.Readings)})
	}
	return lines
}

// addSupporting adds the supporting documents of the lines, and what was read of them, to the rows of a case.
func (rows *CaseRows) addSupporting(caseID domain.ID, lines []exportSupporting) error {
	for _, l := range lines {
		hash, err := hex.DecodeString(l.SHA256)
		if err != nil {
			return fmt.Errorf("the hash of the supporting document %d is not in hex", l.Number)
		}
		rows.Supporting = append(rows.Supporting, domain.SupportingDocument{CaseID: caseID, Number: l.Number,
			Kind: l.Kind, Replaces: l.Replaces, FileName: l.FileName, MediaType: l.MediaType, Size: l.Size,
			SHA256: hash, CreatedBy: l.By, CreatedAt: timeOf(l.At)})
		if l.Reading == nil {
			continue
		}
		reading, err := l.Reading.toReading(caseID, l.Number)
		if err != nil {
			return err
		}
		rows.Readings = append(rows.Readings, reading)
	}
	return nil
}
