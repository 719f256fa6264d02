package connect

import (
	"net/netip"
	"testing"
)

func TestAddressesThatMayBeDialed(t *testing.T) {
	t.Parallel()
	for text, public := range map[string]bool{"8.8.8.8": true, "2606:4700::1111": true,
		"10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "127.0.0.1": false,
		"169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false,
		"224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "::": false, "::1": false,
		"fe80::1": false, "fc00::1": false, "fd12::1": false, "ff02::1": false,
		"64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:db8::1": false,
		"::ffff:10.0.0.1": false, "::ffff:8.8.8.8": true, "fec0::1": false} {
		address := netip.AddrPortFrom(netip.MustParseAddr(text), 443).String()
		if err := (guard{}).control("tcp", address, nil); (err == nil) != public {
			t.Errorf("%s: %v", text, err)
		}
		if err := (guard{allowedOnly: true}).control("tcp", address, nil); err == nil {
			t.Errorf("%s was dialed without TLS", text)
		}
	}
	networks, err := ParseNetworks([]string{"10.1.2.3/8", " ::1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"10.9.9.9:80", "[::ffff:10.9.9.9]:80", "[::1]:80"} {
		if err := (guard{allowed: networks, allowedOnly: true}).control("tcp", address,
			nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
