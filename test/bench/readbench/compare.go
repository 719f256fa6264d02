package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"countersign/domain"
)

// measured is what one engine did with all sets.
type measured struct {
	engine   string
	outcomes []*outcome
}

// printComparison prints a table with a row for each field of each set and a column for each engine.
func printComparison(to io.Writer, runs []measured) {
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\nset\tfigure\t")
	for _, run := range runs {
		fmt.Fprint(table, run.engine, "\t")
	}
	fmt.Fprintln(table)
	for i, set := range runs[0].outcomes {
		row := func(name string, cell func(o *outcome) string) {
			fmt.Fprint(table, set.name, "\t", name, "\t")
			for _, run := range runs {
				fmt.Fprint(table, cell(run.outcomes[i]), "\t")
			}
			fmt.Fprintln(table)
		}
		for _, field := range domain.FieldNames() {
			if set.fields[field] != nil {
				row(field, func(o *outcome) string {
					right, known := o.share(floor{field: field})
					return fmt.Sprintf("%d of %d", right, known)
				})
			}
		}
		row("all fields, %", func(o *outcome) string { return fmt.Sprintf("%.1f", o.allRight()) })
		row("F1 by SROIE task 3, %", func(o *outcome) string { return fmt.Sprintf("%.1f", o.task3.f1()) })
		row("values; sure; wrong of these", func(o *outcome) string {
			count, wrong := o.values.sure()
			return fmt.Sprintf("%d; %d; %d", len(o.values), count, wrong)
		})
		row("wrong of sure, at most, %", func(o *outcome) string {
			count, wrong := o.values.sure()
			return fmt.Sprintf("%.2f", 100*upperBound(wrong, count))
		})
		row("pass; wrong (declared: pass; wrong)", func(o *outcome) string {
			plain, declared := o.passed[0], o.passed[1]
			return fmt.Sprintf("%d; %d (%d; %d)", plain.count, len(plain.wrong), declared.count,
				len(declared.wrong))
		})
		row("CPU s a page", func(o *outcome) string {
			return fmt.Sprintf("%.2f", o.cpu.Seconds()/float64(max(1, o.pages)))
		})
		row("highest PSS, MB", func(o *outcome) string { return fmt.Sprint(o.memory >> 20) })
	}
	_ = table.Flush()
}

// watchMemory samples the proportional set size of this process and its descendants until the
// context ends, and returns the highest sum.
func watchMemory(ctx context.Context) <-chan int64 {
	result := make(chan int64, 1)
	go func() {
		highest := int64(0)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				result <- highest
				return
			case <-tick.C:
				highest = max(highest, memoryOfTree(os.Getpid()))
			}
		}
	}()
	return result
}

// memoryOfTree is the proportional set size in bytes of a process and its descendants.
func memoryOfTree(root int) int64 {
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // has ended
		}
		_, after, found := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		pid, pidErr := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if !found || len(fields) < 2 || pidErr != nil {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	sum := int64(0)
	for left := []int{root}; len(left) > 0; left = left[1:] {
		sum += memoryOf(left[0])
		left = append(left, children[left[0]]...)
	}
	return sum
}

func memoryOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "Pss:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
