// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;

fn rates(text: &str) -> Series {
    let series = Series::parse(text, &SeriesSource::default(), SeriesQuantity::Rate);
    series.unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn points(series: &Series) -> (Vec<(u64, u64)>, u64) {
    (series.points.to_vec(), series.period)
}

// Three values of half a second: 4.5, 0 and 1.2345678 Mbit/s. The last one lasts as long as the one before.
#[test]
fn a_header_names_the_columns_and_their_units() {
    let expected = (vec![(0, 4_500_000), (S / 2, 0), (S, 1_234_568)], 3 * S / 2);
    for text in [
        "time_s,rate_mbps\n0,4.5\n0.5,0\n1,1.2345678\n",
        "timestamp,bandwidth (Mbit/s)\n1700000000,4.5\n1700000000.5,0\n1700000001,1.2345678",
        "\u{feff}time (ms);throughput [kbps]\r\n100;4500\r\n600;0\r\n1100;1234.5678\r\n",
        "# from a modem\nTime_ms\tlat\tDL_bitrate_kbps\n7\t59.1\t4500\n507\t59.2\t0\n1007\t59.3\t1234.5678",
        "time (ns GMT),session_id,delivery_rate\n1700000000000000000,a,562500\n1700000000500000000,a,0\n1700000001000000000,a,154320.975",
        "seconds Mbit/s\n0 4.5\n0.5 0\n1 1.2345678",
        "rate_bps,time_s\n4500000,3\n0,3.5\n1234567.8,4\n",
    ] {
        assert_eq!(points(&rates(text)), expected, "{text:?}");
    }
}

// A rate of 3 in each unit. A byte is 8 bits.
#[test]
fn the_case_of_b_tells_bytes_from_bits() {
    let known: &[(u64, &[&str])] = &[
        (1, &["bit/s", "bits/s", "bps", "b/s", "Bit/s"]),
        (1_000, &["kbit/s", "Kbit/s", "kbps", "Kbps", "kb/s", "Kb/s", "KBITS/S"]),
        (1_000_000, &["Mbit/s", "mbit/s", "MBit/s", "mbits/sec", "Mbps", "mbps", "Mb/s", "mb/s", "mbit"]),
        (1_000_000_000, &["Gbit/s", "gbit/s", "Gbps", "gbps", "Gb/s"]),
        (8, &["B/s", "Bps", "bytes/s", "Bytes/s", "byte/s", "bytes/sec"]),
        (8_000, &["kB/s", "KB/s", "kBps", "KBps", "kbytes/s", "KBytes/s"]),
        (8_000_000, &["MB/s", "MBps", "MB/sec", "mbytes/s", "MBytes/s", "MBYTES/S"]),
        (8_000_000_000, &["GB/s", "GBps", "gbytes/s", "GBytes/s"]),
    ];
    for (factor, units) in known {
        for unit in *units {
            for header in [format!("rate_{unit}"), format!("rate ({unit})"), format!("download [{unit}]")] {
                assert_eq!(rates(&format!("time_s,{header}\n0,3\n")).first(), 3 * factor, "{header}");
            }
            assert!(is_series(&format!("{unit}\n3\n")), "{unit}");
            let source = SeriesSource { unit: Some((*unit).to_owned()), ..SeriesSource::default() };
            let given = Series::parse("3\n", &source, SeriesQuantity::Rate).expect(unit);
            assert_eq!(given.first(), 3 * factor, "unit = {unit}");
        }
    }
    let units =
        "a unit of rates: bit/s, kbit/s, Mbit/s, Gbit/s, B/s, kB/s, MB/s or GB/s (b is bits, B is bytes)";
    for unit in ["MBPS", "KBPS", "BPS", "MB/S", "B/S", "mBps", "mB/s", "gB/s", "kBPS"] {
        for header in [format!("rate_{unit}"), format!("rate ({unit})"), unit.to_owned()] {
            let text = format!("time_s,{header}\n0,3\n");
            let refused = Series::parse(&text, &SeriesSource::default(), SeriesQuantity::Rate);
            let message = refused.expect_err(&text).to_string();
            let expected =
                format!("expected the unit of \"{header}\" in its name, or unit = \"Mbit/s\", {units}");
            assert!(message.ends_with(&expected), "{message}");
            let source = SeriesSource { unit: Some("Mbit/s".to_owned()), ..SeriesSource::default() };
            assert!(Series::parse(&text, &source, SeriesQuantity::Rate).is_ok(), "{text}");
        }
        let source = SeriesSource { unit: Some(unit.to_owned()), ..SeriesSource::default() };
        let refused = Series::parse("3\n", &source, SeriesQuantity::Rate).expect_err(unit).to_string();
        assert!(refused.ends_with(&format!("{unit:?}: expected {units}")), "{refused}");
    }
    for header in ["rate (KiB/s)", "rate (MB)", "rate (B)"] {
        let text = format!("time_s,{header}\n0,3\n");
        let refused = Series::parse(&text, &SeriesSource::default(), SeriesQuantity::Rate).expect_err(header);
        assert!(refused.to_string().ends_with(units), "{refused}");
    }
}

// Two rows 1000 units apart.
#[test]
fn the_symbols_of_times_have_their_case() {
    for (unit, factor) in
        [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", MS), ("s", S), ("Sec", S), ("MSEC", MS)]
    {
        for header in [format!("time_{unit}"), format!("Time ({unit})")] {
            let series = rates(&format!("{header},rate_mbps\n0,1\n1000,2\n"));
            assert_eq!(points(&series).0, [(0, 1_000_000), (1000 * factor, 2_000_000)], "{header}");
        }
    }
    for unit in ["Ms", "MS", "mS", "NS", "Us", "S"] {
        let text = format!("time_{unit},rate_mbps\n0,1\n1000,2\n");
        let refused = Series::parse(&text, &SeriesSource::default(), SeriesQuantity::Rate)
            .expect_err(&text)
            .to_string();
        assert!(refused.ends_with("or time = \"ms\", a unit of time: ns, us, ms, s or min"), "{refused}");
        let source = SeriesSource { time: Some("ms".to_owned()), ..SeriesSource::default() };
        assert!(Series::parse(&text, &source, SeriesQuantity::Rate).is_ok(), "{text}");
        let delays = format!("time_s,rtt_{unit}\n0,1\n");
        assert!(Series::parse(&delays, &SeriesSource::default(), SeriesQuantity::Delay).is_err(), "{delays}");
    }
}

// HSDPA: 125 000 bytes in 1000 ms are 1 Mbit/s, 31 250 in 500 ms 0.5 Mbit/s; a row is written when its bytes have come.
#[test]
fn public_data_sets_are_recognised_by_their_shape() {
    let pensieve = "0.0 4.03768755221\n0.5 1.5\n";
    assert_eq!(points(&rates(pensieve)), (vec![(0, 4_037_688), (S / 2, 1_500_000)], S));
    let hsdpa =
        "1289406399 549 59.851754 10.781778 125000 1000\n1289406400 1049 59.851728 10.781778 31250 500\n";
    assert_eq!(points(&rates(hsdpa)), (vec![(0, 1_000_000), (S, 500_000)], 3 * S / 2));
    let fcc = "bytes_sec\n125000\n250000\n0\n";
    assert_eq!(points(&rates(fcc)), (vec![(0, 1_000_000), (S, 2_000_000), (2 * S, 0)], 3 * S));
    let source = SeriesSource { unit: Some("B/s".to_owned()), ..SeriesSource::default() };
    let bare = Series::parse("125000\n250000\n0\n", &source, SeriesQuantity::Rate).expect("a series");
    assert_eq!(points(&bare), points(&rates(fcc)));
    for text in [pensieve, hsdpa, fcc, "time_s,rate_mbps\n0,1\n"] {
        assert!(is_series(text), "{text:?}");
    }
    for text in ["1\n2\n3\n", "1\n", "three\n", "1.5\n", ""] {
        assert!(!is_series(text), "{text:?}");
    }
}

#[test]
fn delays_have_units_of_time() {
    for text in
        ["time_s,rtt_ms\n0,13\n0.5,15.25\n", "timestamp,delay (us)\n5,13000\n5.5,15250", "0 13\n0.5 15.25"]
    {
        let series = Series::parse(text, &SeriesSource::default(), SeriesQuantity::Delay).expect(text);
        assert_eq!(points(&series), (vec![(0, 13 * MS), (S / 2, 15_250_000)], S));
    }
}

// 4 Mbit/s for 1 s and 1 Mbit/s for 2 s are 2 Mbit/s in the mean. In 7 s there are two rounds of 3 s and a third of one.
#[test]
fn a_series_repeats_or_holds_its_last_value() {
    let text = "time_s,rate_mbps\n0,4\n1,1\n2,1\n";
    let series = rates(text);
    assert_eq!((series.first(), series.max(), series.mean()), (4_000_000, 4_000_000, 2_000_000));
    assert_eq!(
        series.in_words(),
        "series of 3 values over 3 s, mean 2 Mbit/s (columns time_s and rate_mbps; repeated)"
    );
    let mbit =
        |changes: Vec<(u64, u64)>| changes.iter().map(|c| (c.0 / S, c.1 / 1_000_000)).collect::<Vec<_>>();
    let changes = mbit(series.changes(7 * S).collect());
    assert_eq!(changes, [(1, 1), (2, 1), (3, 4), (4, 1), (5, 1), (6, 4)]);
    assert_eq!(series.steps(7 * S), 9);
    let source = SeriesSource { end: SeriesEnd::Hold, ..SeriesSource::default() };
    let held = Series::parse(text, &source, SeriesQuantity::Rate).expect("a series");
    assert_eq!(mbit(held.changes(7 * S).collect()), [(1, 1), (2, 1)]);
    assert_eq!(mbit(held.changes(2 * S).collect()), [(1, 1)]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let refused = |text: &str, source: &SeriesSource| {
        Series::parse(text, source, SeriesQuantity::Rate).expect_err(text).to_string()
    };
    let none = SeriesSource::default();
    for (text, expected) in [
        ("", "line 1: \"\": expected rows of numbers"),
        ("time_s,rate_mbps\n", "line 2: \"\": expected at least one row of numbers"),
        ("0 1\n1 x\n", "line 2: \"1 x\": expected a time and a rate, numbers of 0 or more"),
        ("0 1\n1 -2\n", "line 2: \"1 -2\": expected a time and a rate"),
        ("0 1\n1 nan\n", "line 2: \"1 nan\": expected a time and a rate"),
        ("0 1\n1\n", "line 2: \"1\": expected a time and a rate"),
        ("1 1\n0.5 1\n", "line 2: \"0.5 1\": expected a time not before that of the previous row"),
        ("0 0\n1 0\n", "line 1: \"2 rates of 0\": expected a rate above 0"),
        (
            "0 1 2\n",
            "line 1: \"0 1 2\": expected two columns, or a first line with the names of the 3 columns",
        ),
        ("0 1e30\n", "line 1: \"0 1e30\": expected a smaller value"),
        (
            "time,rate\n0,1\n",
            "line 1: \"time,rate\": expected the unit of \"rate\" in its name, or unit = \"Mbit/s\"",
        ),
        ("time,colour\n0,1\n", "expected a column of a rate with its unit, such as time_s,rate_mbps"),
        (
            "t,ul_mbps,dl_mbps\n0,1,2\n",
            "expected one column of a rate, not ul_mbps, dl_mbps; column = \"NAME\" chooses one",
        ),
        (
            "time,session_id,delivery_rate\n0,a,1\n1,b,1\n",
            "line 3: \"1,b,1\": expected the rows of one session_id",
        ),
    ] {
        let message = refused(text, &none);
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    let unit = SeriesSource { unit: Some("furlongs".to_owned()), ..none.clone() };
    assert!(refused("0 1\n", &unit).contains("\"furlongs\": expected a unit of rates: bit/s"));
    let column = SeriesSource { column: Some("dl_mbps".to_owned()), ..none };
    let chosen =
        Series::parse("t,ul_mbps,dl_mbps\n0,1,2\n", &column, SeriesQuantity::Rate).expect("a series");
    assert_eq!(points(&chosen), (vec![(0, 2_000_000)], S));
}
