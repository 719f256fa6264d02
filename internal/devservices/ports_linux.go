package devservices

import (
	"fmt"
	"os"
	"syscall"
)

// reservePort returns a free port of 127.0.0.1 and a socket that keeps the kernel from giving the port
// to anybody else, also while its server is down. The socket does not listen, so the port refuses
// connections until a server that shares the address (SO_REUSEADDR) listens.
func reservePort() (int, *os.File, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("reserve a port: %w", err)
	}
	reserved := os.NewFile(uintptr(fd), "reserved port")
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		_ = reserved.Close()
		return 0, nil, fmt.Errorf("reserve a port: %w", err)
	}
	address, err := syscall.Getsockname(fd)
	bound, ok := address.(*syscall.SockaddrInet4)
	if err != nil || !ok {
		_ = reserved.Close()
		return 0, nil, fmt.Errorf("address of a reserved port: %w", err)
	}
	return bound.Port, reserved, nil
}
