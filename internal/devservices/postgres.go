package devservices

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// PostgresOptions say which server to start and how. The zero value is a throw-away server without
// fsync.
type PostgresOptions struct {
	// URL of a running server, as a role that may create databases and roles; nothing is started
	// then.
	URL string
	// Checkout is the folder of go.mod; empty means at or above the working folder.
	Checkout string
	// Durable keeps the data over restarts and writes it through to the disk. Otherwise it is gone
	// at Close.
	Durable bool
	// InMemory keeps the data of a server that is not durable in memory, where the system has room
	// for it: to clone and drop a database of a thousand files costs less there than on a disk.
	InMemory bool
	// Dir overrides the folder of data and logs; empty means the checkout's StateDir.
	Dir string
	// Binaries overrides the search: a folder with initdb and postgres.
	Binaries string
	// Port on 127.0.0.1; 0 means a free one, which then stays the same for the life of the handle.
	Port int
	// Settings are further server settings, as in postgresql.conf.
	Settings map[string]string
}

// Postgres is one server, started here or given by URL. Its methods are safe for concurrent use.
type Postgres struct {
	mu       sync.Mutex
	options  PostgresOptions
	admin    *url.URL // superuser, without a database
	external bool

	account  account
	bin      binaries
	dir      string // holds data, password, log, lock
	port     int
	child    *child
	lock     *os.File
	guardian *os.File
	closed   bool
}

const (
	adminRole = "countersign_admin"
	// readyTimeout covers the replay of a crashed server's log, which a fresh one does not have.
	readyTimeout = 60 * time.Second
	stopTimeout  = 20 * time.Second
)

// StartPostgres starts a server, or connects to the given one, waits until it answers and sees that
// the roles countersign_owner and countersign_app exist. Errors say in a sentence what is missing
// and what to do.
func StartPostgres(ctx context.Context, options PostgresOptions) (*Postgres, error) {
	p := &Postgres{options: options, port: options.Port}
	if options.URL != "" {
		if err := p.useExternal(ctx); err != nil {
			return nil, err
		}
		return p, nil
	}
	if err := p.prepare(ctx); err != nil {
		return nil, errors.Join(err, p.release())
	}
	if err := p.Start(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := ensureRoles(ctx, p.admin); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// useExternal adopts a server that this program did not start.
func (p *Postgres) useExternal(ctx context.Context) error {
	admin, err := url.Parse(p.options.URL)
	if err != nil || admin.Host == "" {
		return domain.Errorf(domain.InvalidInput,
			"The Postgres URL must look like postgres://user:password@host:port/database.").WithCause(err)
	}
	p.admin, p.external = admin, true
	return ensureRoles(ctx, admin)
}

// prepare finds account, folder and binaries, takes the folder, and makes the cluster if there is
// none.
func (p *Postgres) prepare(ctx context.Context) error {
	var err error
	if p.options.Checkout == "" {
		if p.options.Checkout, err = Checkout(); err != nil {
			return err
		}
	}
	if p.account, err = serviceAccount(); err != nil {
		return err
	}
	state := p.options.Dir
	if state == "" {
		state = StateDir(p.options.Checkout)
	}
	if err = openState(p.account, state); err != nil {
		return explainIO(err, state)
	}
	data := state
	if p.options.InMemory && !p.options.Durable {
		data = memoryDir(state)
	}
	if err = p.lockFolder(data); err != nil {
		return explainIO(err, data)
	}
	if p.bin, err = findBinaries(p.options.Checkout, p.options.Binaries,
		installedDirs()); err != nil {
		return err
	}
	if p.bin, err = p.bin.prepare(p.account, state); err != nil {
		return explainIO(err, state)
	}
	return p.makeCluster(ctx)
}

// memoryDir is the folder in memory for what would lie in the state folder, or the state folder
// itself where memory is short or the folder is another user's.
func memoryDir(state string) string {
	if !hasMemory() {
		return state
	}
	sum := sha256.Sum256([]byte(state))
	dir := filepath.Join(memoryRoot, fmt.Sprintf("countersign-%d-%x", os.Geteuid(), sum[:6]))
	if err := os.Mkdir(dir, 0o755); err != nil && !ownFolder(dir) { //nolint:gosec // servers' account passes through it
		return state
	}
	return dir
}

// lockFolder makes and locks the server's own folder below state.
func (p *Postgres) lockFolder(state string) error {
	err := openState(p.account, state)
	if err != nil {
		return err
	}
	if p.options.Durable {
		p.dir = filepath.Join(state, "postgres")
		if err = p.account.makeDir(p.dir, 0o700); err == nil {
			p.lock, err = lockDir(p.dir)
		}
	} else {
		p.dir, p.lock, err = newRunDir(p.account, state, "postgres")
	}
	if err != nil {
		return err
	}
	if p.hasCluster() {
		return nil
	}
	return requireFreeSpace(p.dir, minFreeBytes)
}

// Start starts the server again after Stop or Kill, on the same port and data, and waits until it
// answers.
func (p *Postgres) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.external || p.closed {
		return errExternalPostgres
	}
	if p.child.running() {
		return nil
	}
	return p.boot(ctx)
}

// Stop ends the server cleanly: open statements are cancelled, committed data is written,
// connections are cut.
func (p *Postgres) Stop() error { return p.end(syscall.SIGINT, syscall.SIGQUIT) }

// Kill ends the server as a crash does (SIGKILL); a later Start replays its log.
func (p *Postgres) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Postgres) end(signals ...syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.external {
		return errExternalPostgres
	}
	p.child.stop(stopTimeout, signals...)
	return nil
}

// Restart is Stop and Start.
func (p *Postgres) Restart(ctx context.Context) error {
	if err := p.Stop(); err != nil {
		return err
	}
	return p.Start(ctx)
}

// Close stops the server permanently and lets its folder go; the data of one that is not durable is
// removed. A given server is left as it is.
func (p *Postgres) Close() error {
	if p.external {
		return nil
	}
	err := p.Stop()
	return errors.Join(err, p.release())
}

// release gives the folder back.
func (p *Postgres) release() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	var err error
	if p.dir != "" && !p.options.Durable {
		err = os.RemoveAll(p.dir)
	}
	err = errors.Join(err, dismiss(p.guardian))
	if p.lock != nil {
		err = errors.Join(err, p.lock.Close())
	}
	return err
}

// Exited is closed when the running server ends, by Stop or by itself. It never is for a given
// server.
func (p *Postgres) Exited() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		return make(chan struct{})
	}
	return p.child.done
}

// URL connects to the database as superuser.
func (p *Postgres) URL(database string) string { return withRole(p.admin, "", database) }

// OwnerURL connects to the database as countersign_owner, who owns the schema.
func (p *Postgres) OwnerURL(database string) string {
	return withRole(p.admin, OwnerRole,
		database)
}

// AppURL connects to the database as countersign_app, the role of the running programs.
func (p *Postgres) AppURL(database string) string { return withRole(p.admin, AppRole, database) }

// LogFile is where the server writes what it has to say; empty for a given server.
func (p *Postgres) LogFile() string {
	if p.external {
		return ""
	}
	return filepath.Join(p.dir, "log")
}

// CreateDatabase makes the database if there is none of that name: owned by countersign_owner, open
// to countersign_app.
func (p *Postgres) CreateDatabase(ctx context.Context, name string) error {
	return withConn(ctx, p.URL("postgres"), func(conn *pgx.Conn) error {
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)",
			name).Scan(&exists); err != nil || exists {
			return err
		}
		_, err := conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s",
			pgx.Identifier{name}.Sanitize(), OwnerRole))
		return err
	})
}

var errExternalPostgres = domain.Errorf(domain.StateMismatch,
	"This Postgres was given by URL or closed already; it is not ours to start or stop.")

func setting(name, value string) []string { return []string{"-c", name + "=" + value} }

// arguments of the server program.
func (p *Postgres) arguments() []string {
	args := []string{"-D", p.dataDir(), "-p", strconv.Itoa(p.port)}
	values := map[string]string{
		"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "timezone": "UTC",
		"log_timezone":    "UTC",
		"max_connections": "300", "shared_buffers": "128MB", "max_wal_size": "1GB",
		"log_line_prefix": "%m [%p] %q%u@%d ",
	}
	if !p.options.Durable {
		// Committed rows still reach the kernel, so they outlive Kill; only a crash of the machine
		// would lose them.
		values["fsync"], values["full_page_writes"], values["autovacuum"] = "off", "off", "off"
	}
	for name, value := range p.options.Settings {
		values[name] = value
	}
	for name, value := range values {
		args = append(args, setting(name, value)...)
	}
	return args
}
