// SPDX-License-Identifier: MIT OR Apache-2.0
// Lets timers_test.go declare functions that have no body there.
