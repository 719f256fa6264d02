// Package clientaddr finds the network address of the client that sent a request, also behind
// trusted proxies.
//
// What may enter: the reading of Forwarded (RFC 7239) and X-Forwarded-For, and the key under which
// a client is counted. What never happens here: trust in a header that no trusted proxy sent; a
// name lookup; a decision about the client.
package clientaddr

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"countersign/domain"
)

// Proxies are the networks whose hosts report the client's address truthfully. The empty list
// trusts no host.
type Proxies []netip.Prefix

// ParseProxies reads addresses and CIDRs. An entry that is neither is InvalidInput and names
// itself.
func ParseProxies(entries []string) (Proxies, error) {
	var proxies Proxies
	for _, entry := range entries {
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			if prefix.Addr().Is4In6() {
				return nil, domain.Invalid("COUNTERSIGN_TRUSTED_PROXIES",
					"Write the network %q as IPv4, such as 10.0.0.0/8.", entry)
			}
			proxies = append(proxies, prefix.Masked())
			continue
		}
		address, err := netip.ParseAddr(entry)
		if err != nil || address.Zone() != "" {
			return nil, domain.Invalid("COUNTERSIGN_TRUSTED_PROXIES",
				"%q is neither an address nor a network such as 10.0.0.0/8.", entry)
		}
		address = address.Unmap()
		proxies = append(proxies, netip.PrefixFrom(address, address.BitLen()))
	}
	return proxies, nil
}

// Texts returns the networks as ParseProxies reads them.
func (p Proxies) Texts() []string {
	texts := make([]string, 0, len(p))
	for _, network := range p {
		texts = append(texts, network.String())
	}
	return texts
}

// Source finds the address of a client: a fixed list of proxies, or the present one.
type Source interface {
	Of(r *http.Request) netip.Addr
}

// Current is a list of proxies that changes while requests are served.
type Current struct{ list atomic.Pointer[Proxies] }

// Set replaces the list.
func (c *Current) Set(p Proxies) { c.list.Store(&p) }

// Of is Proxies.Of with the present list.
func (c *Current) Of(r *http.Request) netip.Addr {
	if list := c.list.Load(); list != nil {
		return list.Of(r)
	}
	return Proxies(nil).Of(r)
}

func (p Proxies) trusts(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// Of returns the client's address: the connection's peer, or, where the peer is trusted, the
// nearest untrusted host that the headers name. It is not valid where the peer has no address, as
// over a unix socket.
//
// Both headers are read where both are present. If they name different clients, one of them was
// written by the client and passed on by a proxy that maintains the other only; the result is then
// the peer, which cannot be forged.
func (p Proxies) Of(r *http.Request) netip.Addr {
	peer := peerOf(r.RemoteAddr)
	if !peer.IsValid() || !p.trusts(peer) {
		return peer
	}
	forwarded, forwardedFor := r.Header.Values("Forwarded"), r.Header.Values("X-Forwarded-For")
	switch {
	case len(forwarded) == 0 && len(forwardedFor) == 0:
		return peer
	case len(forwarded) == 0:
		return p.walk(peer, listedFor(forwardedFor))
	case len(forwardedFor) == 0:
		return p.walk(peer, forwardedBy(forwarded))
	}
	standard, common := p.walk(peer, forwardedBy(forwarded)), p.walk(peer, listedFor(forwardedFor))
	if standard != common {
		return peer
	}
	return standard
}

// walk follows the hops from the nearest to the farthest while they are trusted. A hop that names
// no address ends it: the trusted host that reported it is then all that is known.
func (p Proxies) walk(peer netip.Addr, hops func(func(netip.Addr) bool)) netip.Addr {
	nearest := peer
	for address := range hops {
		if !address.IsValid() {
			return nearest
		}
		nearest = address
		if !p.trusts(address) {
			break
		}
	}
	return nearest
}

// peerOf reads the address of a connection; an invalid one where there is none.
func peerOf(remote string) netip.Addr {
	if pair, err := netip.ParseAddrPort(remote); err == nil {
		return plain(pair.Addr())
	}
	address, _ := netip.ParseAddr(remote)
	return plain(address)
}

// plain removes the differences between two spellings of one address: the zone, and IPv4 inside
// IPv6.
func plain(address netip.Addr) netip.Addr {
	if !address.IsValid() {
		return address
	}
	return address.WithZone("").Unmap()
}

// listedFor yields the addresses of X-Forwarded-For, the last of the last line first.
func listedFor(lines []string) func(func(netip.Addr) bool) {
	return func(yield func(netip.Addr) bool) {
		for i := len(lines) - 1; i >= 0; i-- {
			for rest, more := lines[i], true; more; {
				at := strings.LastIndexByte(rest, ',')
				entry := rest[at+1:]
				if more = at >= 0; more {
					rest = rest[:at]
				}
				if !yield(addressIn(strings.Trim(entry, " \t"))) {
					return
				}
			}
		}
	}
}

// addressIn reads one address with or without a port; an IPv6 address may be in brackets, and is if
// it has a port. Anything else is no valid address.
func addressIn(text string) netip.Addr {
	if address, err := netip.ParseAddr(text); err == nil {
		return plain(address)
	}
	host, port := text, ""
	switch bracket := strings.IndexByte(text, ']'); {
	case strings.HasPrefix(text, "[") && bracket > 0:
		host, port = text[1:bracket], text[bracket+1:]
		if !strings.Contains(host, ":") {
			return netip.Addr{}
		}
	case strings.Count(text, ":") == 1:
		colon := strings.IndexByte(text, ':')
		host, port = text[:colon], text[colon:]
	default:
		return netip.Addr{}
	}
	if port != "" && !isPort(port) {
		return netip.Addr{}
	}
	address, _ := netip.ParseAddr(host)
	return plain(address)
}

// isPort accepts a colon and a number, or the obfuscated port of RFC 7239, which begins with an
// underscore.
func isPort(text string) bool {
	digits, found := strings.CutPrefix(text, ":")
	if !found || digits == "" {
		return false
	}
	if name, obfuscated := strings.CutPrefix(digits, "_"); obfuscated {
		return name != "" &&
			strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
	}
	return len(digits) <= 5 && strings.Trim(digits, "0123456789") == ""
}

// Key is what a client is counted under: an IPv4 address by itself, an IPv6 address by its /64,
// since one subscriber has a whole one. All without an address share a key.
func Key(address netip.Addr) string {
	address = plain(address)
	switch {
	case !address.IsValid():
		return "unknown"
	case address.Is4():
		return address.String()
	}
	network, _ := address.Prefix(64) // 64 bits are in every IPv6 address
	return network.String()
}
