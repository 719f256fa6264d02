// Command run starts the stub of a language model at an address, until it is interrupted. Nothing that
// it answers comes from a model.
//
// What may enter: flags. What never happens here: code of the product.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"countersign/internal/modelvendor"
)

func main() {
	address := flag.String("address", "127.0.0.1:9099", "where to listen")
	behaviour := flag.String("behaviour", string(modelvendor.Honest), "how to answer; the name of a model "+
		"that ends with a colon and a behaviour takes precedence")
	retryAfter := flag.String("retry-after", "", "header of refusals for now")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	vendor, err := modelvendor.Start(modelvendor.Options{Address: *address,
		Always: modelvendor.Behaviour(*behaviour), RetryAfter: *retryAfter})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
	fmt.Printf("a stub, no language model: COUNTERSIGN_MODEL_ENDPOINT=%s COUNTERSIGN_MODEL_NAME=stub\n", vendor.URL)
	<-ctx.Done()
	vendor.Close()
}
