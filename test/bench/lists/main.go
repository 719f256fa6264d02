// Command lists measures a list of 50 cases with their fields: requests a second and processor time a
// request, over HTTP, for a person with rights that are asked. A GraphQL server of mercurius, whose
// just-in-time compiler is the fastest of Node's, answers the same document from the same rows in turn.
// It asks for no rights. Rounds alternate, because machines are noisy; the ratio of one run counts.
//
// What may enter: rows made here, the adapter as the server uses it, the peer in the folder peer, a
// table on standard output. What never happens here: two different documents, or different rows.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"countersign/internal/cputime"
	"countersign/internal/devservices"
)

const document = `query Cases($first: Int!) { cases(first: $first) { nodes { id reference processKey
	documentType channel status final counterparty country amount { amount currency } createdAt
	fields { name raw normalised page confidence source grounded } } pageInfo { hasNextPage endCursor } } }`

type bench struct {
	cases, connections, rounds int
	round                      time.Duration
	peer, profile              string
	postgres                   *devservices.Postgres
	redis                      *devservices.Redis
}

func main() {
	var b bench
	flag.IntVar(&b.cases, "cases", 2000, "cases")
	flag.IntVar(&b.connections, "connections", 16, "connections of the client")
	flag.IntVar(&b.rounds, "rounds", 5, "rounds of each server")
	flag.DurationVar(&b.round, "round", 4*time.Second, "length of a round")
	flag.StringVar(&b.peer, "peer", "test/bench/lists/peer", "folder of the peer, after npm ci; none measures ours alone")
	flag.StringVar(&b.profile, "profile", "", "write a CPU profile of our server to this file")
	served := flag.Bool("serve", false, "be the server of a run; for the program itself")
	databaseURL := flag.String("database", "", "the database of -serve")
	redisURL := flag.String("redis", "", "the Redis of -serve")
	flag.Parse()
	run := b.run
	if *served {
		run = func(ctx context.Context) error { return serve(ctx, *databaseURL, *redisURL, b.profile) }
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{
		Settings: map[string]string{"shared_buffers": "256MB"}}); err != nil {
		return err
	}
	defer func() { _ = b.postgres.Close() }()
	if b.redis, err = devservices.StartRedis(ctx, devservices.RedisOptions{}); err != nil {
		return err
	}
	defer func() { _ = b.redis.Close() }()
	if err := b.fill(ctx); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers := []*server{{name: "countersign", command: []string{self, "-serve", "-profile", b.profile,
		"-database", b.postgres.AppURL(database), "-redis", b.redis.URL()}, path: "/graphql"}}
	if b.peer != "none" {
		servers = append(servers, &server{name: "mercurius",
			command: []string{"node", filepath.Join(b.peer, "server.mjs")}, path: "/graphql"})
	}
	for _, s := range servers {
		if err := s.start(ctx, b.postgres.AppURL(database)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		defer s.stop()
	}
	return b.measure(ctx, servers)
}

// measure alternates between the servers and prints the medians.
func (b *bench) measure(ctx context.Context, servers []*server) error {
	for _, s := range servers { // plans, caches, the compiler
		if _, err := s.load(ctx, b.connections, b.round); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	results := map[string][]result{}
	for range b.rounds {
		for _, s := range servers {
			database := cputime.Family(cputime.Child("postgres"))
			r, err := s.load(ctx, b.connections, b.round)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			r.database = cputime.Family(cputime.Child("postgres")) - database
			results[s.name] = append(results[s.name], r)
		}
	}
	fmt.Println("| server | requests/s | p50 ms | p99 ms | CPU-ms a request | of Postgres | kB |\n|---|---|---|---|---|---|---|")
	for _, s := range servers {
		rs := results[s.name]
		fmt.Printf("| %s | %.0f | %.1f | %.1f | %.2f | %.2f | %.1f |\n", s.name, median(rs, result.perSecond),
			median(rs, func(r result) float64 { return r.percentile(.5) }),
			median(rs, func(r result) float64 { return r.percentile(.99) }),
			median(rs, func(r result) float64 { return r.cpuMillis(r.cpu) }),
			median(rs, func(r result) float64 { return r.cpuMillis(r.database) }), float64(rs[0].bytes)/1000)
	}
	if len(servers) == 2 {
		fmt.Printf("\nratio of requests/s: %.2f\n", median(results[servers[0].name], result.perSecond)/
			median(results[servers[1].name], result.perSecond))
	}
	return nil
}

func median(results []result, of func(result) float64) float64 {
	values := make([]float64, 0, len(results))
	for _, r := range results {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
