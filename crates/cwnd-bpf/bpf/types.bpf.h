// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What every BPF program here is written with: integer types, libbpf's helpers, structs of the kernel found by name.
#pragma once

// What libbpf's headers otherwise want from linux/types.h.
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

// A struct of which only the members that are read are declared: libbpf finds them on the running kernel by name (CO-RE).
#define KERNEL_STRUCT __attribute__((preserve_access_index))

// From the kernel's stable interface.
#define SOL_TCP 6
#define TCP_CONGESTION 13
// Longest name of a congestion control, with its final zero.
#define NAME_BYTES 16
// bpf_map_type
#define BPF_MAP_TYPE_RINGBUF 27
