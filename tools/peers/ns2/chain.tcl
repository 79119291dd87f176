# SPDX-License-Identifier: MIT OR Apache-2.0
#
# A chain of bottlenecks with DropTail queues, for ns-2.35; with one bottleneck
# it is the dumbbell.
#
#   ns chain.tcl rate=400 buffer=1333 duration=100 measure_from=20 \
#       measure_to=100 seed=1 cubic:40:0.01 sack:40:0.05 ...
#
#   ns chain.tcl rate=100 buffer=333 hops=3 hop_ms=10 ... cubic:80:0.01:0-3 \
#       cubic:40:0.02:0-1
#
# A flow is CC:RTT_MS:START_S[:FROM-TO]: round trip time without queueing and
# serialisation, and the routers (0 ... hops) where it enters and leaves. CC is sack, newreno or reno (ns-2's own agents),
# or the name of a TCP-Linux module (cubic, htcp, vegas, ...; Linux's own reno
# is linux-reno). The line on stdout that starts with { is the result, one JSON
# object; other lines come from TCP-Linux, which cannot be silenced from Tcl.
#
#   sender i --access, rest of RTT/2, 10x rate--> router FROM --rate, hop_ms,
#       buffer--> ... --> router TO
#
# The sinks sit on the last router itself: a hop there would change nothing
# but the CPU time, and this script is there to let ns-2 be as fast as it can.

# Every packet is zeroed over all the headers that are compiled in. Keeping only
# the ones in use makes the run faster by a third; few scripts do it, so it is an
# option. The list must be cut before the simulator object exists.
if {[lsearch -exact $argv headers=0] >= 0} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

set WIRE 1500            ;# bytes of a data packet on the bottleneck
set CC_NS2 {sack Agent/TCP/Sack1 newreno Agent/TCP/Newreno reno Agent/TCP/Reno}
set CC_LINUX {bic compound cubic highspeed htcp hybla illinois linux-reno lp
    naivereno scalable vegas veno westwood yeah}

array set opt {
    rate 100  buffer 100  duration 60  measure_from 0  measure_to -1  seed 1
    ack_every 2  delack_s 0.04  overhead 0  initial_ssthresh 0  iw 10
    min_rto 0.2  increase 1  cubic_beta 0  cubic_clamp 0  access_factor 10  headers 1
    sample 0  hops 1  hop_ms 0  queue 0
}

proc fail {message} {
    puts stderr "chain.tcl: $message"
    exit 2
}

set flows {}
foreach arg $argv {
    if {[regexp {^([a-z_]+)=(.*)$} $arg - key value]} {
        if {![info exists opt($key)]} { fail "unknown option: $key" }
        if {![string is double -strict $value]} { fail "not a number: $arg" }
        set opt($key) $value
    } elseif {[regexp {^([a-z0-9-]+):([0-9]+(?:\.[0-9]+)?):([0-9]+(?:\.[0-9]+)?)(?::([0-9]+)-([0-9]+))?$} $arg - cc rtt start from to]} {
        array unset known
        array set known $CC_NS2
        if {![info exists known($cc)] && [lsearch -exact $CC_LINUX $cc] < 0} {
            fail "unknown congestion control: $cc"
        }
        lappend flows [list $cc $rtt $start $from $to]
    } else {
        fail "neither key=value nor cc:rtt_ms:start_s\[:from-to\]: $arg"
    }
}
if {[llength $flows] == 0} { fail "no flows" }
if {$opt(measure_to) < 0} { set opt(measure_to) $opt(duration) }
if {$opt(measure_from) >= $opt(measure_to) || $opt(measure_to) > $opt(duration)} {
    fail "need measure_from < measure_to <= duration"
}
# The options may stand behind the flows, so a flow's way is looked at last.
set opt(hops) [expr {int($opt(hops))}]
set routed {}
foreach flow $flows {
    foreach {cc rtt start from to} $flow break
    if {$from eq ""} { set from 0; set to $opt(hops) }
    if {$from >= $to || $to > $opt(hops)} { fail "no such way: $flow" }
    if {$rtt < 2 * ($to - $from) * $opt(hop_ms)} { fail "the way alone takes longer: $flow" }
    lappend routed [list $cc $rtt $start $from $to]
}
set flows $routed
if {$opt(ack_every) != 1 && $opt(ack_every) != 2} { fail "ack_every is 1 or 2" }

# ---- class-wide settings: agents read them when they are created -------------
# 40 bytes of TCP/IP and 10 of timestamp option come on top of packetSize_.
Agent/TCP set timestamps_ true          ;# CUBIC learns the minimum RTT from them
Agent/TCP set packetSize_ [expr {$WIRE - 40 - [Agent/TCP set ts_option_size_]}]
Agent/TCP set window_ 1000000           ;# never the limit
Agent/TCP set windowInit_ $opt(iw)
# With the SYN, TCP-Linux would ignore windowInit_ and start at one packet.
Agent/TCP set syn_ false
Agent/TCP set minrto_ $opt(min_rto)
Agent/TCP set tcpTick_ 0.001            ;# what select_ca gives TCP-Linux anyway
Agent/TCP set overhead_ $opt(overhead)
Agent/TCP set increase_num_ $opt(increase)
Agent/TCPSink set ts_echo_rfc1323_ true
Agent/TCPSink/DelAck set interval_ $opt(delack_s)
Agent/TCPSink/Sack1/DelAck set interval_ $opt(delack_s)

# The default generator serves the agents' send jitter (overhead_).
ns-random $opt(seed)
set ns [new Simulator]
$ns use-scheduler Calendar

# ---- topology ------------------------------------------------------------------
set access_bps [expr {$opt(access_factor) * $opt(rate) * 1e6}]
for {set hop 0} {$hop <= $opt(hops)} {incr hop} { set router($hop) [$ns node] }
for {set hop 0} {$hop < $opt(hops)} {incr hop} {
    set left $router($hop)
    set right $router([expr {$hop + 1}])
    $ns simplex-link $left $right [expr {$opt(rate) * 1e6}] [expr {$opt(hop_ms) / 1e3}] DropTail
    $ns simplex-link $right $left $access_bps [expr {$opt(hop_ms) / 1e3}] DropTail
    # limit_ N admits N packets in all: N-1 waiting and the one being sent.
    $ns queue-limit $left $right [expr {int($opt(buffer))}]
    $ns queue-limit $right $left 1000000

    set drops($hop) [new QueueMonitor]
    set snoop [new SnoopQueue/Drop]
    if {$opt(queue)} {
        # The mean queue costs a look at every packet on its way in and out.
        set waiting($hop) [new Integrator]
        $drops($hop) set-pkts-integrator $waiting($hop)
        [$ns link $left $right] attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] $snoop $drops($hop)
    } else {
        # Drops are counted where they fall: nothing is added to the path of the others.
        $snoop set-monitor $drops($hop)
        $snoop target [$ns set nullAgent_]
        [[$ns link $left $right] set drophead_] target $snoop
    }
}

set i 0
foreach flow $flows {
    foreach {cc rtt start from to} $flow break
    set host [$ns node]
    set left $router($from)
    set right $router($to)
    set delay [expr {($rtt / 2.0 - ($to - $from) * $opt(hop_ms)) / 1e3}]
    $ns duplex-link $host $left $access_bps $delay DropTail
    $ns queue-limit $host $left 1000000
    $ns queue-limit $left $host 1000000

    array unset known
    array set known $CC_NS2
    set native [info exists known($cc)]
    if {$native} { set class $known($cc) } else { set class Agent/TCP/Linux }
    set src($i) [new $class]
    set sink_class Agent/TCPSink
    if {!$native || $cc eq "sack"} { append sink_class /Sack1 }
    if {$opt(ack_every) == 2} { append sink_class /DelAck }
    set sink [new $sink_class]
    $ns attach-agent $host $src($i)
    $ns attach-agent $right $sink
    $ns connect $src($i) $sink

    # One counter per flow between the router and its sink: it sees every packet
    # that left the bottleneck (retransmissions and duplicates too).
    set count($i) [new QueueMonitor]
    set snoop [new SnoopQueue/Out]
    $snoop set-monitor $count($i)
    $snoop target $sink
    [$right demux] install [$sink set agent_port_] $snoop

    set ftp [new Application/FTP]
    $ftp attach-agent $src($i)
    # `run` resets every agent, so what would be lost by that is set at the start.
    set go {}
    if {$opt(initial_ssthresh) > 0} {
        append go "$src($i) set ssthresh_ $opt(initial_ssthresh); "
    }
    if {!$native} {
        append go "$src($i) select_ca [regsub {^linux-} $cc {}]; "
    }
    $ns at $start "$go$ftp start"
    incr i
}
# CUBIC 2.1 adds at most this many packets per 100 ms (16 unless set).
if {$opt(cubic_clamp) > 0} {
    $src(0) set_ca_default_param cubic max_increment [expr {int($opt(cubic_clamp))}]
}
if {$opt(cubic_beta) > 0} {
    $src(0) set_ca_default_param cubic beta [expr {int($opt(cubic_beta))}]
}

# ---- measurement ---------------------------------------------------------------
# Window and threshold of the first flow every `sample` seconds, from time 0 on.
proc sample {} {
    global opt ns src windows thresholds
    lappend windows [format %.6g [$src(0) set cwnd_]]
    lappend thresholds [format %.6g [$src(0) set ssthresh_]]
    $ns after $opt(sample) sample
}
set windows {}
set thresholds {}
if {$opt(sample) > 0} { $ns at 0 sample }

# Packets, not bytes: read from Tcl, ns-2's byte counters wrap at 32 bits, which
# takes a minute or two at these rates. finish checks that packets were WIRE bytes.
proc snapshot {name} {
    global count drops mark waiting opt ns
    foreach i [array names count] {
        set mark($name,$i) [$count($i) set pdepartures_]
    }
    foreach hop [array names drops] {
        set mark($name,drops,$hop) [$drops($hop) set pdrops_]
        if {$opt(queue)} {
            set one $waiting($hop)
            set late [expr {[$ns now] - [$one set lastx_]}]
            set mark($name,area,$hop) [expr {[$one set sum_] + $late * [$one set lasty_]}]
        }
    }
}

proc finish {} {
    global opt flows src count drops mark windows thresholds WIRE
    set span [expr {$opt(measure_to) - $opt(measure_from)}]
    set rows {}
    set packets 0
    for {set hop 0} {$hop < $opt(hops)} {incr hop} { set used($hop) 0.0 }
    set i 0
    foreach flow $flows {
        foreach {cc rtt start from to} $flow break
        set mbps [expr {8e-6 * $WIRE * ($mark(to,$i) - $mark(from,$i)) / $span}]
        for {set hop $from} {$hop < $to} {incr hop} { set used($hop) [expr {$used($hop) + $mbps}] }
        set left_count [expr {int([$count($i) set pdepartures_])}]
        set left_bytes [expr {int([$count($i) set bdepartures_])}]
        # ns-2 puts no headers on packet 0 of a flow, so it alone is 50 bytes short.
        set short [expr {($WIRE * $left_count - $left_bytes) % (1 << 32)}]
        if {$short % ($WIRE - [Agent/TCP set packetSize_]) != 0 || $short > 500} {
            fail "flow $i: packets were not $WIRE bytes"
        }
        set packets [expr {$packets + $left_count * ($to - $from)}]
        lappend rows [format {{"cc": "%s", "rtt_ms": %s, "start_s": %s,\
            "throughput_mbps": %.6f, "retransmits": %d, "timeouts": %d,\
            "sent": %d}} $cc $rtt $start $mbps \
            [$src($i) set nrexmitpack_] [$src($i) set nrexmit_] \
            [$src($i) set ndatapack_]]
        incr i
    }
    set links {}
    for {set hop 0} {$hop < $opt(hops)} {incr hop} {
        set mean null
        if {$opt(queue)} {
            set mean [format %.3f [expr {($mark(to,area,$hop) - $mark(from,area,$hop)) / $span}]]
        }
        lappend links [format {{"utilization": %.6f, "drops": %.0f, "drops_total": %.0f, "queue_mean": %s}} \
            [expr {$used($hop) / $opt(rate)}] [expr {$mark(to,drops,$hop) - $mark(from,drops,$hop)}] \
            [$drops($hop) set pdrops_] $mean]
    }
    puts [format {{"flows": [%s], "cwnd": [%s], "ssthresh": [%s], "links": [%s], "packets": %d}} \
        [join $rows {, }] [join $windows {, }] [join $thresholds {, }] [join $links {, }] $packets]
    exit 0
}

$ns at $opt(measure_from) "snapshot from"
$ns at $opt(measure_to) "snapshot to"
$ns at $opt(duration) "finish"
$ns run
