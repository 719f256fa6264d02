package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"countersign/domain"
	"countersign/reading/extraction"
	"countersign/reading/ocr"
)

// saved is what -save keeps of one document.
type saved struct {
	Pages []domain.Page
	XML   []byte
	Err   string
	Secs  float64

	images []pageImage // for the language model, if it gets them; -save does not keep them
}

// outcome is one set's result.
type outcome struct {
	name    string
	files   int
	read    int
	pages   int
	wall    time.Duration // summed over documents
	cpu     time.Duration // of all children
	fields  map[string]*score
	byXML   map[string]*score
	codes   map[domain.Code]int
	passed  [2]passed // with nothing declared, and with the true amount
	problem []string
	misses  []string
	worst   []documentMisses
	memory  int64 // highest proportional set size of this process and its children
	lines   lineScore
	values  judgements // every value whose truth is known
	task3   protocol
	// calibrate calibrates what was extracted.
	calibrate calibrator
	model     *modelOutcome // nil if no model is asked
}

// score counts a field: how often the truth is known, found, right.
type score struct{ known, found, right int }

func newOutcome(name string, calibrate calibrator) *outcome {
	return &outcome{name: name, calibrate: calibrate, fields: map[string]*score{}, byXML: map[string]*score{},
		codes: map[domain.Code]int{}}
}

func measure(ctx context.Context, reader *ocr.Reader, set set, s settings) (*outcome, error) {
	o := newOutcome(set.name, s.calibrate)
	before := childCPU()
	watched, stop := context.WithCancel(ctx)
	if s.from != "" {
		stop() // nothing is read
	}
	memory := watchMemory(watched)
	var group sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, max(1, s.parallel))
	var first error
	for _, path := range set.files {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			known, err := readTruth(path)
			var doc saved
			var code domain.Code
			if err == nil {
				doc, code, err = obtain(ctx, reader, set.name, path, s)
			}
			var answer *asked
			if err == nil {
				answer, err = askAbout(ctx, s, doc, known)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = errors.Join(first, err)
				return
			}
			o.add(path, doc, code, known)
			if answer != nil {
				o.addModel(path, doc, known, answer)
			}
		})
	}
	group.Wait()
	stop()
	o.memory = <-memory
	o.cpu = childCPU() - before
	if !s.printMisses {
		o.misses = nil
	}
	slices.Sort(o.misses)
	return o, first
}

// obtain reads the document, or takes what was kept.
func obtain(ctx context.Context, reader *ocr.Reader, setName, path string, s settings) (saved,
	domain.Code, error) {
	name := filepath.Join(setName, filepath.Base(path)+".json")
	var doc saved
	if s.from != "" {
		text, err := os.ReadFile(filepath.Join(s.from, name))
		if err != nil {
			return doc, "", err
		}
		return doc, "", json.Unmarshal(text, &doc)
	}
	begin := time.Now()
	reading, err := reader.ReadFile(ctx, path, ocr.Request{CorrelationID: filepath.Base(path)})
	doc.Secs = time.Since(begin).Seconds()
	code := domain.CodeOf(err)
	if err != nil {
		doc.Err = err.Error()
	} else {
		defer reading.Close()
		doc.Pages, doc.XML = reading.DomainPages(), reading.XML
		if s.model.sendsImages() {
			if doc.images, err = s.model.keepImages(ctx, reader, reading.Pages); err != nil {
				return doc, code, err
			}
		}
	}
	if s.save == "" {
		return doc, code, nil
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return doc, code, err
	}
	if err := os.MkdirAll(filepath.Join(s.save, setName), 0o755); err != nil {
		return doc, code, err
	}
	return doc, code, os.WriteFile(filepath.Join(s.save, name), text, 0o644)
}

func (o *outcome) add(path string, doc saved, code domain.Code, known truth) {
	o.files++
	o.wall += time.Duration(doc.Secs * float64(time.Second))
	if doc.Err != "" {
		o.codes[code]++
		o.problem = append(o.problem, filepath.Base(path)+": "+doc.Err)
		o.addJudgements(nil, known) // a refused document has none of its values
		o.addWorst(filepath.Base(path), nil, nil, known)
		return
	}
	o.read++
	o.pages += len(doc.Pages)
	o.lines.addDocument(path, doc)
	if known == nil {
		return
	}
	o.addPassed(filepath.Base(path), doc, known)
	fields := o.extracted(doc, known)
	o.addScores(o.fields, path, fields, known)
	o.addJudgements(fields, known)
	o.addWorst(filepath.Base(path), doc.Pages, fields, known)
	if len(doc.XML) > 0 {
		fields, err := extraction.FromXML(doc.XML)
		if err != nil {
			o.problem = append(o.problem, filepath.Base(path)+": "+err.Error())
		}
		o.addScores(o.byXML, path+" (xml)", fields, known)
	}
}

// extracted returns the fields of the pages.
func (o *outcome) extracted(doc saved, known truth) []domain.Field {
	return o.calibrate(vendorOf(known), doc.Pages, extraction.Extract(doc.Pages, extraction.Hints{}))
}

// addJudgements judges the values and their confidence.
func (o *outcome) addJudgements(fields []domain.Field, known truth) {
	for _, name := range domain.FieldNames() {
		wanted := known[name]
		if len(wanted) == 0 {
			continue
		}
		o.task3.add(name, fields, wanted)
		at := slices.IndexFunc(fields,
			func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
		if at < 0 {
			continue
		}
		o.values = append(o.values,
			judgement{name, fields[at].Confidence, right(name, fields[at], wanted)})
	}
}

func (o *outcome) addScores(scores map[string]*score, path string, fields []domain.Field,
	known truth) {
	for _, name := range domain.FieldNames() {
		wanted := known[name]
		if len(wanted) == 0 {
			continue
		}
		if scores[name] == nil {
			scores[name] = &score{}
		}
		scores[name].known++
		at := slices.IndexFunc(fields, func(f domain.Field) bool {
			return f.Name == name &&
				f.Normalised != ""
		})
		if at < 0 {
			o.misses = append(o.misses, fmt.Sprintf("%s %s: nothing, wanted %v", name,
				filepath.Base(path), wanted))
			continue
		}
		scores[name].found++
		if right(name, fields[at], wanted) {
			scores[name].right++
		} else {
			o.misses = append(o.misses, fmt.Sprintf("%s %s: %q (%.2f), wanted %v", name,
				filepath.Base(path),
				fields[at].Normalised, fields[at].Confidence, wanted))
		}
	}
}

func (o *outcome) print(to io.Writer) {
	fmt.Fprintf(to, "\n%s: %d files, %d read, %d pages, %.2f s a page (wall, per document)", o.name,
		o.files, o.read, o.pages,
		o.wall.Seconds()/float64(max(1, o.pages)))
	if o.cpu > 0 {
		fmt.Fprintf(to, ", %.2f CPU-s a page", o.cpu.Seconds()/float64(max(1, o.pages)))
	}
	fmt.Fprintln(to)
	o.printCodes(to)
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	for label, scores := range map[string]map[string]*score{"pages": o.fields, "xml": o.byXML} {
		if len(scores) == 0 {
			continue
		}
		fmt.Fprintf(table, "  from %s\tknown\tfound\tright\t%%\t\n", label)
		for _, name := range domain.FieldNames() {
			if s := scores[name]; s != nil {
				fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%.0f\t\n", name, s.known, s.found, s.right,
					100*float64(s.right)/float64(s.known))
			}
		}
	}
	_ = table.Flush()
	if len(o.fields) > 0 {
		fmt.Fprintf(to, "  all fields %.1f %%, %s\n", o.allRight(), &o.task3)
		o.values.print(to)
		o.printPassed(to)
	}
	o.lines.print(to, o.misses != nil)
	for _, line := range append(o.problem, o.misses...) {
		fmt.Fprintln(to, "   ", strings.ReplaceAll(line, "\n", " "))
	}
}

// childCPU is the processor time of all children waited for.
func childCPU() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
