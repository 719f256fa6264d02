// Command mailbox is a mail server that keeps what it receives and shows it on a page, so that the
// e-mails of an installation can be seen without sending any.
//
// What may enter: taking and showing e-mails. What never happens here: passing one on, keeping one after
// the end of the program, product code.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/emersion/go-smtp"
)

func main() {
	address := flag.String("listen", "127.0.0.1:8025", "address of the page")
	mail := flag.String("smtp", "127.0.0.1:1025", "address of the mail server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *mail); err != nil {
		fmt.Fprintln(os.Stderr, "mailbox:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, address, mailAddress string) error {
	b := &box{}
	var config net.ListenConfig
	page, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	mails, err := config.Listen(ctx, "tcp", mailAddress)
	if err != nil {
		return err
	}
	pages := &http.Server{Handler: newHandler(b), ReadTimeout: 10 * time.Second,
		WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	server := smtp.NewServer(b)
	server.Domain, server.MaxMessageBytes, server.MaxRecipients = "localhost", maxMail, 50
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	fmt.Printf("the mailbox shows the e-mails to %s at http://%s\n", mails.Addr(), page.Addr())
	failed := make(chan error, 2)
	go func() { failed <- pages.Serve(page) }()
	go func() { failed <- server.Serve(mails) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return errors.Join(pages.Close(), server.Close())
	}
}
