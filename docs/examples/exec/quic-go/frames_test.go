// SPDX-License-Identifier: MIT OR Apache-2.0

package child

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

// None stands for "none", "never" and "without an end".
const None = math.MaxUint64

// Frames to the child, and from it.
const (
	hello    = 1
	open     = 2
	datagram = 3
	timer    = 4
	write    = 5
	finish   = 6

	send = 1
	done = 2
	fail = 3
)

// Goroutines take turns, which is also why nothing here has a lock, and garbage is collected between frames: one seed gives one result.
func init() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(-1)
}

// TestChild is the program: a bubble, whose clock is the simulator's. A read of standard input is not durably blocking, so that the clock
// stands still until the next frame is here.
func TestChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := child{t: t, in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), began: time.Now()}
		if _, err := child.in.Peek(1); err != nil {
			t.Skip("cwnd runs this: docs/reference/exec-protocol.md")
		}
		child.serve()
		// What quic-go has begun would have to end first: the process ends it.
		os.Exit(0)
	})
}

type child struct {
	t     *testing.T
	in    *bufio.Reader
	out   *bufio.Writer
	began time.Time
	end   *end
}

// serve answers frames until the input ends, or the connection is over.
func (c *child) serve() {
	for count := 1; ; count++ {
		if count%2048 == 0 {
			runtime.GC()
		}
		var length [4]byte
		if _, err := io.ReadFull(c.in, length[:]); err != nil {
			return
		}
		frame := make([]byte, binary.LittleEndian.Uint32(length[:]))
		if _, err := io.ReadFull(c.in, frame); err != nil {
			return
		}
		if err := c.handle(frame[0], frame[1:]); err != nil {
			c.frame(fail, []byte(err.Error()))
			c.out.Flush()
			return
		}
		c.answer()
		c.out.Flush()
	}
}

func (c *child) handle(kind byte, rest []byte) error {
	if kind == hello {
		if version := binary.LittleEndian.Uint16(rest); version != 1 {
			return fmt.Errorf("version %d of the protocol: this is for version 1", version)
		}
		role, largest, seed := rest[2], binary.LittleEndian.Uint16(rest[3:]), binary.LittleEndian.Uint64(rest[5:])
		if name := string(rest[13:]); name != "reno" {
			return fmt.Errorf("quic-go has stock-reno alone, and not %q", "stock-"+name)
		}
		if err := c.checkTimers(); err != nil {
			return err
		}
		// Both ends have the seed, and must not have the same keys.
		cryptotest.SetGlobalRandom(c.t, 2*seed+uint64(role))
		var err error
		c.end, err = newEnd(role == 0, largest)
		return err
	}
	c.sleepUntil(binary.LittleEndian.Uint64(rest))
	switch kind {
	case open:
		c.end.open()
	case datagram:
		c.end.conn.in <- packet{rest[8], rest[9:]}
	case write:
		c.end.write(binary.LittleEndian.Uint64(rest[8:]))
	case finish:
		c.end.finish()
	}
	synctest.Wait()
	return c.end.err
}

// sleepUntil lets virtual time pass; what is due in quic-go meanwhile, and at that time, happens.
func (c *child) sleepUntil(now uint64) {
	if d := time.Until(c.began.Add(time.Duration(now))); d > 0 {
		time.Sleep(d)
		synctest.Wait()
	}
}

func (c *child) answer() {
	for _, packet := range c.end.conn.out {
		c.frame(send, append([]byte{packet.ecn}, packet.data...))
	}
	c.end.conn.out = c.end.conn.out[:0]
	numbers := []byte{}
	for _, number := range append([]uint64{c.nextTimer()}, c.end.numbers()...) {
		numbers = binary.LittleEndian.AppendUint64(numbers, number)
	}
	c.frame(done, numbers)
}

func (c *child) frame(kind byte, rest []byte) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(rest)+1))
	c.out.Write(append(head, kind))
	c.out.Write(rest)
}
