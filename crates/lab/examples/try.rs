use sidestep_lab::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let s = match Scenario::read(&a[1], &text, &a[2..], &sidestep_sim::NoFiles) {
        Ok(s) => s,
        Err(p) => {
            for p in p {
                println!("{p}");
            }
            return;
        }
    };
    for w in s.warnings() {
        println!("warning {w}");
    }
    for i in 0..s.schemes.len() {
        let mut short = vec![];
        let mut q = vec![];
        let mut tot = sidestep_sim::Totals::default();
        let t = std::time::Instant::now();
        let mut cls = vec![];
        for &seed in &s.seeds {
            let r = run(&s, i, seed, Default::default(), &mut |_| Watch::Go).unwrap();
            for (f, p) in r.outcome.flows.iter().zip(&r.plan.flows) {
                if p.query.is_none() && (1000..=10_000).contains(&p.size) {
                    short.push(
                        f.finished
                            .map_or(f64::MAX, |x| (x - f.started.unwrap()).as_ms_f64()),
                    );
                }
            }
            let mut last = vec![0.0f64; r.plan.queries.len()];
            for (f, p) in r.outcome.flows.iter().zip(&r.plan.flows) {
                if let Some(k) = p.query {
                    let k = k as usize;
                    last[k] = last[k].max(
                        f.finished
                            .map_or(f64::MAX, |x| (x - r.plan.queries[k].start).as_ms_f64()),
                    );
                }
            }
            q.extend(last);
            let o = r.outcome.totals;
            tot.packet_hops += o.packet_hops;
            tot.detours += o.detours;
            tot.detoured += o.detoured;
            tot.delivered += o.delivered;
            tot.marks += o.marks;
            tot.timeouts += o.timeouts;
            for k in 0..3 {
                tot.drops[k] += o.drops[k];
            }
            cls.push(r.outcome.classes.clone());
        }
        let el = t.elapsed().as_secs_f64();
        let p = |v: &mut Vec<f64>, x: f64| {
            v.sort_by(f64::total_cmp);
            v[((v.len() as f64 * x).ceil() as usize).max(1) - 1]
        };
        println!(
            "{}: QCT p50 {:.2} p99 {:.2} n {}; short p50 {:.3} p99 {:.3} n {}; {:?} {:.2} s {:.2} M/s",
            s.schemes[i].name,
            p(&mut q, 0.5),
            p(&mut q, 0.99),
            q.len(),
            p(&mut short, 0.5),
            p(&mut short, 0.99),
            short.len(),
            tot,
            el,
            tot.packet_hops as f64 / el / 1e6
        );
        println!("   {:?}", cls[0]);
    }
}
