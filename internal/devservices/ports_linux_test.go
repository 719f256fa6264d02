package devservices

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// While a Redis is down, the kernel gives its port to no other socket: one that shares no address cannot
// have it, as one that takes any free port.
func TestPortOfAStoppedRedisIsReserved(t *testing.T) {
	t.Parallel()
	for _, kind := range []RedisKind{RedisServer, RedisMiniredis} {
		r := startRedis(t, RedisOptions{Kind: kind})
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		unshared := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
			return errors.Join(c.Control(func(fd uintptr) {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 0)
			}), err)
		}}
		listener, err := unshared.Listen(t.Context(), "tcp", r.Addr())
		if err == nil {
			_ = listener.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: another socket has the port: %v", kind, err)
		}
		if err := r.Start(t.Context()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
