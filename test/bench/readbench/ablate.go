package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"countersign/domain"
	"countersign/reading/extraction"
	"countersign/reading/ocr"
)

// transcripts is the engine of pages made of the transcripts beside the documents: a reading without
// a wrong letter.
const transcripts = "transcripts"

// variant is one row of the table of ablations.
type variant struct {
	name, engine string
	without      extraction.Ablation
	// single says that the extractor does not see the other reading.
	single bool
	// memory says that the documents before are remembered.
	memory bool
}

var variants = []variant{
	{name: "tesseract", engine: "tesseract"},
	{name: "PP-OCR", engine: "ppocr"},
	{name: "both engines", engine: ocr.Both},
	{name: "both, second reading unknown to the extractor", engine: ocr.Both, single: true},
	{name: "both, without repairs of letters", engine: ocr.Both, without: extraction.Ablation{Repairs: true}},
	{name: "both, without constraints of sums", engine: ocr.Both, without: extraction.Ablation{Sums: true}},
	{name: "both, without rules of names", engine: ocr.Both, without: extraction.Ablation{NameRules: true}},
	{name: "both, without clean-up of names", engine: ocr.Both, without: extraction.Ablation{CleanUp: true}},
	{name: "both, without all four", engine: ocr.Both,
		without: extraction.Ablation{Repairs: true, Sums: true, NameRules: true, CleanUp: true}},
	{name: "both, with memory (replay)", engine: ocr.Both, memory: true},
	{name: "transcripts", engine: transcripts},
	{name: "transcripts, with memory (replay)", engine: transcripts, memory: true},
}

// runAblations extracts the fields of what -save kept with one part left out at a time.
func runAblations(ctx context.Context, to io.Writer, sets []set, s settings) error {
	if s.from == "" {
		return errors.New("-ablate needs -from FOLDER")
	}
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tF1 strict\tvendor\taddress\tdate\ttotal\tvendor, letters\taddress, letters\tsure\twrong of these\t")
	for _, v := range variants {
		row, err := v.measure(ctx, sets, s)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		row.print(table, v.name)
	}
	return table.Flush()
}

// ablated is what one variant reads of all sets.
type ablated struct {
	task3  protocol
	right  map[string]int // of the four fields by letters and digits
	known  map[string]int
	values judgements
}

func (v variant) measure(ctx context.Context, sets []set, s settings) (*ablated, error) {
	row := &ablated{right: map[string]int{}, known: map[string]int{}}
	var lessons []domain.Lesson
	for _, set := range sets {
		for _, path := range set.files {
			known, err := readTruth(path)
			if err != nil {
				return nil, err
			}
			pages, err := v.pages(ctx, set.name, path, s)
			if err != nil {
				return nil, err
			}
			hints := extraction.Hints{Without: v.without}
			if v.memory {
				hints.Lessons = lessonsFor(pages, lessons)
			}
			row.add(extraction.Extract(pages, hints), known)
			if lesson, ok := extraction.Learn(pages, known.fields()); ok && v.memory {
				lesson.Case = domain.ID{byte(len(lessons) >> 8), byte(len(lessons)), 1}
				lessons = append(lessons, lesson)
			}
		}
	}
	return row, nil
}

// pages returns the pages of a document as the variant has them.
func (v variant) pages(ctx context.Context, set, path string, s settings) ([]domain.Page, error) {
	if v.engine == transcripts {
		page, err := transcript(path)
		return []domain.Page{page}, err
	}
	s.from = filepath.Join(s.from, v.engine)
	doc, _, err := obtain(ctx, nil, set, path, s)
	if !v.single {
		return doc.Pages, err
	}
	for i := range doc.Pages {
		for j := range doc.Pages[i].Words {
			doc.Pages[i].Words[j].Alternative = ""
		}
	}
	return doc.Pages, err
}

func (a *ablated) add(fields []domain.Field, known truth) {
	for _, name := range domain.FieldNames() {
		if len(known[name]) == 0 {
			continue
		}
		a.task3.add(name, fields, known[name])
		a.known[name]++
		at := slices.IndexFunc(fields,
			func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
		if at < 0 {
			continue
		}
		isRight := right(name, fields[at], known[name])
		a.values = append(a.values, judgement{name, fields[at].Confidence, isRight})
		if isRight {
			a.right[name]++
		}
	}
}

func (a *ablated) print(to io.Writer, name string) {
	fmt.Fprintf(to, "%s\t%.1f\t", name, a.task3.f1())
	for i, field := range task3Fields {
		fmt.Fprintf(to, "%.1f\t", percent(a.task3.matchedOf[i], a.known[field]))
	}
	for _, field := range task3Fields[:2] {
		fmt.Fprintf(to, "%.1f\t", percent(a.right[field], a.known[field]))
	}
	sure, wrong := a.values.sure()
	fmt.Fprintf(to, "%d\t%d (%.1f %%)\t\n", sure, wrong, percent(wrong, sure))
}

// transcript returns the page of the boxes and texts in NAME.box.csv: x1,y1,...,x4,y4,text.
func transcript(path string) (domain.Page, error) {
	page := domain.Page{Number: 1, Source: domain.SourceOCR, Engine: transcripts}
	file, err := os.Open(strings.TrimSuffix(path, filepath.Ext(path)) + ".box.csv")
	if errors.Is(err, fs.ErrNotExist) {
		return page, fmt.Errorf("%s has no transcript", path)
	}
	if err != nil {
		return page, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), ",", 9)
		if len(parts) < 9 {
			continue
		}
		var corners [8]int
		for i := range corners {
			if corners[i], err = strconv.Atoi(parts[i]); err != nil {
				return page, err
			}
		}
		box := domain.Box{X: corners[0], Y: corners[1], W: corners[4] - corners[0], H: corners[5] - corners[1]}
		page.Width, page.Height = max(page.Width, box.X+box.W), max(page.Height, box.Y+box.H)
		page.Words = append(page.Words, wordsOf(parts[8], box)...)
	}
	joinLines(page.Words)
	var text strings.Builder
	for _, w := range page.Words {
		text.WriteString(w.Text + " ")
	}
	page.Text = text.String()
	return page, lines.Err()
}

// wordsOf divides the box of a line among its words by their letters.
func wordsOf(text string, box domain.Box) []domain.Word {
	all, at := max(1, len([]rune(text))), 0
	var words []domain.Word
	for _, part := range strings.Split(text, " ") {
		size := len([]rune(part))
		if size > 0 {
			words = append(words, domain.Word{Text: part, Confidence: 0.98, Box: domain.Box{
				X: box.X + box.W*at/all, Y: box.Y, W: max(1, box.W*size/all), H: max(1, box.H)}})
		}
		at += size + 1
	}
	return words
}

// joinLines sorts words by height and numbers those at one height as one line.
func joinLines(words []domain.Word) {
	middle := func(w domain.Word) int { return 2*w.Box.Y + w.Box.H }
	slices.SortStableFunc(words, func(a, b domain.Word) int { return middle(a) - middle(b) })
	line, first := 0, 0
	for i := range words {
		down := middle(words[i]) - middle(words[first])
		if i > 0 && down > min(words[i].Box.H, words[first].Box.H) {
			line, first = line+1, i
		}
		words[i].Line = line
	}
}
