package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/workflow"
)

// tried is the work of a processor of the tests: what was done, in order.
type tried struct {
	mu   sync.Mutex
	did  []string
	pass *pass
}

func (w *tried) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, what)
}

func noted(name string, err error) check[*tried] {
	return check[*tried]{name: name, run: func(_ context.Context, w *tried) (report[*tried], error) {
		w.note("ask " + name)
		return func(w *tried) { w.note("report " + name) }, err
	}}
}

// standard is a processor with every step.
func standard(w *tried) steps[*tried] {
	step := func(name string) func(context.Context, *tried) error {
		return func(_ context.Context, w *tried) error {
			w.note(name)
			return nil
		}
	}
	return steps[*tried]{
		begin:      func(p *pass, _ *workflow.Node) *tried { w.pass = p; return w },
		parameters: []check[*tried]{noted("parameters", nil)},
		prepare: func(_ context.Context, w *tried) error {
			w.note("prepare")
			w.pass.take(func() { w.note("release") })
			return nil
		},
		checks:   []check[*tried]{noted("check", nil)},
		next:     func(w *tried) string { w.note("next"); return "large" },
		outcomes: []string{"large", "small"},
		act:      step("act"),
		plugins:  []plugin[*tried]{{"one", step("plugin one")}, {"two", step("plugin two")}},
		save:     func(w *tried, _ *transition) { w.note("save") },
		after:    func(_ context.Context, w *tried) { w.note("after") },
	}
}

// through runs a processor as the hall does, and releases what it took; a panic comes back as its text.
func through(ctx context.Context, s steps[*tried], p *pass) (result *stageResult, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	defer p.release()
	return s.run(ctx, p, &workflow.Node{})
}

func TestTheStepsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	work := &tried{}
	result, err := through(t.Context(), standard(work), &pass{})
	if err != nil || result.Outcome != "large" {
		t.Fatalf("%+v, %v", result, err)
	}
	result.apply(&transition{})
	result.after(t.Context())
	want := []string{"ask parameters", "report parameters", "prepare", "ask check", "report check", "next", "act", "plugin one", "plugin two",
		"release", "save", "after"}
	if !slices.Equal(work.did, want) {
		t.Errorf("got  %q\nwant %q", work.did, want)
	}
	// Another processor: the standard one, one step overridden; the standard one stays as it was.
	standing := standard(&tried{})
	short := standing
	short.plugins, short.next = nil, nil
	if len(standing.plugins) != 2 || !slices.Equal(short.ends(), []string{workflow.OutcomeDone}) || !slices.Equal(standing.ends(), []string{"large", "small"}) {
		t.Errorf("%v, %v", short.ends(), standing.ends())
	}
}

// Checks at once: each waits until all have begun, so they end only if they really run at the same time; whatever order they
// end in, they report in the order in which they were declared.
func TestChecksAtOnceReportInTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "checks")
		order := rapid.Permutation(seq(n)).Draw(t, "they end")
		failing := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), rapid.ID).Draw(t, "fail")
		var begun sync.WaitGroup
		begun.Add(n)
		ended := make([]chan struct{}, n)
		for i := range ended {
			ended[i] = make(chan struct{})
		}
		work := &tried{}
		checks := make([]check[*tried], n)
		for i := range n {
			place := slices.Index(order, i)
			checks[i] = check[*tried]{name: fmt.Sprint(i), run: func(context.Context, *tried) (report[*tried], error) {
				begun.Done()
				begun.Wait()
				if place > 0 {
					<-ended[order[place-1]]
				}
				close(ended[i])
				if slices.Contains(failing, i) {
					return nil, domain.Fail(domain.ValidationFailed, "check %d", i)
				}
				return func(w *tried) { w.note(fmt.Sprint(i)) }, nil
			}}
		}
		err := atOnce(context.Background(), checks, work)
		if len(failing) == 0 {
			want := []string{}
			for i := range n {
				want = append(want, fmt.Sprint(i))
			}
			if err != nil || !slices.Equal(work.did, want) {
				t.Fatalf("%v, reported %q", err, work.did)
			}
			return
		}
		if !domain.HasCode(err, domain.ValidationFailed) || !strings.Contains(err.Error(), fmt.Sprintf("check %d", slices.Min(failing))) || len(work.did) > 0 {
			t.Fatalf("%v, reported %q; failing %v", err, work.did, failing)
		}
	})
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Wherever a processor ends, and however, what it took is released: all of it, last first.
func TestWhatWasTakenIsReleased(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	const lost = "lease lost, and not heeded"
	ends := map[string]func(ctx context.Context, lose context.CancelCauseFunc) error{
		"success": func(context.Context, context.CancelCauseFunc) error { return nil },
		"failure": func(context.Context, context.CancelCauseFunc) error { return boom },
		"panic":   func(context.Context, context.CancelCauseFunc) error { panic("boom") },
		"timeout": func(ctx context.Context, _ context.CancelCauseFunc) error { <-ctx.Done(); return ctx.Err() },
		lost: func(_ context.Context, lose context.CancelCauseFunc) error {
			lose(domain.Fail(domain.LeaseLost, "gone"))
			return nil
		},
	}
	for how, ending := range ends {
		for _, at := range []string{"parameters", "prepare", "checks", "at once", "act", "plugin"} {
			t.Run(how+" at "+at, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				end := func(ctx context.Context) error { return ending(ctx, cancel) }
				work := &tried{}
				s := standard(work)
				prepare := s.prepare
				s.prepare = func(ctx context.Context, w *tried) error {
					w.pass.take(func() { w.note("release first") })
					return prepare(ctx, w)
				}
				begin := s.begin
				s.begin = func(p *pass, n *workflow.Node) *tried {
					p.take(func() { work.note("release begin") })
					return begin(p, n)
				}
				stop := check[*tried]{name: "stop", run: func(ctx context.Context, _ *tried) (report[*tried], error) { return nil, end(ctx) }}
				switch at {
				case "parameters":
					s.parameters = append(s.parameters, stop)
				case "prepare":
					taking := s.prepare
					s.prepare = func(ctx context.Context, w *tried) error { _ = taking(ctx, w); return end(ctx) }
				case "checks":
					s.checks = append(s.checks, stop)
				case "at once":
					s.atOnce = []check[*tried]{noted("beside", nil), stop, noted("beside too", nil)}
				case "act":
					s.act = func(ctx context.Context, _ *tried) error { return end(ctx) }
				case "plugin":
					s.plugins = append(s.plugins, plugin[*tried]{"stop", func(ctx context.Context, _ *tried) error { return end(ctx) }})
				}
				if how == "timeout" {
					s.limit = 20 * time.Millisecond
				}
				p := &pass{}
				_, err := through(ctx, s, p)
				code := map[string]domain.Code{"timeout": domain.TimedOut, "success": "", lost: domain.LeaseLost}
				if want, ok := code[how]; ok && domain.CodeOf(err) != want || !ok && err == nil {
					t.Errorf("it ends with %v", err)
				}
				want := []string{"release", "release first", "release begin"}
				if at == "parameters" && how != "success" {
					want = want[2:]
				}
				var got []string
				for _, did := range work.did {
					if strings.HasPrefix(did, "release") {
						got = append(got, did)
					}
				}
				if !slices.Equal(got, want) || len(p.taken) > 0 {
					t.Errorf("released %q, want %q", got, want)
				}
			})
		}
	}
}

// What panics while it is released keeps nothing else from being released.
func TestAReleaseThatPanics(t *testing.T) {
	t.Parallel()
	p, released := &pass{}, 0
	p.take(func() { released++ })
	p.take(func() { panic("boom") })
	p.take(func() { released++ })
	func() {
		defer func() { _ = recover() }()
		p.release()
	}()
	if released != 2 || len(p.taken) != 0 {
		t.Errorf("released %d", released)
	}
}

func TestTheRegistry(t *testing.T) {
	t.Parallel()
	named := func(name string) processor {
		return steps[*tried]{outcomes: []string{name}, next: func(*tried) string { return name }}
	}
	small := func(_ context.Context, p *pass) (bool, error) { return p.kase.BaseMinor < 100, nil }
	failing := func(context.Context, *pass) (bool, error) { return false, domain.Fail(domain.DamagedFile, "damaged") }
	registry := &processors{}
	registry.add(workflow.Key{Behaviour: "pay"}, nil, named("any"))
	registry.add(workflow.Key{Behaviour: "pay", DocumentType: "receipt"}, nil, named("receipt"))
	registry.add(workflow.Key{Behaviour: "pay", DocumentType: "receipt"}, small, named("small receipt"))
	registry.add(workflow.Key{Behaviour: "pay", DocumentType: "invoice", Channel: "mail"}, nil, named("invoice by mail"))
	registry.add(workflow.Key{Behaviour: "pay", Event: eventJudge}, nil, named("anew"))
	registry.add(workflow.Key{Behaviour: "weigh"}, small, named("one"))
	registry.add(workflow.Key{Behaviour: "weigh"}, small, named("other"))
	registry.add(workflow.Key{Behaviour: "open"}, failing, named("never"))
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
		{"pay", eventJudge, "content", domain.ChannelWeb, 500, "anew", ""},
		{"weigh", eventRun, "receipt", domain.ChannelWeb, 99, "", domain.AmbiguousProcessor},
		{"weigh", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.ProcessorNotFound},
		{"open", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.DamagedFile},
		{"translate", eventRun, "receipt", domain.ChannelWeb, 500, "", domain.ProcessorNotFound},
	} {
		on := &pass{kase: domain.Case{DocumentType: test.documentType, Channel: test.channel, BaseMinor: test.base}}
		is, err := registry.find(t.Context(), test.behaviour, test.event, on)
		if domain.CodeOf(err) != test.code || err == nil && is.ends()[0] != test.want {
			t.Errorf("%+v: %v, %v", test, is, err)
		}
	}
	if got := registry.outcomes("pay"); !slices.Contains(got, "any") || !slices.Contains(got, "anew") || registry.outcomes("translate") != nil {
		t.Errorf("outcomes %q", got)
	}
	builtin, err := builtinProcessors(&Hall{})
	if err != nil {
		t.Fatal(err)
	}
	builtin.add(workflow.Key{Behaviour: "validate", Channel: "mail"}, nil, named("by mail"))
	if err := workflow.CheckKeys(builtin.keys); !domain.HasCode(err, domain.AmbiguousProcessor) {
		t.Errorf("a receipt by mail has two: %v", err)
	}
}

// The same plugin serves the processors of both stages that ask rules; those of receipts leave out one check.
func TestWhatTheBuiltinProcessorsAreMadeOf(t *testing.T) {
	t.Parallel()
	for _, s := range []steps[*judgement]{validateSteps(&Hall{}), assessSteps(&Hall{}), withoutAccount(validateSteps(&Hall{})), withoutAccount(assessSteps(&Hall{}))} {
		if len(s.plugins) != 1 || s.plugins[0].name != "duplicates" {
			t.Errorf("plugins %+v", s.plugins)
		}
	}
	names := func(s steps[*judgement]) (list []string) {
		for _, check := range s.atOnce {
			list = append(list, check.name)
		}
		return list
	}
	whole := validateSteps(&Hall{})
	if got := names(withoutAccount(whole)); !slices.Equal(got, []string{"general"}) || !slices.Equal(names(whole), []string{"general", "account"}) {
		t.Errorf("receipts are asked %q, others %q", got, names(whole))
	}
}
