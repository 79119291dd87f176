// SPDX-License-Identifier: MIT OR Apache-2.0

package child

import (
	"errors"
	"time"
	"unsafe"
)

// nextTimer is when the earliest timer of the bubble is due, or a little earlier. testing/synctest does not say: the runtime's word for it is
// private, and may be another in another Go than 1.26.
func (c *child) nextTimer() uint64 {
	bubble := acquire()
	// The timers follow a lock of eight bytes in the bubble, to which the second word of the interface points.
	at := wakeTime(unsafe.Add((*[2]unsafe.Pointer)(unsafe.Pointer(&bubble))[1], 8))
	release(bubble)
	if at == 0 {
		return None
	}
	return max(uint64(at-c.began.UnixNano()), uint64(time.Since(c.began))+1)
}

// checkTimers sets a timer and looks whether it is seen.
func (c *child) checkTimers() error {
	const due = 7 * time.Millisecond
	defer time.AfterFunc(due, func() {}).Stop()
	if c.nextTimer() != uint64(time.Since(c.began)+due) {
		return errors.New("this Go has the timers of a bubble in another place than Go 1.26")
	}
	return nil
}

//go:linkname acquire internal/synctest.acquire
func acquire() any

//go:linkname release internal/synctest.release
func release(any)

//go:linkname wakeTime runtime.(*timers).wakeTime
func wakeTime(unsafe.Pointer) int64
