package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"countersign/domain"
)

// readDocument is the body of the event that a supporting document was read.
type readDocument struct {
	Number     int      `json:"number"`
	SHA256     string   `json:"sha256"`
	Pages      int      `json:"pages"`
	PageImages []string `json:"pageImages"`
	seq        int64
}

// addReading adds the event of a reading.
func (s *supportingCheck) addReading(event *domain.Event) {
	var body readDocument
	if json.Unmarshal(event.Body, &body) != nil {
		return // erased, and the erasure deletes the rows
	}
	if s.read == nil {
		s.read = map[int]readDocument{}
	}
	body.seq = event.Seq
	s.read[body.Number] = body
}

// readingProblems returns the readings that were changed, deleted or added. A reading by an earlier program
// has no event and is none of them.
func (s *supportingCheck) readingProblems(rows []domain.SupportingReading, head int64) []RowProblem {
	var problems []RowProblem
	found := map[int]bool{}
	for i := range rows {
		reading := &rows[i]
		found[reading.Number] = true
		recorded, known := s.read[reading.Number]
		switch {
		case known && !recorded.matches(reading):
			problems = append(problems, RowProblem{recorded.seq, fmt.Sprintf("the pages of the supporting document "+
				"%d were changed: they are not those of event %d", reading.Number, recorded.seq)})
		case !known && !s.unrecorded(reading):
			problems = append(problems, RowProblem{0, fmt.Sprintf(
				"pages of the supporting document %d were added: no event mentions them", reading.Number)})
		}
	}
	for number, recorded := range s.read {
		if !found[number] && recorded.seq <= head && s.files == nil {
			problems = append(problems, RowProblem{recorded.seq, fmt.Sprintf(
				"what was read of the supporting document %d is missing", number)})
		}
	}
	slices.SortFunc(problems, func(x, y RowProblem) int { return int(x.Seq - y.Seq) })
	return problems
}

// unrecorded reports whether an earlier program may have read the document, which recorded no readings.
func (s *supportingCheck) unrecorded(reading *domain.SupportingReading) bool {
	added, known := s.added[reading.Number]
	return known && !added.ReadingRecorded && s.files == nil && len(reading.SHA256) > 0
}

// matches reports whether the rows are those of the event.
func (r readDocument) matches(reading *domain.SupportingReading) bool {
	var images []string
	for i, image := range reading.Images {
		if image.Number != i+1 {
			return false
		}
		if image.SHA256 != "" {
			images = append(images, image.SHA256)
		}
	}
	return hex.EncodeToString(reading.SHA256) == r.SHA256 && reading.Pages == r.Pages &&
		len(reading.Images) == r.Pages && slices.Equal(images, r.PageImages)
}

// Unrecorded returns how many supporting documents an earlier program read, which recorded no images. What
// it read is not proved.
func (a *CaseCheck) Unrecorded(rows CaseRows) int64 {
	return int64(len(a.supporting.unrecordedReadings(rows.Readings)))
}

func (s *supportingCheck) unrecordedReadings(rows []domain.SupportingReading) []domain.SupportingReading {
	return slices.DeleteFunc(slices.Clone(rows), func(r domain.SupportingReading) bool {
		_, known := s.read[r.Number]
		return known || !s.unrecorded(&r)
	})
}

// unrecordedReadings returns what an earlier program read of the supporting documents of an exported case.
func (f *streamFacts) unrecordedReadings() []domain.SupportingReading {
	var check supportingCheck
	for _, event := range f.events {
		switch event.Type {
		case domain.DocumentAdded:
			check.add(event)
		case domain.DocumentRead:
			check.addReading(event)
		case domain.CaseErased:
			check.addErasure(event)
		}
	}
	return check.unrecordedReadings(f.present.Readings)
}

// exportReading is what was read of a supporting document, in an export.
type exportReading struct {
	SHA256 string   `json:"sha256"`
	Pages  int      `json:"pages"`
	Images []string `json:"images"` // by page, "" if it has none
}

// readingLine returns the line of the reading of a document, nil if it was not read. An export of pages that
// do not follow each other has no line for them, so that its verification finds them.
func readingLine(number int, all []domain.SupportingReading) *exportReading {
	at := slices.IndexFunc(all, func(r domain.SupportingReading) bool { return r.Number == number })
	if at < 0 {
		return nil
	}
	line := &exportReading{hex.EncodeToString(all[at].SHA256), all[at].Pages, []string{}}
	for i, image := range all[at].Images {
		if image.Number != i+1 {
			return nil
		}
		line.Images = append(line.Images, image.SHA256)
	}
	return line
}

func (l *exportReading) toReading(caseID domain.ID, number int) (domain.SupportingReading, error) {
	hash, err := hex.DecodeString(l.SHA256)
	reading := domain.SupportingReading{CaseID: caseID, Number: number, SHA256: hash, Pages: l.Pages}
	for i, image := range l.Images {
		reading.Images = append(reading.Images, domain.PageImage{Number: i + 1, SHA256: image})
	}
	if err != nil {
		err = fmt.Errorf("the hash of what was read of the supporting document %d is not in hex", number)
	}
	return reading, err
}
