//go:build !linux

package devservices

import "os"

// reservePort returns a free port. Other systems let no two sockets share an address in the way that
// a reservation needs, so another program may take the port.
func reservePort() (int, *os.File, error) {
	port, err := freePort()
	return port, nil, err
}
