package connect

import (
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"countersign/domain"
)

// specialNetworks are networks that are not reachable over the public Internet, or that lead to other
// addresses, besides those that netip knows.
var specialNetworks = parsePrefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	"5f00::/16", "fec0::/10")

func parsePrefixes(texts ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		prefixes = append(prefixes, netip.MustParsePrefix(text))
	}
	return prefixes
}

// ParseNetworks returns the networks of these texts; a text without a slash is one address.
func ParseNetworks(texts []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range texts {
		text = strings.TrimSpace(text)
		prefix, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			prefix, err = netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, domain.Invalid("networks", "%.60q is not a network, such as 10.0.0.0/8.", text)
		}
		networks = append(networks, prefix.Masked())
	}
	return networks, nil
}

// guard decides which addresses may be dialed. It sees the address after name resolution, at every
// connection, so that a name cannot lead to another address later.
type guard struct {
	allowed []netip.Prefix // besides the public ones
	// allowedOnly refuses public addresses, for connections without TLS.
	allowedOnly bool
}

func within(address netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// IsPublic reports whether the address is one of the public Internet.
func IsPublic(address netip.Addr) bool {
	return address.IsGlobalUnicast() && !address.IsPrivate() && address.Zone() == "" &&
		!within(address, specialNetworks)
}

// control is net.Dialer.Control.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return domain.Errorf(domain.NotPermitted, "The address %q is not allowed.", address)
	}
	ip := parsed.Addr().Unmap()
	switch {
	case within(ip, g.allowed):
		return nil
	case g.allowedOnly:
		return domain.Errorf(domain.NotPermitted,
			"The address %s needs TLS, or must be in COUNTERSIGN_CONNECTOR_NETWORKS.", ip)
	case !IsPublic(ip):
		return domain.Errorf(domain.NotPermitted,
			"The address %s is not public and not in COUNTERSIGN_CONNECTOR_NETWORKS.", ip)
	}
	return nil
}

// Dialer returns a dialer to public addresses and the networks. Connections without TLS go to the
// networks only.
func Dialer(networks []netip.Prefix, encrypted bool) *net.Dialer {
	return guard{allowed: networks, allowedOnly: !encrypted}.dialer()
}

func (g guard) dialer() *net.Dialer {
	return &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: g.control}
}
