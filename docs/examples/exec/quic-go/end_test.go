// SPDX-License-Identifier: MIT OR Apache-2.0

package child

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"
)

// end is one end of a connection.
type end struct {
	sender bool
	conn   *conn
	tls    *tls.Config
	config *quic.Config
	quic   *quic.Conn
	// Why the connection is over, if it is.
	err error

	// What the application has not handed over yet; a signal that there is more.
	toSend uint64
	more   chan struct{}
	read   uint64

	cwnd, inFlight, lost, reductions, timeouts uint64
}

func newEnd(sender bool, largest uint16) (*end, error) {
	if largest < 1200 {
		return nil, fmt.Errorf("datagrams have at most %d bytes: QUIC needs 1200", largest)
	}
	e := &end{sender: sender, conn: &conn{largest: int(largest), in: make(chan packet)}, more: make(chan struct{}, 1)}
	e.config = &quic.Config{
		// quic-go begins with 1280 bytes, and probes for more.
		InitialPacketSize: min(largest, 1280),
		// Neither flow control limits a connection, nor silence ends it.
		HandshakeIdleTimeout:           time.Minute,
		MaxIdleTimeout:                 100_000 * time.Second,
		InitialStreamReceiveWindow:     1 << 40,
		MaxStreamReceiveWindow:         1 << 40,
		InitialConnectionReceiveWindow: 1 << 40,
		MaxConnectionReceiveWindow:     1 << 40,
		Tracer:                         func(context.Context, bool, quic.ConnectionID) qlogwriter.Trace { return trace{e} },
	}
	e.tls = &tls.Config{NextProtos: []string{"exec"}, InsecureSkipVerify: true}
	if sender {
		return e, nil
	}
	// Ed25519: its signatures are all of one length.
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(100, 0, 0)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	e.tls.Certificates = []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: private}}
	return e, err
}

// open starts what an application of quic-go would be.
func (e *end) open() {
	run := e.receive
	if e.sender {
		run = e.transmit
	}
	go func() { e.err = run(&quic.Transport{Conn: e.conn}) }()
}

func (e *end) transmit(transport *quic.Transport) error {
	connection, err := transport.Dial(context.Background(), address, e.tls, e.config)
	if err != nil {
		return err
	}
	e.quic = connection
	stream, err := connection.OpenUniStream()
	if err != nil {
		return err
	}
	// As large as this, so that a Write hardly ever ends amid packets.
	zeros := make([]byte, 1<<26)
	for range e.more {
		for e.toSend > 0 {
			if _, err := stream.WriteWithLimit(zeros, e.take); err != nil && err != quic.ErrWriteLimitReached {
				return err
			}
		}
	}
	return nil
}

// take says how much of what a packet has room for is there.
func (e *end) take(most int) int {
	size := min(uint64(most), e.toSend)
	if e.toSend != None {
		e.toSend -= size
	}
	return int(size)
}

func (e *end) receive(transport *quic.Transport) error {
	listener, err := transport.Listen(e.tls, e.config)
	if err != nil {
		return err
	}
	connection, err := listener.Accept(context.Background())
	if err != nil {
		return err
	}
	e.quic = connection
	stream, err := connection.AcceptUniStream(context.Background())
	if err != nil {
		return err
	}
	for buffer := make([]byte, 1<<16); ; {
		size, err := stream.Read(buffer)
		e.read += uint64(size)
		if err != nil {
			return err
		}
	}
}

func (e *end) write(size uint64) {
	e.toSend += min(size, None-e.toSend)
	select {
	case e.more <- struct{}{}:
	default:
	}
}

func (e *end) finish() { e.toSend = 0 }

// numbers are those of a DONE after the timer.
func (e *end) numbers() []uint64 {
	var stats quic.ConnectionStats
	if e.quic != nil {
		stats = e.quic.ConnectionStats()
	}
	if stats.CongestionWindow < e.cwnd {
		e.reductions++
	}
	e.cwnd = stats.CongestionWindow
	// The threshold and the pacing rate are not to be seen from outside.
	return []uint64{
		e.cwnd, None, e.inFlight, uint64(stats.SmoothedRTT), uint64(stats.MinRTT), None,
		e.lost, e.reductions, e.timeouts, e.read,
	}
}

// trace counts what quic-go tells its log.
type trace struct{ *end }

func (t trace) AddProducer() qlogwriter.Recorder { return t }
func (t trace) Close() error                     { return nil }

func (t trace) RecordEvent(event qlogwriter.Event) {
	switch event := event.(type) {
	case qlog.MetricsUpdated:
		t.inFlight = uint64(event.BytesInFlight)
	case qlog.PacketLost:
		if !event.IsMTUProbePacket {
			t.lost++
		}
	case qlog.TimerUpdated:
		if event.Type == qlog.TimerEventTypeExpired && event.TimerType == qlog.TimerTypePTO {
			t.timeouts++
		}
	}
}
