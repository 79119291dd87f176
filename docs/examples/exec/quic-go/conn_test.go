// SPDX-License-Identifier: MIT OR Apache-2.0

package child

import (
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/quic-go/quic-go"
	"golang.org/x/net/ipv4"
)

// What quic-go would have the kernel do: it sends one datagram at a time, and gets buffers as large as it wants.
func init() {
	os.Setenv("QUIC_GO_DISABLE_GSO", "true")
	os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true")
}

var address = &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}

type packet struct {
	ecn  byte
	data []byte
}

// conn is a socket of UDP, whose other side is the simulator. It has what quic-go asks of a *net.UDPConn, so that ECN and the discovery of
// the path's MTU are as they are over one.
type conn struct {
	net.PacketConn
	largest int
	in      chan packet
	out     []packet
}

var _ quic.OOBCapablePacketConn = &conn{}

// ReadBatch is what quic-go reads with.
func (c *conn) ReadBatch(messages []ipv4.Message, _ int) (int, error) {
	packet, first := <-c.in, &messages[0]
	first.N, first.Addr = copy(first.Buffers[0], packet.data), address
	first.NN = syscall.CmsgSpace(1)
	clear(first.OOB[:first.NN])
	header := (*syscall.Cmsghdr)(unsafe.Pointer(&first.OOB[0]))
	header.Level, header.Type = syscall.IPPROTO_IP, syscall.IP_TOS
	header.SetLen(syscall.CmsgLen(1))
	first.OOB[syscall.CmsgLen(0)] = packet.ecn
	return 1, nil
}

// WriteMsgUDP is what it writes with.
func (c *conn) WriteMsgUDP(data, control []byte, _ *net.UDPAddr) (int, int, error) {
	if len(data) > c.largest {
		return 0, 0, syscall.EMSGSIZE
	}
	packet := packet{data: append([]byte(nil), data...)}
	messages, err := syscall.ParseSocketControlMessage(control)
	for _, message := range messages {
		if message.Header.Level == syscall.IPPROTO_IP && message.Header.Type == syscall.IP_TOS {
			packet.ecn = message.Data[0] & 3
		}
	}
	c.out = append(c.out, packet)
	return len(data), len(control), err
}

func (c *conn) ReadMsgUDP(_, _ []byte) (n, oobn, flags int, addr *net.UDPAddr, err error) {
	return 0, 0, 0, nil, syscall.ENOTSUP
}

func (c *conn) Close() error                          { return nil }
func (c *conn) LocalAddr() net.Addr                   { return address }
func (c *conn) SetReadDeadline(time.Time) error       { return nil }
func (c *conn) SetReadBuffer(int) error               { return nil }
func (c *conn) SetWriteBuffer(int) error              { return nil }
func (c *conn) SyscallConn() (syscall.RawConn, error) { return c, nil }

// Control sets no option of a socket, and says that it has.
func (c *conn) Control(func(uintptr)) error    { return nil }
func (c *conn) Read(func(uintptr) bool) error  { return nil }
func (c *conn) Write(func(uintptr) bool) error { return nil }
