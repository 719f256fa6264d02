// Command engine measures the process engine in memory: steps a second of processor time over the
// built-in definitions, on one core, and how much of it the proof of each takes.
//
// What may enter: the built-in definitions, one table.
// What never happens here: I/O, a database.
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"countersign/domain"
	"countersign/internal/config"
	"countersign/workflow"
)

// The bounds that the table is held against.
const (
	stepsASecond = 500_000
	proofTime    = 50 * time.Millisecond
	measureTime  = time.Second // of each measurement
)

func main() {
	runtime.GOMAXPROCS(1)
	config.TuneMemory() // as the server and the worker do
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}

func run() error {
	sources, err := workflow.Builtin()
	if err != nil {
		return err
	}
	fmt.Printf("%-26s %12s %12s %10s\n", "process", "steps/s", "proof, ms", "markings")
	below := false
	for _, source := range sources {
		def, err := workflow.Parse(source.YAML)
		if err != nil {
			return err
		}
		pace, err := walk(def)
		if err != nil {
			return err
		}
		took, markings := prove(def)
		fmt.Printf("%-26s %12.0f %12.2f %10d\n", source.Key, pace,
			float64(took.Microseconds())/1000, markings)
		below = below || pace < stepsASecond || took > proofTime
	}
	fmt.Printf("gate: >= %d steps/s on one core, proof <= %s; ", stepsASecond, proofTime)
	if below {
		fmt.Println("missed")
		return nil
	}
	fmt.Println("met")
	return nil
}

// facts are those of a case that every review is asked about.
func facts() domain.ProcessFacts {
	return domain.ProcessFacts{AmountKnown: true, BaseMinor: 200_000_000,
		Amount: domain.Money{Minor: 200_000_000, Currency: "USD"}, Currency: "USD",
		Country: "IR", DocumentType: "invoice", Channel: domain.ChannelWeb, Risk: 80,
		Fields:   map[string]string{},
		Findings: []domain.Finding{{Rule: "high_amount", Severity: domain.SeverityWarning}}}
}

// walk leads cases from start to end, every review approved, and returns the steps a second.
func walk(def *workflow.Definition) (float64, error) {
	events, err := approvals(def)
	if err != nil {
		return 0, err
	}
	begun, steps := processorTime(), 0
	given := facts()
	for processorTime()-begun < measureTime {
		for range 100 {
			marking := domain.Marking{}
			for _, event := range events {
				step, err := workflow.Advance(def, marking, event, given)
				if err != nil {
					return 0, err
				}
				marking = step.Marking
			}
		}
		steps += 100 * len(events)
	}
	return float64(steps) / (processorTime() - begun).Seconds(), nil
}

// processorTime is the processor time of this program: others on the machine do not count.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// approvals are the events of one case.
func approvals(def *workflow.Definition) ([]workflow.Event, error) {
	events, marking := []workflow.Event{{Kind: workflow.Started}}, domain.Marking{}
	for at := 0; at < len(events); at++ {
		step, err := workflow.Advance(def, marking, events[at], facts())
		if err != nil {
			return nil, err
		}
		marking = step.Marking
		for _, effect := range step.Effects {
			switch e := effect.(type) {
			case workflow.StartStage:
				events = append(events, workflow.Event{Kind: workflow.StageEnded, Node: e.Node,
					Visit: e.Visit, Outcome: workflow.OutcomeDone})
			case workflow.OpenReview:
				events = append(events, workflow.Event{Kind: workflow.ReviewDecided, Node: e.Node,
					Visit: e.Visit, Seat: e.Seat, Verdict: domain.Approve})
			}
		}
	}
	return events, nil
}

// prove returns the median of several proofs.
func prove(def *workflow.Definition) (time.Duration, int) {
	var took []time.Duration
	markings := 0
	for range 9 {
		begun := processorTime()
		markings = workflow.Verify(def).Markings
		took = append(took, processorTime()-begun)
	}
	slices.Sort(took)
	return took[len(took)/2], markings
}
