// Command idle measures the programs while nothing happens: the time from exec to a ready answer,
// the memory that server and worker hold at rest, and the processor time that they and their
// Postgres and Redis use.
//
// What may enter: the built programs, a Postgres and a Redis of their own, one table.
// What never happens here: a document.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"countersign/internal/cputime"
	"countersign/internal/devservices"
)

// The bounds that the table is held against.
const (
	maxReadyTime = 2 * time.Second
	maxRestingMB = 150
	restingCPU   = 1.0 // percent of a core, worker and Redis together
	startTimeout = 30 * time.Second
	settle       = 5 * time.Second // what a start leaves to do is not rest
)

func main() {
	rest := flag.Duration("rest", 30*time.Second, "how long nothing happens before memory is read")
	starts := flag.Int("starts", 5, "starts of each program")
	flag.Parse()
	if err := run(context.Background(), *rest, *starts); err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rest time.Duration, starts int) error {
	folder, err := os.MkdirTemp("", "countersign-idle-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := devservices.BuildPrograms(ctx, folder); err != nil {
		return err
	}
	postgres, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Close() }()
	redis, err := devservices.StartRedis(ctx, devservices.RedisOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = redis.Close() }()
	if err := postgres.CreateDatabase(ctx, "idle"); err != nil {
		return err
	}
	h := installation{folder: folder, environment: append(os.Environ(),
		"COUNTERSIGN_METRICS_ADDR=127.0.0.1:0", "DATABASE_URL="+postgres.AppURL("idle"),
		"MIGRATE_DATABASE_URL="+postgres.OwnerURL("idle"),
		"REDIS_URL="+redis.URL(), "COUNTERSIGN_ENV=demo",
		"COUNTERSIGN_BLOB_DIR="+filepath.Join(folder, "blobs"),
		"COUNTERSIGN_SANDBOX_ACCEPT_LIMITS=true")}
	migrate := h.command(ctx, "countersign", "migrate")
	if said, err := migrate.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate: %w: %s", err, said)
	}
	fmt.Printf("| program | exec to /readyz: longest of %d, ms | resident after %s at rest, MB | processor at rest, %% of a core |\n|---|---|---|---|\n", starts, rest)
	return h.measure(ctx, rest, starts)
}

// installation is where the programs run.
type installation struct {
	folder      string
	environment []string
}

func (h installation) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(h.folder, name), args...)
	cmd.Env, cmd.Dir = h.environment, h.folder
	return cmd
}

// measure starts each program some times, lets the last of each rest beside the other, and prints
// the table.
func (h installation) measure(ctx context.Context, rest time.Duration, starts int) error {
	var total float64
	programs := []struct{ name, address string }{{"server", "COUNTERSIGN_ADDR"},
		{"worker", "COUNTERSIGN_WORKER_ADDR"}}
	var running []*exec.Cmd
	var longest []time.Duration
	defer func() {
		for _, cmd := range running {
			end(cmd)
		}
	}()
	for _, program := range programs {
		var most time.Duration
		for n := range starts {
			cmd, took, err := h.start(ctx, program.name, program.address)
			if err != nil {
				return err
			}
			most = max(most, took)
			if n < starts-1 {
				end(cmd)
			} else {
				running = append(running, cmd)
			}
		}
		longest = append(longest, most)
	}
	time.Sleep(settle)
	postgres, redis := cputime.Child("postgres"), cputime.Child("redis-server")
	used := func() []time.Duration {
		return []time.Duration{cputime.Process(running[0].Process.Pid),
			cputime.Process(running[1].Process.Pid), cputime.Family(postgres),
			cputime.Family(redis)}
	}
	before := used()
	time.Sleep(rest)
	var percent []float64
	for i, now := range used() {
		percent = append(percent, 100*(now-before[i]).Seconds()/rest.Seconds())
	}
	met := true
	for i, program := range programs {
		resident, err := residentMB(running[i].Process.Pid)
		if err != nil {
			return err
		}
		total += resident
		met = met && longest[i] <= maxReadyTime
		fmt.Printf("| %s | %d | %.0f | %.2f |\n", program.name, longest[i].Milliseconds(), resident,
			percent[i])
	}
	fmt.Printf("| both | | %.0f | %.2f |\n| their Postgres | | | %.2f |\n| their Redis | | | %.2f |\n", total, percent[0]+percent[1], percent[2], percent[3])
	met = met && total <= maxRestingMB && percent[1]+percent[3] <= restingCPU
	fmt.Printf("gate: ready within %s, at most %d MB together, worker and Redis at most %.1f %% of a core; %s\n", maxReadyTime, maxRestingMB, restingCPU,
		map[bool]string{true: "met", false: "missed"}[met])
	return nil
}

// start runs the program until it says that it is ready, and returns how long that took.
func (h installation) start(ctx context.Context, name, setting string) (*exec.Cmd,
	time.Duration, error) {
	address, err := devservices.FreeAddress()
	if err != nil {
		return nil, 0, err
	}
	log, err := os.Create(filepath.Join(h.folder, name+".log"))
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = log.Close() }()
	cmd := h.command(ctx, name)
	cmd.Env = append(cmd.Env, setting+"="+address.String())
	cmd.Stdout, cmd.Stderr = log, log
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	for time.Since(begun) < startTimeout {
		response, err := http.Get("http://" + address.String() + "/readyz") //nolint:noctx // a local program
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return cmd, time.Since(begun), nil
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	end(cmd)
	said, _ := os.ReadFile(log.Name())
	return nil, 0, fmt.Errorf("the %s is not ready after %s: %s", name, startTimeout, said)
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
}

// residentMB is what the kernel says the process holds.
func residentMB(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kB / 1024, err
		}
	}
	return 0, errors.New("the kernel reports no resident size")
}
