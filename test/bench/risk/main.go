// Command risk measures what the rules cost in daily work, and what they miss: it makes up orders and
// documents whose truth it knows, submits them over simulated days to the real service on a Postgres
// of its own, lets people decide what the program does not pass, and compares.
//
// What may enter: made-up documents, the shares of the errors of reading, counts on standard output.
// What never happens here: a reading engine, a rule or route of its own, a case that is decided in
// another way than people do it.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

func main() {
	count := flag.Int("docs", 2000, "documents, about")
	days := flag.Int("days", 70, "simulated days")
	seed := flag.Uint64("seed", 1, "seed of the made-up documents")
	verbose := flag.Bool("cases", false, "print each case that counts against a goal")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *count, *days, *seed, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "risk:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, count, days int, seed uint64, verbose bool) error {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // made-up documents
	start := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -days).Add(9 * time.Hour)
	w, err := newWorld(ctx, start)
	if err != nil {
		return err
	}
	defer w.close()
	plan := newPlan(random, start, days, count)
	if err := w.know(ctx, plan.parties); err != nil {
		return err
	}
	var all []*document
	for day := range plan.days {
		if err := w.setTime(ctx, start.AddDate(0, 0, day).Add(time.Hour)); err != nil {
			return err
		}
		documents := plan.shuffled(day)
		for _, d := range documents {
			content, err := d.write(random)
			if err != nil {
				return err
			}
			if err := w.submit(ctx, d, content); err != nil {
				return err
			}
			if err := d.outcome.judge(ctx, w, d); err != nil {
				return err
			}
		}
		for _, d := range documents {
			if err := w.decide(ctx, d); err != nil {
				return fmt.Errorf("%s: %w", d, err)
			}
		}
		all = append(all, documents...)
	}
	fmt.Printf("go run ./test/bench/risk -docs %d -days %d -seed %d: %d documents\n\n", count, days,
		seed, len(all))
	report(all, verbose)
	return nil
}
