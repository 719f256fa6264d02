package devservices

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// miniRedis is Redis inside this process. Its clock does not move by itself, so keys would never
// expire; a ticker moves it on every second.
type miniRedis struct {
	server  *miniredis.Miniredis
	quit    chan struct{}
	stopped sync.WaitGroup
}

func startMiniRedis(addr, password string) (*miniRedis, error) {
	m := &miniRedis{server: miniredis.NewMiniRedis(), quit: make(chan struct{})}
	m.server.RequireAuth(password)
	if err := m.server.StartAddr(addr); err != nil {
		return nil, err
	}
	m.stopped.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-m.quit:
				return
			case <-ticker.C:
				m.server.FastForward(time.Second)
			}
		}
	})
	return m, nil
}

func (m *miniRedis) stop() {
	close(m.quit)
	m.stopped.Wait()
	m.server.Close()
}
