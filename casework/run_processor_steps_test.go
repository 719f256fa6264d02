package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/workflow"
)

// recordedWork is the work of test processors. It records the steps in order.
type recordedWork struct {
	mu      sync.Mutex
	steps   []string
	session *stageSession
}

func (w *recordedWork) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steps = append(w.steps, what)
}

func recordingCheck(name string, err error) check[*recordedWork] {
	return check[*recordedWork]{name: name,
		run: func(_ context.Context, w *recordedWork) (workUpdate[*recordedWork], error) {
			w.note("run " + name)
			return func(w *recordedWork) { w.note("report " + name) }, err
		}}
}

// newRecordingProcessor returns a processor that has every step.
func newRecordingProcessor(w *recordedWork) stageProcessor[*recordedWork] {
	step := func(name string) func(context.Context, *recordedWork) error {
		return func(_ context.Context, w *recordedWork) error {
			w.note(name)
			return nil
		}
	}
	return stageProcessor[*recordedWork]{
		newWork: func(p *stageSession, _ *workflow.Node) *recordedWork {
			w.session = p
			return w
		},
		parameterChecks: []check[*recordedWork]{recordingCheck("parameters", nil)},
		prepare: func(_ context.Context, w *recordedWork) error {
			w.note("prepare")
			w.session.addCleanup(func() { w.note("release") })
			return nil
		},
		sequentialChecks: []check[*recordedWork]{recordingCheck("check", nil)},
		chooseOutcome:    func(w *recordedWork) string { w.note("next"); return "large" },
		outcomes:         []string{"large", "small"},
		execute:          step("act"),
		plugins: []plugin[*recordedWork]{{"one", step("plugin one")},
			{"two", step("plugin two")}},
		save:        func(w *recordedWork, _ *transition) { w.note("save") },
		afterCommit: func(_ context.Context, w *recordedWork) { w.note("after") },
	}
}

// runWithCleanups runs a processor as the service does, including cleanups; a panic becomes an
// error.
func runWithCleanups(
	ctx context.Context, s stageProcessor[*recordedWork], p *stageSession,
) (result *stageResult, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	defer p.runCleanups()
	return s.run(ctx, p, &workflow.Node{})
}

func TestStepsRunInOrder(t *testing.T) {
	t.Parallel()
	work := &recordedWork{}
	result, err := runWithCleanups(t.Context(), newRecordingProcessor(work), &stageSession{})
	if err != nil || result.Outcome != "large" {
		t.Fatalf("%+v, %v", result, err)
	}
	result.apply(&transition{})
	result.afterCommit(t.Context())
	want := []string{"run parameters", "report parameters", "prepare", "run check", "report check",
		"next", "act", "plugin one", "plugin two",
		"release", "save", "after"}
	if !slices.Equal(work.steps, want) {
		t.Errorf("got  %q\nwant %q", work.steps, want)
	}
	// A derived processor overrides steps without changing the original.
	existing := newRecordingProcessor(&recordedWork{})
	short := existing
	short.plugins, short.chooseOutcome = nil, nil
	if len(existing.plugins) != 2 ||
		!slices.Equal(short.possibleOutcomes(), []string{workflow.OutcomeDone}) ||
		!slices.Equal(existing.possibleOutcomes(), []string{"large", "small"}) {
		t.Errorf("%v, %v", short.possibleOutcomes(), existing.possibleOutcomes())
	}
}

// TestParallelChecksReportInOrder uses checks that wait for each other to start, so they finish
// only if they run concurrently. Their updates are applied in the order of declaration, whatever
// the order in which they finish.
func TestParallelChecksReportInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "checks")
		order := rapid.Permutation(intsUpTo(n)).Draw(t, "completion order")
		failing := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), rapid.ID).Draw(t, "fail")
		var begun sync.WaitGroup
		begun.Add(n)
		ended := make([]chan struct{}, n)
		for i := range ended {
			ended[i] = make(chan struct{})
		}
		work := &recordedWork{}
		checks := make([]check[*recordedWork], n)
		for i := range n {
			position := slices.Index(order, i)
			checks[i] = check[*recordedWork]{name: fmt.Sprint(i),
				run: func(context.Context, *recordedWork) (workUpdate[*recordedWork], error) {
					begun.Done()
					begun.Wait()
					if position > 0 {
						<-ended[order[position-1]]
					}
					close(ended[i])
					if slices.Contains(failing, i) {
						return nil, domain.Errorf(domain.ValidationFailed, "check %d", i)
					}
					return func(w *recordedWork) { w.note(fmt.Sprint(i)) }, nil
				}}
		}
		err := runConcurrently(context.Background(), checks, work)
		if len(failing) == 0 {
			want := []string{}
			for i := range n {
				want = append(want, fmt.Sprint(i))
			}
			if err != nil || !slices.Equal(work.steps, want) {
				t.Fatalf("%v, reported %q", err, work.steps)
			}
			return
		}
		if !domain.HasCode(err, domain.ValidationFailed) ||
			!strings.Contains(err.Error(), fmt.Sprintf("check %d", slices.Min(failing))) ||
			len(work.steps) > 0 {
			t.Fatalf("%v, reported %q; failing %v", err, work.steps, failing)
		}
	})
}

func intsUpTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestCleanupsAlwaysRun ends a processor at every step in every way; all cleanups run, last first.
func TestCleanupsAlwaysRun(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	const lost = "ignored lease loss"
	ends := map[string]func(ctx context.Context, lose context.CancelCauseFunc) error{
		"success": func(context.Context, context.CancelCauseFunc) error { return nil },
		"failure": func(context.Context, context.CancelCauseFunc) error { return boom },
		"panic":   func(context.Context, context.CancelCauseFunc) error { panic("boom") },
		"timeout": func(ctx context.Context, _ context.CancelCauseFunc) error {
			<-ctx.Done()
			return ctx.Err()
		},
		lost: func(_ context.Context, lose context.CancelCauseFunc) error {
			lose(domain.Errorf(domain.LeaseLost, "gone"))
			return nil
		},
	}
	for how, ending := range ends {
		for _, at := range []string{"parameters", "prepare", "checks", "parallel", "act",
			"plugin"} {
			t.Run(how+" at "+at, func(t *testing.T) {
				t.Parallel()
				// fake time advances only while every step waits
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					end := func(ctx context.Context) error { return ending(ctx, cancel) }
					work := &recordedWork{}
					s := newRecordingProcessor(work)
					prepare := s.prepare
					s.prepare = func(ctx context.Context, w *recordedWork) error {
						w.session.addCleanup(func() { w.note("release first") })
						return prepare(ctx, w)
					}
					newWork := s.newWork
					s.newWork = func(p *stageSession, n *workflow.Node) *recordedWork {
						p.addCleanup(func() { work.note("release begin") })
						return newWork(p, n)
					}
					stop := check[*recordedWork]{name: "stop",
						run: func(ctx context.Context, _ *recordedWork) (workUpdate[*recordedWork], error) {
							return nil, end(ctx)
						}}
					switch at {
					case "parameters":
						s.parameterChecks = append(s.parameterChecks, stop)
					case "prepare":
						prepare := s.prepare
						s.prepare = func(ctx context.Context, w *recordedWork) error {
							_ = prepare(ctx, w)
							return end(ctx)
						}
					case "checks":
						s.sequentialChecks = append(s.sequentialChecks, stop)
					case "parallel":
						s.parallelChecks = []check[*recordedWork]{recordingCheck("other", nil),
							stop, recordingCheck("another", nil)}
					case "act":
						s.execute = func(ctx context.Context, _ *recordedWork) error {
							return end(
								ctx)
						}
					case "plugin":
						s.plugins = append(s.plugins,
							plugin[*recordedWork]{"stop",
								func(ctx context.Context, _ *recordedWork) error {
									return end(
										ctx)
								}})
					}
					if how == "timeout" {
						s.timeout = 20 * time.Millisecond
					}
					p := &stageSession{}
					_, err := runWithCleanups(ctx, s, p)
					code := map[string]domain.Code{"timeout": domain.TimedOut, "success": "",
						lost: domain.LeaseLost}
					if want, ok := code[how]; ok && domain.CodeOf(err) != want || !ok &&
						err == nil {
						t.Errorf("got %v", err)
					}
					want := []string{"release", "release first", "release begin"}
					if at == "parameters" && how != "success" {
						want = want[2:]
					}
					var got []string
					for _, step := range work.steps {
						if strings.HasPrefix(step, "release") {
							got = append(got, step)
						}
					}
					if !slices.Equal(got, want) || len(p.cleanups) > 0 {
						t.Errorf("released %q, want %q", got, want)
					}
				})
			})
		}
	}
}

// TestPanickingCleanup checks that a panic in one cleanup does not prevent the others.
func TestPanickingCleanup(t *testing.T) {
	t.Parallel()
	p, released := &stageSession{}, 0
	p.addCleanup(func() { released++ })
	p.addCleanup(func() { panic("boom") })
	p.addCleanup(func() { released++ })
	func() {
		defer func() { _ = recover() }()
		p.runCleanups()
	}()
	if released != 2 || len(p.cleanups) != 0 {
		t.Errorf("released %d", released)
	}
}

func TestProcessorRegistry(t *testing.T) {
	t.Parallel()
	named := func(name string) processor {
		return stageProcessor[*recordedWork]{outcomes: []string{name},
			chooseOutcome: func(*recordedWork) string { return name }}
	}
	small := func(_ context.Context, p *stageSession) (bool, error) {
		return p.record.BaseMinor < 100, nil
	}
	failing := func(context.Context, *stageSession) (bool, error) {
		return false, domain.Errorf(domain.DamagedFile, "damaged")
	}
	registry := &processorRegistry{}
	registry.register(workflow.ProcessorKey{Behaviour: "pay"}, nil, named("any"))
	registry.register(workflow.ProcessorKey{Behaviour: "pay", DocumentType: "receipt"}, nil,
		named("receipt"))
	registry.register(workflow.ProcessorKey{Behaviour: "pay", DocumentType: "receipt"}, small,
		named("small receipt"))
	registry.register(workflow.ProcessorKey{Behaviour: "pay", DocumentType: "invoice",
		Channel: "mail"}, nil, named("invoice by mail"))
	registry.register(workflow.ProcessorKey{Behaviour: "pay", Event: eventReevaluate}, nil,
		named("reevaluate"))
	registry.register(workflow.ProcessorKey{Behaviour: "weigh"}, small, named("one"))
	registry.register(workflow.ProcessorKey{Behaviour: "weigh"}, small, named("other"))
	registry.register(workflow.ProcessorKey{Behaviour: "open"}, failing, named("never"))
	for _, test := range []struct {
		behaviour, event, documentType string
		channel                        domain.Channel
		base                           int64
		want                           string
		code                           domain.Code
	}{
		{"pay", eventRun, "content", domain.ChannelWeb, 500, "any", ""},
		{"pay", eventRun, "receipt", domain.ChannelWeb, 500, "receipt", ""},
		{"pay", eventRun, "receipt", domain.ChannelWeb, 99, "small receipt", ""},
		{"pay", eventRun, "invoice", domain.ChannelMail, 500, "invoice by mail", ""},
		{"pay", eventRun, "invoice", domain.ChannelWeb, 500, "any", ""},
		{"pay", eventReevaluate, "content", domain.ChannelWeb, 500, "reevaluate", ""},
		{"weigh", eventRun, "receipt", domain.ChannelWeb, 99, "", domain.AmbiguousProcessor},
		{"weigh", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.ProcessorNotFound},
		{"open", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.DamagedFile},
		{"translate", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.ProcessorNotFound},
	} {
		session := &stageSession{record: domain.Case{DocumentType: test.documentType,
			Channel: test.channel, BaseMinor: test.base}}
		found, err := registry.find(t.Context(), test.behaviour, test.event, session)
		if domain.CodeOf(err) != test.code || err == nil &&
			found.possibleOutcomes()[0] != test.want {
			t.Errorf("%+v: %v, %v", test, found, err)
		}
	}
	if got := registry.outcomes("pay"); !slices.Contains(got, "any") ||
		!slices.Contains(got, "reevaluate") || registry.outcomes("translate") != nil {
		t.Errorf("outcomes %q", got)
	}
	builtin, err := builtinProcessors(&Service{})
	if err != nil {
		t.Fatal(err)
	}
	builtin.register(workflow.ProcessorKey{Behaviour: "validate", Channel: "mail"}, nil,
		named("by mail"))
	if err := workflow.CheckProcessorKeys(builtin.keys); !domain.HasCode(err,
		domain.AmbiguousProcessor) {
		t.Errorf("a receipt by mail matches two processors: %v", err)
	}
}

// TestBuiltinProcessorSteps checks that both rule stages share a plugin, and that receipts skip one
// check.
func TestBuiltinProcessorSteps(t *testing.T) {
	t.Parallel()
	for _, s := range []stageProcessor[*ruleEvaluation]{newValidateProcessor(&Service{}),
		newAssessProcessor(&Service{}), withoutAccountCheck(newValidateProcessor(&Service{})),
		withoutAccountCheck(newAssessProcessor(&Service{}))} {
		if len(s.plugins) != 1 || s.plugins[0].name != "duplicates" {
			t.Errorf("plugins %+v", s.plugins)
		}
	}
	names := func(s stageProcessor[*ruleEvaluation]) (list []string) {
		for _, check := range s.parallelChecks {
			list = append(list, check.name)
		}
		return list
	}
	standard := newValidateProcessor(&Service{})
	if got := names(withoutAccountCheck(standard)); !slices.Equal(got, []string{"general"}) ||
		!slices.Equal(names(standard), []string{"general", "account"}) {
		t.Errorf("receipts run the checks %q, others %q", got, names(standard))
	}
}
