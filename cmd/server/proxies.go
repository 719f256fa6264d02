package main

import (
	"context"
	"slices"
	"time"

	"countersign/internal/clientaddr"
)

// proxiesInterval is how often the server looks whether other proxies are trusted.
const proxiesInterval = time.Second

// trustedProxies returns the present proxies and follows their changes. The setting of the environment is
// the first version only; afterwards two administrators change them.
func (p *components) trustedProxies(ctx context.Context) (clientaddr.Source, error) {
	configured, err := clientaddr.ParseProxies(p.settings.HTTP.TrustedProxies)
	if err != nil {
		return nil, err
	}
	present, err := p.service.SeedTrustedProxies(ctx, configured.Texts())
	if err != nil {
		return nil, err
	}
	if wanted := configured.Texts(); len(wanted) > 0 &&
		!slices.Equal(slices.Sorted(slices.Values(wanted)), slices.Sorted(slices.Values(present))) {
		p.log.Warn("COUNTERSIGN_TRUSTED_PROXIES has no effect any more; administrators change the trusted proxies",
			"setting", wanted, "present", present)
	}
	current := &clientaddr.Current{}
	version, err := p.loadProxies(ctx, current, 0)
	if err != nil {
		return nil, err
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(proxiesInterval)
		defer ticker.Stop()
		for {
			select {
			case <-following.Done():
				return
			case <-ticker.C:
			}
			if next, err := p.loadProxies(following, current, version); err == nil {
				version = next // otherwise the present list stays until the next look
			}
		}
	}()
	p.cleanup.Add(func() { stop(); <-done })
	return current, nil
}

// loadProxies reads the proxies if rights or control data changed since the version.
func (p *components) loadProxies(ctx context.Context, current *clientaddr.Current, known int64) (int64, error) {
	networks, version, err := p.service.TrustedProxies(ctx, known)
	if err != nil || version == known {
		return known, err
	}
	proxies, err := clientaddr.ParseProxies(networks)
	if err != nil {
		return known, err
	}
	current.Set(proxies)
	return version, nil
}
