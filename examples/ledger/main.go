// Command ledger is an example of a receiver: it books the amount of each archived case, from the
// webhooks or the Kafka topic of a connector with snapshots.
//
// What may enter: what a receiver has to do, namely check signatures, store before it answers or reads
// on, and ignore events that it has. What never happens here: product code; it imports the package of
// events, a driver of Postgres and a client of Kafka alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	database := flag.String("database", "", "address of a Postgres database of its own")
	secretFile := flag.String("secrets", "",
		"file with one or two secrets whsec_…, separated by a comma; without it no webhooks are received")
	topic := flag.String("topic", "", "topic to read instead, kafka://host:9092/topic")
	address := flag.String("listen", "127.0.0.1:8090", "address to listen at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *database, *secretFile, *topic, *address); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, database, secretFile, topic, address string) error {
	var secrets [][]byte
	if secretFile != "" {
		text, err := os.ReadFile(secretFile)
		if err == nil {
			secrets, err = parseSecrets(string(text))
		}
		if err != nil {
			return err
		}
	}
	pool, err := pgxpool.New(ctx, database)
	if err != nil {
		return fmt.Errorf("the database cannot be used: %w", err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, schema); err != nil {
		return fmt.Errorf("the tables cannot be made: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newHandler(&book{pool}, secrets), ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	fmt.Printf("the ledger listens at http://%s\n", listener.Addr())
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(listener) }()
	if topic != "" {
		go func() {
			if err := (&book{pool}).follow(ctx, topic); err != nil {
				failed <- fmt.Errorf("the topic cannot be read: %w", err)
			}
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(ending); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
