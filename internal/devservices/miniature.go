package devservices

import (
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// miniature is Redis inside this process. Its clock stands still by itself, so that keys would never expire; a
// ticker moves it on every second.
type miniature struct {
	server *miniredis.Miniredis
	quit   chan struct{}
	gone   sync.WaitGroup
}

func startMiniature(addr, password string) (*miniature, error) {
	m := &miniature{server: miniredis.NewMiniRedis(), quit: make(chan struct{})}
	m.server.RequireAuth(password)
	if err := m.server.StartAddr(addr); err != nil {
		return nil, err
	}
	m.gone.Go(func() {
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

func (m *miniature) stop() {
	close(m.quit)
	m.gone.Wait()
	m.server.Close()
}
