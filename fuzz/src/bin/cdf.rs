//! Fuzzes a flow-size distribution with any text: it is refused, or obeys the laws of a distribution.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sidestep_sim::{Interpolation, SizeCdf};

fuzz_target!(|text: &str| {
    let Ok(cdf) = SizeCdf::parse("fuzz.csv", text) else {
        return;
    };
    for rule in [Interpolation::Linear, Interpolation::Step] {
        quantiles_rise(&cdf, rule);
        shares_rise(&cdf, rule);
        let mean = cdf.mean(rule);
        assert!(mean.is_finite() && mean >= 0.0, "mean {mean}");
        let packets = cdf.mean_packets(rule, 1460);
        assert!(
            packets.is_finite() && packets * 1460.0 >= mean * 0.999,
            "{packets} packets"
        );
    }
    let (even, upper) = (
        cdf.mean(Interpolation::Linear),
        cdf.mean(Interpolation::Step),
    );
    assert!(
        even <= upper * 1.000_001,
        "the linear mean {even} is above the step mean {upper}"
    );
});

fn quantiles_rise(cdf: &SizeCdf, rule: Interpolation) {
    let draws = [
        0.0,
        1e-300,
        1e-9,
        0.25,
        0.5,
        0.75,
        0.999_999,
        1.0 - f64::EPSILON / 2.0,
    ];
    let mut before = 1;
    for u in draws {
        let size = cdf.quantile(u, rule);
        assert!(size >= before, "{size} at {u} is below {before}");
        before = size;
    }
}

fn shares_rise(cdf: &SizeCdf, rule: Interpolation) {
    let mut before = 0.0;
    for power in 0..=54 {
        let share = cdf.share_below(1 << power, rule);
        assert!(
            (before..=1.0).contains(&share),
            "{share} after {before} at 2^{power}"
        );
        before = share;
    }
    assert_eq!(before, 1.0, "every flow is below 2^54 bytes");
}
