package devservices

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/domain"
)

// RedisKind says what answers as Redis.
type RedisKind string

// The three kinds, in the order in which they are preferred.
const (
	RedisExternal     RedisKind = "given"        // a URL of an existing server
	RedisServer       RedisKind = "redis-server" // a process of ours
	RedisMiniredis    RedisKind = "miniredis"    // inside this process, over TCP
	redisProgram                = "redis-server"
	redisReadyTimeout           = 10 * time.Second
	redisStopTimeout            = 5 * time.Second
)

// RedisOptions say which server to start and how. The zero value is redis-server if there is one,
// else miniredis.
type RedisOptions struct {
	// URL of a running server; nothing is started then.
	URL string
	// Kind insists on RedisServer or RedisMiniredis; empty takes the first that is available.
	Kind RedisKind
	// Checkout and Dir as in PostgresOptions.
	Checkout, Dir string
	// Port on 127.0.0.1; 0 means a free one, which then stays the same for the life of the handle.
	Port int
}

// Redis is one server that keeps nothing on disk: whatever is in it may be lost at any time, and is
// lost at Stop. Its methods are safe for concurrent use.
type Redis struct {
	mu        sync.Mutex
	options   RedisOptions
	kind      RedisKind
	port      int
	password  string
	account   account
	program   string
	dir       string
	lock      *os.File
	reserved  *os.File // keeps the port while the server is down; nil if it was given
	guardian  *os.File
	child     *child
	miniRedis *miniRedis
	closed    bool
}

// StartRedis starts a server, or adopts the given one, and waits until it answers.
func StartRedis(ctx context.Context, options RedisOptions) (*Redis, error) {
	r := &Redis{options: options, port: options.Port, password: secret()}
	if options.URL != "" {
		r.kind = RedisExternal
		if err := r.ping(ctx); err != nil {
			return nil, domain.Errorf(domain.Unavailable,
				"The Redis named by REDIS_URL does not answer.").
				WithRemedy("Correct or unset REDIS_URL.").WithCause(err)
		}
		return r, nil
	}
	if err := r.chooseKind(); err != nil {
		return nil, err
	}
	if r.kind == RedisServer {
		if err := r.prepare(); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	if err := r.Start(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// chooseKind decides between the program and the one inside this process.
func (r *Redis) chooseKind() error {
	program, err := exec.LookPath(redisProgram)
	switch {
	case r.options.Kind == RedisMiniredis, r.options.Kind == "" && err != nil:
		r.kind = RedisMiniredis
	case err != nil:
		return domain.Errorf(domain.Unavailable, "The program redis-server was not found.").
			WithRemedy("Run scripts/install.sh, or install the package redis-server.").WithCause(
			err)
	default:
		r.kind, r.program = RedisServer, program
	}
	return nil
}

// prepare makes the server's folder, which holds its log and pid file.
func (r *Redis) prepare() error {
	var err error
	if r.account, err = serviceAccount(); err != nil {
		return err
	}
	state := r.options.Dir
	if state == "" {
		checkout := r.options.Checkout
		if checkout == "" {
			if checkout, err = Checkout(); err != nil {
				return err
			}
		}
		state = StateDir(checkout)
	}
	if err = openState(r.account, state); err != nil {
		return explainIO(err, state)
	}
	r.dir, r.lock, err = newRunDir(r.account, state, "redis")
	return explainIO(err, state)
}

// Start starts the server again after Stop or Kill, empty, on the same port.
func (r *Redis) Start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.kind == RedisExternal || r.closed:
		return errExternalRedis
	case r.child.running() || r.miniRedis != nil:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, redisReadyTimeout)
	defer cancel()
	for tries := 1; ; tries++ {
		ownChoice := r.port == 0
		if ownChoice {
			var err error
			if r.port, r.reserved, err = reservePort(); err != nil {
				return err
			}
		}
		err := r.bootOnce(ctx)
		if err == nil || !ownChoice || tries >= 10 {
			return err
		}
		_ = r.reserved.Close() // taken in the meantime
		r.port, r.reserved = 0, nil
	}
}

// bootOnce makes one try on the chosen port.
func (r *Redis) bootOnce(ctx context.Context) error {
	if r.kind == RedisMiniredis {
		mini, err := startMiniRedis(r.Addr(), r.password)
		if errors.Is(err, syscall.EADDRINUSE) {
			return portTaken(r.port).WithCause(err)
		}
		r.miniRedis = mini
		return err
	}
	log, err := os.OpenFile(filepath.Join(r.dir, "log"), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return explainIO(fmt.Errorf("log of Redis: %w", err), r.dir)
	}
	defer log.Close()
	settings, err := r.settings()
	if err != nil {
		return err
	}
	defer settings.Close()
	if r.child, err = start(r.account, log, r.dir, syscall.SIGKILL, settings, r.program,
		redisArguments()...); err == nil {
		if err = poll(ctx, r.child, r.ping); err == nil {
			return r.startGuardian()
		}
		r.child.stop(redisStopTimeout, syscall.SIGTERM)
	}
	said, _ := os.ReadFile(log.Name()) // explained as well as it can be
	return explainText(string(said), r.dir, r.port, fmt.Errorf("start Redis: %w", err))
}

func redisArguments() []string {
	if runtime.GOOS == "darwin" {
		// The guardian knows the server there by its command line, which Redis would otherwise
		// overwrite.
		return []string{"-", "--set-proc-title", "no"}
	}
	return []string{"-"}
}

// settings go in by standard input, so that the password shows in no process list. The pipe holds
// them all.
func (r *Redis) settings() (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("settings of Redis: %w", err)
	}
	_, err = fmt.Fprintf(writer,
		"bind 127.0.0.1\nport %d\nrequirepass %s\nsave \"\"\nappendonly no\ndir %q\npidfile %q\n",
		r.port, r.password, r.dir, r.pidFile())
	if err = errors.Join(err, writer.Close()); err != nil {
		_ = reader.Close()
		return nil, fmt.Errorf("settings of Redis: %w", err)
	}
	return reader, nil
}

func (r *Redis) pidFile() string { return filepath.Join(r.dir, "redis.pid") }

func (r *Redis) startGuardian() error {
	if r.guardian != nil {
		return nil
	}
	var err error
	r.guardian, err = startGuardian(r.pidFile(), r.dir, "TERM", r.dir)
	return err
}

// Stop ends the server; what it held is gone and its port refuses connections.
func (r *Redis) Stop() error { return r.end(syscall.SIGTERM) }

// Kill ends the server as a crash does (SIGKILL). Inside this process it is the same as Stop.
func (r *Redis) Kill() error { return r.end() }

// Suspend freezes the server (SIGSTOP): connections are accepted and nothing is answered until
// Resume.
func (r *Redis) Suspend() error { return r.signal(syscall.SIGSTOP) }

// Resume continues a suspended server (SIGCONT).
func (r *Redis) Resume() error { return r.signal(syscall.SIGCONT) }

// signal sends the signal to the server's process; only a server program that runs can be
// signalled.
func (r *Redis) signal(s syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.child.running() {
		return domain.Errorf(domain.StateMismatch, "No Redis program runs that could be signalled.")
	}
	return r.child.process.Signal(s)
}

func (r *Redis) end(signals ...syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kind == RedisExternal {
		return errExternalRedis
	}
	if r.miniRedis != nil {
		r.miniRedis.stop()
		r.miniRedis = nil
	}
	r.child.stop(redisStopTimeout, signals...)
	return nil
}

// Restart is Stop and Start.
func (r *Redis) Restart(ctx context.Context) error {
	if err := r.Stop(); err != nil {
		return err
	}
	return r.Start(ctx)
}

// Close stops the server permanently and removes its folder. A given server is left as it is.
func (r *Redis) Close() error {
	if r.kind == RedisExternal {
		return nil
	}
	err := r.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.dir != "" {
		err = errors.Join(err, os.RemoveAll(r.dir))
	}
	err = errors.Join(err, dismiss(r.guardian))
	if r.reserved != nil {
		err = errors.Join(err, r.reserved.Close())
	}
	if r.lock != nil {
		err = errors.Join(err, r.lock.Close())
	}
	return err
}

// Addr is host and port of a server started here, and of a given one what its URL says.
func (r *Redis) Addr() string {
	if r.kind == RedisExternal {
		options, err := redis.ParseURL(r.options.URL)
		if err != nil {
			return ""
		}
		return options.Addr
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port))
}

// URL is what REDIS_URL would say, password included.
func (r *Redis) URL() string {
	if r.kind == RedisExternal {
		return r.options.URL
	}
	return fmt.Sprintf("redis://:%s@%s/0", r.password, r.Addr())
}

// Kind says what answers.
func (r *Redis) Kind() RedisKind { return r.kind }

// Exited is closed when the running server process ends, by Stop or by itself; never for the other
// kinds.
func (r *Redis) Exited() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.child == nil {
		return make(chan struct{})
	}
	return r.child.done
}

func (r *Redis) ping(ctx context.Context) error {
	options, err := redis.ParseURL(r.URL())
	if err != nil {
		return domain.Errorf(domain.InvalidInput,
			"The Redis URL must look like redis://user:password@host:port/0.").WithCause(err)
	}
	// A plain knock first: the client logs every refused connection, and while a server starts
	// there are some.
	knock, err := (&net.Dialer{}).DialContext(ctx, options.Network, options.Addr)
	if err != nil {
		return err
	}
	_ = knock.Close()
	options.MaxRetries, options.DialerRetries, options.PoolSize = -1, 1, 1
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	err = client.Ping(ctx).Err()
	if err != nil && strings.Contains(err.Error(), "NOAUTH") {
		err = fmt.Errorf("another Redis answers there: %w", err)
	}
	return errors.Join(err, client.Close())
}

var errExternalRedis = domain.Errorf(domain.StateMismatch,
	"This Redis was given by URL or closed already; it is not ours to start or stop.")
