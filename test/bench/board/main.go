// Command board measures the statistics, the forecast and the first pages of the lists over three months of
// made-up history: the time of each query for an auditor, for a manager and, of the lists, for a reviewer,
// with the plan of each statement, and the error of the forecast. With -into it fills an existing database instead, so that the pages can be looked at.
//
// What may enter: made-up rows, the read side as the programs use it, tables on standard output. What
// never happens here: a measurement over fewer cases than the flag says.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/test/benchservice"
	"countersign/test/madehistory"
	"countersign/views"
)

const database = "board"

type bench struct {
	cases, days, people, times int
	into                       string
	plans                      string
	only                       string
	reviewer, submitter        domain.ID
	views                      *views.Views
	viewers                    map[string]domain.Actor
}

func main() {
	var b bench
	flag.IntVar(&b.cases, "cases", 100_000, "cases")
	flag.IntVar(&b.days, "days", 91, "days of the history")
	flag.IntVar(&b.people, "people", 30, "reviewers of level 1; a third as many of level 2")
	flag.IntVar(&b.times, "times", 100, "how often each query is asked")
	flag.StringVar(&b.plans, "plans", "", "file for the plans of slow statements; measuring them slows them down")
	flag.StringVar(&b.only, "only", "", "statistics or lists; both if empty")
	flag.StringVar(&b.into, "into", "", "address of a migrated database, with the right to switch triggers off, to fill")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "board:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) error {
	if b.into != "" {
		return b.fill(ctx, b.into)
	}
	settings := map[string]string{"fsync": "on", "full_page_writes": "on", "autovacuum": "on",
		"shared_buffers": "512MB", "max_wal_size": "4GB"}
	if b.plans != "" {
		b.times = 1
		maps.Copy(settings, map[string]string{"shared_preload_libraries": "auto_explain",
			"auto_explain.log_min_duration": "20ms", "auto_explain.log_analyze": "on",
			"auto_explain.log_buffers": "on"})
	}
	postgres, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{Settings: settings})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Close() }()
	if err := benchservice.Create(ctx, postgres, database); err != nil {
		return err
	}
	db, service, err := benchservice.Open(ctx, postgres.AppURL(database), 4, "")
	if err != nil {
		return err
	}
	defer db.Close()
	if err := service.PublishBuiltins(ctx); err != nil {
		return err
	}
	if err := b.fill(ctx, postgres.URL(database)); err != nil {
		return err
	}
	b.views = views.New(db.Reader(), service.Authorizer)
	if err := b.measure(ctx); err != nil {
		return err
	}
	if b.plans == "" {
		return nil
	}
	log, err := os.ReadFile(postgres.LogFile())
	if err != nil {
		return err
	}
	return os.WriteFile(b.plans, log, 0o600)
}

// fill makes the people and the history.
func (b *bench) fill(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	began := time.Now()
	reviewers := map[string][]domain.ID{}
	for queue, count := range map[string]int{domain.QueueL1: b.people, domain.QueueL2: max(1, b.people/3)} {
		for n := range count {
			person, err := addPerson(ctx, conn, fmt.Sprintf("%s reviewer %d", queue, n+1), domain.RoleL1, queue)
			if err != nil {
				return err
			}
			reviewers[queue] = append(reviewers[queue], person)
		}
	}
	submitter, err := addPerson(ctx, conn, "Made submitter", domain.RoleSubmitter)
	if err != nil {
		return err
	}
	b.reviewer, b.submitter = reviewers[domain.QueueL1][0], submitter
	b.viewers = map[string]domain.Actor{"reviewer": {UserID: b.reviewer, Name: "reviewer"}}
	for name, role := range map[string]domain.Role{"manager": domain.RoleManager, "auditor": domain.RoleAuditor} {
		person, err := addPerson(ctx, conn, "Made "+name, role, domain.QueueL1, domain.QueueL2)
		if err != nil {
			return err
		}
		b.viewers[name] = domain.Actor{UserID: person, Name: name}
	}
	options := madehistory.Options{Cases: b.cases, Days: b.days, Now: time.Now().UTC(), Reviewers: reviewers,
		Submitter: submitter}
	if err := madehistory.Fill(ctx, conn, options); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `VACUUM ANALYZE`); err != nil {
		return err
	}
	fmt.Printf("%d cases of %d days made in %s\n\n", b.cases, b.days, time.Since(began).Round(time.Second))
	return nil
}

func addPerson(ctx context.Context, conn *pgx.Conn, name string, role domain.Role, queues ...string) (
	domain.ID, error) {
	id := domain.NewID()
	_, err := conn.Exec(ctx, `SET session_replication_role = replica`)
	if err == nil {
		_, err = conn.Exec(ctx, `INSERT INTO users (id, person, email, name) VALUES ($1, $1, $2, $3)`, id,
			id.String()+"@example.com", name)
	}
	if err == nil {
		_, err = conn.Exec(ctx, `INSERT INTO user_roles (user_id, role) VALUES ($1, $2)`, id, string(role))
	}
	for _, queue := range queues {
		if err == nil {
			_, err = conn.Exec(ctx, `INSERT INTO user_queues VALUES ($1, $2)`, id, queue)
		}
	}
	if err != nil {
		return id, fmt.Errorf("add %s: %w", name, err)
	}
	_, err = conn.Exec(ctx, `RESET session_replication_role`)
	return id, err
}

// question is one query of a page.
type question struct {
	name string
	ask  func(context.Context, domain.Actor) error
}

func (b *bench) questions() ([]question, error) {
	now := time.Now().UTC()
	var list []question
	add := func(name string, ask func(context.Context, domain.Actor) error) {
		list = append(list, question{name, ask})
	}
	for _, past := range []int{7, 30, 90} {
		days, err := domain.NewDays(now.AddDate(0, 0, 1-past).Format(time.DateOnly), now.Format(time.DateOnly), "UTC")
		if err != nil {
			return nil, err
		}
		for _, by := range []domain.StatisticsGroup{domain.ByDay, domain.ByQueue, domain.ByProcess, domain.ByPerson} {
			add(fmt.Sprintf("%d days by %s", past, by), func(ctx context.Context, actor domain.Actor) error {
				_, err := b.views.Statistics(ctx, actor, views.StatisticsQuery{Days: days, By: by})
				return err
			})
		}
		add(fmt.Sprintf("%d days: corrections and rules", past), func(ctx context.Context, actor domain.Actor) error {
			stats, err := b.views.Statistics(ctx, actor, views.StatisticsQuery{Days: days, By: domain.ByProcess})
			if err == nil {
				_, err = stats.Corrections(ctx)
			}
			if err == nil {
				_, err = stats.Rules(ctx)
			}
			return err
		})
		add(fmt.Sprintf("%d days: steps", past), func(ctx context.Context, actor domain.Actor) error {
			stats, err := b.views.Statistics(ctx, actor, views.StatisticsQuery{Days: days, By: domain.ByProcess})
			if err == nil {
				_, err = stats.Steps(ctx, "document_approval")
			}
			return err
		})
	}
	for _, weeks := range []int{4, 12} {
		add(fmt.Sprintf("forecast of %d weeks", weeks), func(ctx context.Context, actor domain.Actor) error {
			_, err := b.views.Replay(ctx, actor, views.ReplayQuery{Weeks: weeks, Zone: "UTC",
				Change: views.ReplayChange{Queue: domain.QueueL1, Reviewers: 1}})
			return err
		})
	}
	return list, nil
}

// measure asks every question, one after the other, and prints the error of the forecast.
func (b *bench) measure(ctx context.Context) error {
	fmt.Println("| query | viewer | p50 ms | p99 ms |\n|---|---|---|---|")
	if b.only != "statistics" {
		if err := b.ask(ctx, b.listQuestions(), "auditor", "manager", "reviewer"); err != nil || b.only != "" {
			return err
		}
	}
	questions, err := b.questions()
	if err != nil {
		return err
	}
	if err := b.ask(ctx, questions, "auditor", "manager"); err != nil {
		return err
	}
	return b.forecastErrors(ctx)
}

// ask asks the questions for each of the viewers, and prints the times. A viewer to whom a question is
// refused is left out.
func (b *bench) ask(ctx context.Context, questions []question, viewers ...string) error {
	for _, question := range questions {
		for _, name := range viewers {
			if err := question.ask(ctx, b.viewers[name]); domain.HasCode(err, domain.NotPermitted) ||
				domain.HasCode(err, domain.NotFound) {
				continue
			}
			var times []time.Duration
			for range b.times {
				began := time.Now()
				if err := question.ask(ctx, b.viewers[name]); err != nil {
					return fmt.Errorf("%s for %s: %w", question.name, name, err)
				}
				times = append(times, time.Since(began))
			}
			slices.Sort(times)
			fmt.Printf("| %s | %s | %.0f | %.0f |\n", question.name, name,
				float64(times[len(times)/2])/1e6, float64(times[len(times)*99/100])/1e6)
		}
	}
	return nil
}

func (b *bench) forecastErrors(ctx context.Context) error {
	replay, err := b.views.Replay(ctx, b.viewers["auditor"], views.ReplayQuery{Weeks: 12, Zone: "UTC"})
	if err != nil {
		return err
	}
	fmt.Println("\n| queue | weeks compared | error of decisions % | error of the time in review % |\n|---|---|---|---|")
	for _, queue := range replay.Queues {
		fmt.Printf("| %s | %d | %.1f | %.1f |\n", queue.Queue, queue.Error.Weeks, queue.Error.Decided, queue.Error.Median)
	}
	return nil
}
