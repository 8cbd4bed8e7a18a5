//! Run that its caller advances step by step, to show it in progress or to inspect its state.
//!
//! **Decision**     when the run is over: at the instant at which every finite flow has been delivered, or at
//!                  `duration + drain`; with endless flows or a closed loop not before `duration`. The end of
//!                  such a run is checked only at *marks*, which divide the run into thousandths, so that the
//!                  outcome does not depend on where the caller stops.
//! **State**        the world, its probes, the next mark.
//! **Units**        simulated time in picoseconds.
//! **Errors**       when the session is made: a refusal of the simulator; later: a failing policy of the
//!                  caller, which ends the run ([`Session::run_with_policies_until`]).

use crate::caller::{CallerPolicies, Failure};
use crate::count_sources::CountSources;
use crate::fair;
use crate::probe::Prober;
use crate::recording::{self, RecordSpec, RecordingInProgress};
use crate::run::{Progress, Run};
use crate::running::Running;
use crate::scenario::Scenario;
use crate::warnings;
use serde::{Deserialize, Serialize};
use sidestep_sim::agenda::{Agenda, WheelAgenda};
use sidestep_sim::parts::{Crew, Cut, Parts};
use sidestep_sim::record::Recorded;
use sidestep_sim::why::Explained;
use sidestep_sim::{Network, TraceFilter, TrafficPlan, World};
use sidestep_switch::Depth;
use sidestep_types::{Framing, Seed, Time};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Run that its caller advances. It borrows nothing, so it can be stored and moved.
///
/// ```
/// use sidestep_lab::{Scenario, Session};
/// use sidestep_sim::{NoFiles, TraceFilter};
/// use sidestep_types::Time;
///
/// let text = "duration = \"1 ms\"\nschemes = [\"dibs\"]\n\
///     [topology]\nkind = \"fat_tree\"\nk = 4\n\
///     [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";
/// let scenario = Scenario::read("t.toml", text, &[], &NoFiles).unwrap();
///
/// let mut session: Session = Session::new(&scenario, 0, 1, TraceFilter::None)?;
/// session.run_until(Time::from_us(500));
/// let waiting: u32 = session.queues().iter().map(|depth| depth.packets).sum();
/// assert!(waiting > 0 && !session.is_over());
///
/// session.run_until(Time::MAX);
/// let run = session.finish();
/// assert!(run.outcome.flows.iter().all(|flow| flow.finished.is_some()));
/// # Ok::<(), String>(())
/// ```
pub struct Session<A: Agenda = WheelAgenda> {
    world: Running<A>,
    prober: Prober,
    scheme: String,
    /// Index of the scheme in its scenario.
    number: usize,
    seed: u64,
    /// Recording of the run, if it is recorded.
    tape: Option<RecordingInProgress>,
    plan: Arc<TrafficPlan>,
    network: Arc<Network>,
    framing: Framing,
    mss: u32,
    duration: Time,
    horizon: Time,
    /// Flows that the run does not wait for.
    unawaited: u64,
    /// Simulated time up to which all events have been processed.
    now: Time,
    /// Next mark: end of the current thousandth of the run, or `duration`.
    mark: Time,
    over: bool,
    /// Packet-hops at the last count for [`Session::glance`].
    hops: u64,
    /// Number of glances until the next count.
    glances: usize,
}

/// Maximum number of links that a [`Session::glance`] queries on average: a thousand glances cost less than a
/// hundredth of a second.
const LINKS_A_GLANCE: usize = 2048;

/// State of a session, borrowed to be written. [`Saved`] has the same fields in the same order.
#[derive(Serialize)]
struct View<'a, W> {
    now: Time,
    mark: Time,
    over: bool,
    prober: crate::probe::View<'a>,
    world: W,
}

/// State of a session, read from a checkpoint. [`Session::go_on`] continues the run from it.
#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Agenda"))]
pub struct Saved<A: Agenda = WheelAgenda> {
    now: Time,
    mark: Time,
    over: bool,
    prober: crate::probe::Saved,
    world: sidestep_sim::Saved<A>,
}

impl<A: Agenda> Session<A> {
    /// Returns the state of the run, to be written to a checkpoint. [`Saved`] is read from these bytes.
    ///
    /// Errors give the reason of [`Session::cannot_be_kept`].
    pub fn state(&self) -> Result<impl Serialize, String> {
        self.cannot_be_kept().map_or(Ok(()), Err)?;
        Ok(View {
            now: self.now,
            mark: self.mark,
            over: self.over,
            prober: self.prober.state(),
            world: self.world.whole("a checkpoint").state()?,
        })
    }

    /// Returns the reason why the state of this run cannot be saved: the run is recorded, uses policies of the
    /// caller, or is split into parts. `None` if it can be saved.
    pub fn cannot_be_kept(&self) -> Option<String> {
        let recorded = self
            .tape
            .is_some()
            .then(|| "the run is recorded".to_string());
        recorded.or_else(|| match &self.world {
            Running::Whole(world) => world.cannot_be_kept(),
            Running::Cut(_) => Some("the run is split into parts".to_string()),
        })
    }

    /// Continues this session, which has not begun, from the saved state of the same run. Errors name a
    /// mismatch.
    pub fn go_on(mut self, saved: Saved<A>) -> Result<Session<A>, String> {
        let before = saved.now <= saved.mark && saved.mark <= self.horizon;
        if !before {
            let (now, mark, horizon) = (saved.now, saved.mark, self.horizon);
            return Err(format!(
                "its times contradict each other: now {now}, next {mark}, end {horizon}"
            ));
        }
        self.world = match self.world {
            Running::Whole(world) => Running::Whole(Box::new(world.go_on(saved.world)?)),
            Running::Cut(_) => {
                return Err("a run in parts cannot continue from a checkpoint".into());
            }
        };
        self.prober.go_on(saved.prober)?;
        (self.now, self.mark, self.over) = (saved.now, saved.mark, saved.over);
        Ok(self)
    }

    /// Prepares a run of scheme number `scheme` of the scenario with `seed`, before its first event.
    ///
    /// Errors report what the simulator refused. Panics when the scenario has no such scheme.
    pub fn new(
        scenario: &Scenario,
        scheme: usize,
        seed: u64,
        trace: TraceFilter,
    ) -> Result<Session<A>, String> {
        let number = scheme;
        let scheme = &scenario.schemes[scheme];
        let plan = Arc::new(scenario.plan_of(number, seed)?);
        let config = scheme.config.world(&plan, Seed(seed), trace);
        let network = &scenario.network;
        let mut world: World<A> = World::new(network, Arc::clone(&plan), config)?;
        if let Some(own) = &scheme.own {
            own.put(&mut world, network, (&scheme.name, seed))?;
        }
        if let Some(watching) = scenario.probe.watching(&plan) {
            world.watch(watching);
        }
        let world = Running::Whole(Box::new(world));
        Ok(Session::of(scenario, (number, seed), plan, world))
    }

    /// Prepares the run that [`Session::new`] prepares, split into the parts of `cut`, which `crew` executes.
    ///
    /// Errors report what the simulator refused. Panics when the scenario has no such scheme, and when
    /// [`crate::cut::refused`] gives a reason against a cut.
    pub fn cut(
        scenario: &Scenario,
        (number, seed): (usize, u64),
        cut: &Arc<Cut>,
        crew: Box<dyn Crew>,
    ) -> Result<Session<A>, String> {
        let refused = crate::cut::refused(scenario, number, &TraceFilter::None);
        assert!(refused.is_none(), "{refused:?}");
        let plan = Arc::new(scenario.plan_of(number, seed)?);
        let config = &scenario.schemes[number].config;
        let config = config.world(&plan, Seed(seed), TraceFilter::None);
        let parts = Parts::new(&scenario.network, &plan, &config, cut, crew)?;
        let world = Running::Cut(Box::new(parts));
        Ok(Session::of(scenario, (number, seed), plan, world))
    }

    /// Creates the session of a world that has not begun.
    fn of(
        scenario: &Scenario,
        (number, seed): (usize, u64),
        plan: Arc<TrafficPlan>,
        world: Running<A>,
    ) -> Session<A> {
        let scheme = &scenario.schemes[number];
        let network = Arc::clone(&scenario.network);
        let probe = scenario.probe.clone();
        let config = &scheme.config;
        let capacity = |number| config.others.kind(&config.switch, number).capacity;
        let capacities = (0..network.switches.len()).map(capacity).collect();
        let draws = probe.fair;
        let mut prober = Prober::new(
            probe,
            Arc::clone(&network),
            &plan,
            capacities,
            scenario.duration,
        );
        if draws > 0 {
            prober.fair(&fair::shares(&network, &plan, config, draws, seed));
        }
        let horizon = scenario.duration.saturating_add(scenario.drain);
        let mut session = Session {
            world,
            prober,
            scheme: scheme.name.clone(),
            number,
            seed,
            tape: None,
            unawaited: plan.unawaited(),
            plan,
            network,
            framing: config.framing,
            mss: config.transport.mss(),
            duration: scenario.duration,
            horizon,
            now: Time::ZERO,
            mark: Time::ZERO,
            over: horizon == Time::ZERO,
            hops: 0,
            glances: 0,
        };
        session.mark = session.next_mark();
        session
    }

    /// Returns the next mark: a thousandth of the run later, or `duration` if that comes first, since endless flows
    /// run until then.
    fn next_mark(&self) -> Time {
        let step = Time::from_ps((self.horizon.ps() / 1000).max(1));
        let next = self.mark.saturating_add(step).min(self.horizon);
        let passes = self.mark < self.duration && self.duration < next;
        if passes { self.duration } else { next }
    }

    /// Runs until `until`, or until the run is over. Returns true if it is over. Does nothing if `until` has
    /// passed.
    pub fn run_until(&mut self, until: Time) -> bool {
        while !self.over && self.now < until {
            let limit = self.mark.min(until);
            let delivered = self.run_and_look(limit);
            self.now = limit;
            if delivered {
                self.over = true;
            } else if limit == self.mark {
                let left = self.world.unfinished() - self.unawaited;
                let done = left == 0 && limit >= self.duration;
                self.over = done || limit == self.horizon;
                self.mark = self.next_mark();
            }
        }
        self.over
    }

    /// Runs as [`Session::run_until`] does, for a scheme with policies of the caller, `own`. Returns a failure if
    /// one of these policies ends the run.
    pub fn run_with_policies_until(
        &mut self,
        own: &CallerPolicies,
        until: Time,
    ) -> Result<bool, Box<Failure>> {
        let ran = catch_unwind(AssertUnwindSafe(|| self.run_until(until)));
        ran.map_err(|payload| {
            let about = (&*self.scheme, self.seed);
            Box::new(own.failure(
                &*payload,
                about,
                self.world.now(),
                self.world.whole("an own policy").deciding(),
            ))
        })
    }

    /// Steps as [`Session::step`] does, for a scheme with policies of the caller, `own`.
    pub(crate) fn step_with_policies(
        &mut self,
        own: &CallerPolicies,
    ) -> Result<bool, Box<Failure>> {
        self.run_with_policies_until(own, self.mark)
    }

    /// Runs to the next mark, at most a thousandth of the run. Returns true if the run is over.
    pub fn step(&mut self) -> bool {
        self.run_until(self.mark)
    }

    /// Runs until `limit`; whenever a probe is due, lets the prober look at the world. Returns true if everything is
    /// delivered.
    fn run_and_look(&mut self, limit: Time) -> bool {
        while self.prober.due() <= limit {
            let due = self.prober.due();
            if self.run_world(due) {
                return true;
            }
            self.prober.look(&mut self.world, due);
        }
        self.run_world(limit)
    }

    /// Runs the world until `limit`, and begins and ends the recording on the way. Returns true if everything is
    /// delivered.
    fn run_world(&mut self, limit: Time) -> bool {
        while let Some(tape) = &mut self.tape {
            let Some(due) = tape.due().filter(|due| *due <= limit) else {
                break;
            };
            // A recording from time zero begins before the first event.
            if (tape.from > Time::ZERO || tape.has_begun()) && self.world.run_until(due) {
                return true;
            }
            match tape.begin() {
                Some(recording) => self.world.whole_mut("a recording").record(recording),
                None => {
                    tape.ended = true;
                    self.world.whole_mut("a recording").end_recording(tape.to);
                }
            }
        }
        self.world.run_until(limit)
    }

    /// Records the run, whose scenario is `scenario`, in the window and the form that `spec` gives. Costs time, does
    /// not affect the outcome.
    ///
    /// Panics if the run has begun.
    pub fn record(&mut self, scenario: &Scenario, spec: &RecordSpec) {
        assert!(self.now == Time::ZERO, "a run is recorded from its start");
        let tape = RecordingInProgress::new(scenario, self.number, self.seed, &self.plan, spec);
        self.tape = Some(tape);
    }

    /// Ends the recording at the current time. Returns the recording, or the reason why nothing was recorded; `None`
    /// if the run is not recorded.
    fn end_recording(&mut self) -> Option<Result<Recorded, String>> {
        let tape = self.tape.as_ref()?;
        if !tape.has_begun() {
            let (from, now) = (tape.from, self.world.now());
            return Some(Err(format!(
                "record: nothing was recorded, since the window begins at {from} and the run ended \
                 at {now}"
            )));
        }
        if !tape.ended {
            let now = self.now.saturating_add(Time::from_ps(1));
            self.world
                .whole_mut("a recording")
                .end_recording(tape.to.min(now));
        }
        self.world.whole_mut("a recording").recorded().map(Ok)
    }

    /// Returns the next mark: the simulated time at which [`Session::step`] stops.
    pub fn next_step(&self) -> Time {
        self.mark
    }

    /// Returns true if the run is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Remembers the packet that a switch is deciding about: see [`World::remember_deciding`].
    pub(crate) fn remember_deciding(&mut self) {
        self.world.whole_mut("an account").remember_deciding();
    }

    /// Starts an account that explains each decision about packet `number`: see [`World::explain`].
    pub fn explain(&mut self, number: u64) {
        self.world
            .whole_mut("an account")
            .explain(&self.network, number);
    }

    /// Returns the account up to the current time.
    pub fn explained(&mut self) -> Option<Explained> {
        self.world.whole_mut("an account").explained()
    }

    /// Returns the simulated time up to which all events have been processed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> Progress {
        self.progress_with(self.world.packet_hops())
    }

    /// Returns the progress at low cost, for frequent calls. In a large network the packet-hops are those of an
    /// earlier call, since a count queries every link.
    pub fn glance(&mut self) -> Progress {
        if self.glances == 0 {
            self.hops = self.world.packet_hops();
            self.glances = 1 + 2 * self.network.cables.len() / LINKS_A_GLANCE;
        }
        self.glances -= 1;
        self.progress_with(self.hops)
    }

    fn progress_with(&self, packet_hops: u64) -> Progress {
        let total = self.plan.flows.len() as u64 - self.unawaited;
        let left = self.world.unfinished() - self.unawaited;
        Progress {
            now: self.now,
            horizon: self.horizon,
            flows_done: total - left,
            flows_total: total,
            packet_hops,
        }
    }

    /// Returns the plan of the run.
    pub fn plan(&self) -> &Arc<TrafficPlan> {
        &self.plan
    }

    /// Returns the network.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the depth of the queue before each directed link: packets and bytes of buffer, in the
    /// order of the network's cables, `a` to `b` first.
    pub fn queues(&mut self) -> Vec<Depth> {
        let at = if self.over {
            self.world.now()
        } else {
            self.now
        };
        self.world.queue_depths(at)
    }

    /// Returns the bytes of link time that have arrived over each directed link, in the order of
    /// [`Session::queues`].
    pub fn link_bytes(&self) -> Vec<u64> {
        self.world.link_bytes()
    }

    /// Ends the run at the current time. A run that is not over counts as interrupted.
    pub fn finish(mut self) -> Run {
        let missed = self.prober.missed().filter(|_| self.over);
        let recorded = self.end_recording();
        let (outcome, watched) = self.world.finish_watched();
        let probed = self.prober.finish(watched, &outcome);
        let mut warnings = warnings::of_run(&self.network, &self.scheme, self.seed, &outcome);
        let of = |note| format!("scheme {}, seed {}: {note}", self.scheme, self.seed);
        let missed = missed.map(|(missed, all)| {
            let end = outcome.end;
            format!(
                "probe.occupancy: {missed} of {all} instants are after the end of the run at {end} \
                 and have no values"
            )
        });
        warnings.extend(probed.notes().into_iter().chain(missed).map(of));
        let recorded = recorded.and_then(|recorded| match recorded {
            Ok(recorded) => Some(recorded),
            Err(why) => {
                warnings.push(of(why));
                None
            }
        });
        let recording = (recorded.zip(self.tape.as_ref()))
            .map(|(recorded, tape)| recording::finish(recorded, tape, &self.plan, &outcome));
        Run {
            warnings,
            scheme: self.scheme,
            seed: self.seed,
            plan: self.plan,
            outcome,
            network: self.network,
            framing: self.framing,
            mss: self.mss,
            probed,
            recording,
            interrupted: !self.over,
            told: CountSources::default(),
            marks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sidestep_sim::NoFiles;

    fn read(text: &str) -> Scenario {
        let read = Scenario::read("t.toml", text, &[], &NoFiles);
        read.unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    /// Scenario with finite and endless flows and with probes: covers all ways to end and all probes.
    const MIXED: &str = "duration = \"2 ms\"\ndrain = \"20 ms\"\nschemes = [\"dibs\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n[probe]\nlinks = \"130 us\"\noccupancy = [\"1 ms\"]\n\
        [workload.all]\nkind = \"permutation\"\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"20 kB\"\n";
    const FINITE: &str = "duration = \"1 ms\"\nschemes = [\"dctcp\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.query]\nkind = \"incast\"\ndegree = 15\nsize = \"40 kB\"\n";

    fn session(text: &str) -> Session {
        Session::new(&read(text), 0, 1, TraceFilter::None).unwrap()
    }

    #[test]
    fn the_outcome_is_the_same_however_a_run_is_stepped() {
        for text in [MIXED, FINITE, LOOP] {
            let mut whole = session(text);
            assert!(whole.run_until(Time::MAX));
            let whole = whole.finish();
            let mut by_thousandths = session(text);
            while !by_thousandths.step() {}
            let mut by_odd_steps = session(text);
            let mut at = Time::ZERO;
            while !by_odd_steps.run_until(at) {
                at += Time::from_ps(17_171_717);
                by_odd_steps.queues();
            }
            for other in [by_thousandths.finish(), by_odd_steps.finish()] {
                assert_eq!(other.outcome, whole.outcome);
                assert_eq!(other.probed, whole.probed);
                assert!(!other.interrupted);
            }
        }
    }

    #[test]
    fn a_session_that_is_left_early_is_interrupted_and_the_past_does_nothing() {
        let mut early = session(FINITE);
        assert!(!early.run_until(Time::from_us(300)));
        assert!(!early.run_until(Time::from_us(100)));
        assert_eq!(early.progress().now, Time::from_us(300));
        assert!(early.finish().interrupted);
    }

    #[test]
    fn a_glance_counts_hops_at_every_step_of_a_small_network_and_now_and_then_of_a_large_one() {
        let steps = |k: &str, every: usize| {
            let text = MIXED
                .replace("k = 4", k)
                .replace("links = \"130 us\"\n", "");
            let mut run = session(&text);
            for step in 0..50 {
                run.step();
                let (now, seen) = (run.progress(), run.glance());
                let counted = step % every == 0;
                assert_eq!(seen == now, counted, "{k}, step {step}: {seen:?}, {now:?}");
                assert!(seen.packet_hops <= now.packet_hops && seen.now == now.now);
            }
        };
        steps("k = 4", 1);
        steps("k = 16", 4);
    }

    /// The world itself would continue: its endless flows have more to send.
    #[test]
    fn endless_flows_last_until_the_end_of_the_window_and_no_longer() {
        let mut over = session(&MIXED.replace("20 kB", "2 kB"));
        over.run_until(Time::MAX);
        let ended = over.progress();
        assert_eq!((ended.now, ended.flows_done), (Time::from_ms(2), 15));
        assert!(over.run_until(Time::MAX) && over.step());
        assert_eq!(over.progress().packet_hops, ended.packet_hops);
    }

    const LOOP: &str = "duration = \"2 ms\"\ndrain = \"20 ms\"\nschemes = [\"dibs\"]\n\
        [topology]\nkind = \"fat_tree\"\nk = 4\n\
        [workload.loop]\nkind = \"replace\"\nactive = 20\ncdf = \"off\"\nsize = \"20 kB\"\n";

    #[test]
    fn a_closed_loop_ends_with_its_window() {
        let mut over = session(LOOP);
        over.run_until(Time::MAX);
        let ended = over.progress();
        assert_eq!((ended.now, ended.flows_total), (Time::from_ms(2), 0));
        let run = over.finish();
        assert!(!run.interrupted);
        let flows: Vec<_> = run.outcome.flows_of(&run.plan).collect();
        let under_way = flows.iter().filter(|(.., seen)| seen.finished.is_none());
        assert_eq!(under_way.count(), 20);
        assert!(flows.len() > 60 && flows.len() < run.plan.flows.len() / 2);
    }

    /// No flow of the loop starts in the drain, and flows in progress continue.
    #[test]
    fn a_run_goes_on_for_others_beside_a_loop_and_starts_none_of_it() {
        let burst = "[workload.burst]\nkind = \"incast\"\ndegree = 15\nsize = \"50 kB\"\n";
        let mut over = session(&format!("{LOOP}{burst}"));
        over.run_until(Time::from_ms(2));
        let at_end = over.progress();
        assert_eq!(at_end.flows_total, 15);
        assert!(at_end.flows_done < 15, "{at_end:?}");
        over.run_until(Time::MAX);
        assert!(over.progress().now > Time::from_ms(2) && over.progress().flows_done == 15);
        let run = over.finish();
        let starts = run.outcome.flows.iter().filter_map(|seen| seen.started);
        assert!(starts.max() < Some(Time::from_ms(2)));
        let late = run
            .outcome
            .flows_of(&run.plan)
            .filter_map(|(.., seen)| seen.finished);
        assert!(late.filter(|at| *at > Time::from_ms(2)).count() > 15 - at_end.flows_done as usize);
    }

    #[test]
    fn instants_after_the_end_are_said() {
        let probed = format!("{FINITE}[probe]\noccupancy = [\"500 us\", \"900 ms\", \"950 ms\"]\n");
        let mut over = session(&probed);
        over.run_until(Time::MAX);
        let run = over.finish();
        let said = format!(
            "scheme dctcp, seed 1: probe.occupancy: 2 of 3 instants are after the end of the run \
             at {} and have no values",
            run.outcome.end
        );
        assert_eq!(run.warnings, [said]);
        let early = session(&probed).finish();
        assert_eq!(early.warnings, [""; 0], "nobody knows");
    }

    #[test]
    fn a_run_that_is_over_shows_the_queues_of_its_last_instant() {
        let mut over = session(FINITE);
        over.run_until(Time::MAX);
        let queues = over.queues();
        let waiting: u32 = queues.iter().map(|depth| depth.packets).sum();
        assert_eq!(waiting, 2, "acknowledgements alone");
        assert!(queues.iter().all(|depth| depth.bytes < 100));
    }
}
