package main

import "context"

// proxyCommands manage the trusted proxies.
type proxyCommands struct {
	List proxyList `cmd:"" default:"1" help:"List the networks of trusted proxies."`
	Set  proxySet  `cmd:"" help:"Replace the networks. Those that are added wait for another administrator."`
}

// proxyList lists the networks.
type proxyList struct{}

// Run prints the list.
func (proxyList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listProxies(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, network := range answer.TrustedProxies {
		rows = append(rows, []string{network})
	}
	return c.printTable(answer.TrustedProxies, []string{"NETWORK"}, rows)
}

// proxySet replaces the networks.
type proxySet struct {
	Networks []string `arg:"" optional:"" help:"Addresses and networks such as 10.0.0.0/8; none = no proxy is trusted."`
	Reason   string   `required:"" help:"Reason."`
}

// Run sets them.
func (p *proxySet) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := setProxies(ctx, client, append([]string{}, p.Networks...), p.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}
