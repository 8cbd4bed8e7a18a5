//! CPU time and memory that this thread and this process have used, from the system.

/// Returns the CPU time of this thread, seconds.
#[allow(unsafe_code)]
pub fn thread_cpu_s() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one timespec, to `time`, and keeps no pointer to it.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "every thread has a CPU clock");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Resets the count of peak memory, where Linux permits it. Otherwise memory that an earlier benchmark freed
/// and the allocator still holds would be counted.
pub fn reset_peak() {
    #[allow(unsafe_code)]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: returns free memory to the system and touches no memory in use.
    unsafe {
        libc::malloc_trim(0);
    }
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Returns the peak memory in MB (10⁶ bytes), from Linux.
pub fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<f64>().ok());
    kib.map_or(0.0, |k| k * 1024.0 / 1e6)
}

/// Rounds seconds to a thousandth, as in a manifest; a clock is no more precise. Turns −0, the sum of no
/// numbers, into 0.
pub fn milli(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn work_uses_cpu_time_and_sleep_does_not() {
        let before = thread_cpu_s();
        thread::sleep(Duration::from_millis(30));
        assert!(thread_cpu_s() - before < 0.02);
        let mut x = 1u64;
        for i in 0..20_000_000u64 {
            x = std::hint::black_box(x.wrapping_mul(31).wrapping_add(i));
        }
        assert!(thread_cpu_s() > before);
    }

    #[test]
    fn no_seconds_are_no_negative_number() {
        let none: f64 = [0.0; 0].iter().sum();
        assert_eq!(
            (milli(none).to_string(), milli(1.2345)),
            ("0".into(), 1.235)
        );
    }

    /// Runs the test in a separate process: memory of other tests would be counted.
    #[test]
    fn what_was_given_back_is_no_peak() {
        let alone = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "usage::tests::given_back", "--ignored"])
            .output();
        let said = String::from_utf8(alone.unwrap().stdout).unwrap();
        // If the test were renamed, none would run, which is no failure.
        assert!(said.contains("1 passed; 0 failed"), "{said}");
    }

    #[test]
    #[ignore = "run by what_was_given_back_is_no_peak"]
    fn given_back() {
        let mut held: Vec<_> = (0..65_536).map(|i| vec![i as u8; 1024]).collect();
        let with_all = peak_mb();
        // The last block is kept until the end, so that the allocator cannot give back the memory below it by
        // itself.
        let last = held.pop();
        drop(held);
        reset_peak();
        assert!(peak_mb() < with_all - 50.0, "{} of {with_all}", peak_mb());
        drop(last);
    }
}
