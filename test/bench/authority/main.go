// Command authority measures how many questions the policy answers in a second on one core, each
// still put to Casbin's enforcer: with the rule that allows first, with fifty rules scanned, and
// with a thousand roles beside one's own.
//
// What may enter: policies made here, the clock, a table on standard output. What never happens
// here: a database, a network, an assertion about meaning, which the tests of authz hold.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"countersign/authz"
	"countersign/domain"
)

// minRate is what the project asks for: questions a second, and how much a thousand roles may cost
// over ten.
const (
	minRate     = 100_000
	roleGrowth  = 1.2
	measureTime = 2 * time.Second // of the processor, so that what else the machine does costs nothing
	runs        = 3               // runs, of which the fastest counts: what else the machine does only slows
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "authority:", err)
		os.Exit(1)
	}
}

func run() error {
	runtime.GOMAXPROCS(1)
	many := func(i int) domain.Role { return domain.Role(fmt.Sprint("role_", i)) }
	own := authz.Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActDecide,
		Object: authz.QueueReview}
	worlds := []struct {
		name  string
		rules []authz.Rule
	}{
		{"the first of 50 allows", append([]authz.Rule{own},
			distinctRules(`review.base_minor > %d`)...)},
		{"50 scanned, of 50 countries", append(distinctRules(`review.country == "A%04d"`),
			withCondition(own, `review.country == "DE" || 1 == 2`))},
		{"50 scanned, of 50 amounts", append(distinctRules(`review.base_minor > %d`),
			withCondition(own, `review.base_minor > 1 && review.base_minor > 2`))},
		{"10 roles", append(rules(9, many, ""), own)},
		{"1 000 roles", append(rules(999, many, ""), own)},
		{"the built-in policy", authz.DefaultPolicy().Rules},
	}
	speeds := map[string]float64{}
	fmt.Printf("%-32s %14s %12s\n", "Authorize, one core", "questions/s", "µs each")
	for _, world := range worlds {
		speed, err := fastestRate(world.rules)
		if err != nil {
			return fmt.Errorf("%s: %w", world.name, err)
		}
		speeds[world.name] = speed
		fmt.Printf("%-32s %14.0f %12.2f\n", world.name, speed, 1e6/speed)
	}
	growth := speeds["10 roles"] / speeds["1 000 roles"]
	fmt.Printf("%-32s %14.2f\n", "1 000 roles cost, over 10", growth)
	verdict := func(holds bool) string {
		if holds {
			return "held"
		}
		return "NOT HELD"
	}
	fmt.Printf("gate: >= %d/s when the first allows %s, when 50 are scanned by country %s, by amount %s; 1 000 roles within %.1f x of 10 %s\n", minRate,
		verdict(speeds["the first of 50 allows"] >= minRate),
		verdict(speeds["50 scanned, of 50 countries"] >= minRate),
		verdict(speeds["50 scanned, of 50 amounts"] >= minRate), roleGrowth,
		verdict(growth <= roleGrowth))
	return nil
}

func rules(n int, role func(int) domain.Role, condition string) []authz.Rule {
	list := make([]authz.Rule, 0, n+1)
	for i := range n {
		list = append(list, authz.Rule{Name: fmt.Sprint("rule ", i), Role: role(i),
			Action: domain.ActDecide, Object: authz.QueueReview, Condition: condition})
	}
	return list
}

// distinctRules are 49 rules of one's own role, each with a condition of its own that does not
// hold.
func distinctRules(format string) []authz.Rule {
	list := rules(49, func(int) domain.Role { return domain.RoleL1 }, "")
	for i := range list {
		list[i].Condition = fmt.Sprintf(format, 1000+i)
	}
	return list
}

func withCondition(rule authz.Rule, condition string) authz.Rule {
	rule.Condition = condition
	return rule
}

// processorTime is the processor's time that this process has taken.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// fastestRate is the fastest of a few runs, in questions a second.
func fastestRate(list []authz.Rule) (float64, error) {
	authority, err := authz.New(authz.Policy{Version: 1, Rules: list})
	if err != nil {
		return 0, err
	}
	me := domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{domain.RoleL1},
		Queues: []string{domain.QueueL1},
		Limits: []domain.Limit{{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 1_000}}}
	facts := domain.ReviewFacts{Queue: domain.QueueL1, Level: 1, Status: domain.ReviewClaimed,
		Assignee: me.ID, ClaimActive: true, Country: "DE",
		AmountKnown: true, BaseMinor: 500, DocumentType: "invoice", Submitter: domain.ID{15: 9}}
	fastest := 0.0
	for range runs {
		began, asked := processorTime(), 0
		for processorTime()-began < measureTime {
			for range 1000 {
				if _, err := authority.Authorize(me, domain.ActDecide, facts); err != nil {
					return 0, err
				}
			}
			asked += 1000
		}
		fastest = max(fastest, float64(asked)/(processorTime()-began).Seconds())
	}
	return fastest, nil
}
