package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// The parts of the load that are processes of their own, on the same clock.
const (
	partSubscribers = "subscribers"
	partProducer    = "producer"
)

// child is a part of the load. It reads its order from its standard input, says that it is ready, and
// prints its result.
type child struct {
	process *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

const readyLine = "ready\n"

// startChild starts the part and waits until it is ready.
func startChild(ctx context.Context, part string, order any) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{process: exec.CommandContext(ctx, program, "-part", part)}
	// What is measured is the server: the collections of the load must not count.
	c.process.Env = append(os.Environ(), "GOGC=off")
	c.process.Stderr = os.Stderr
	if c.input, err = c.process.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.output = bufio.NewReader(output)
	if err := c.process.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(c.input).Encode(order); err != nil {
		c.kill()
		return nil, err
	}
	if line, err := c.output.ReadString('\n'); err != nil || line != readyLine {
		c.kill()
		return nil, fmt.Errorf("the %s did not start: %q %w", part, line, err)
	}
	return c, nil
}

// wait reads the result, of which a part has at most what it had when the time is over.
func (c *child) wait(within time.Duration, result any) error {
	end := time.AfterFunc(within, func() { _ = c.input.Close() })
	defer end.Stop()
	if err := json.NewDecoder(c.output).Decode(result); err != nil {
		c.kill()
		return err
	}
	return c.process.Wait()
}

func (c *child) kill() {
	_ = c.process.Process.Kill()
	_ = c.process.Wait()
}

// readOrder reads what the part is to do.
func readOrder(in *bufio.Reader, order any) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, order)
}
