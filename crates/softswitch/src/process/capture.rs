//! Capture of frames and their events in a pcapng file.
//!
//! The loop puts records into a bounded channel; a thread writes them. A disk that is too slow loses records,
//! which are counted, and never frames. The file is complete whenever no record waits, and when the capture
//! ends.

use super::clock::Clock;
use super::files;
use super::log::Log;
use crate::machine::{FrameAction, FrameEvent};
use crate::setup::PortSetup;
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption, InterfaceTsResolution,
};
use pcap_file::pcapng::blocks::opt_common::CommonOption;
use sidestep_switch::{Changes, Event, Sink};
use sidestep_types::PortId;
use std::borrow::Cow;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Most records waiting for the disk: 12 MB of full frames.
const WAITING: usize = 8192;

/// Frame and its event.
#[derive(Clone, Debug)]
pub struct Record {
    /// Nanoseconds since 1970.
    pub at_ns: u64,
    /// Interface block: the ingress port, or, for frames that the switch made or already held, the one after
    /// the last, "switch".
    pub port: u32,
    /// Bytes of the frame.
    pub frame: Box<[u8]>,
    /// Description of the event.
    pub comment: String,
}

/// Capture with an open file, not yet writing records.
pub struct Prepared {
    writer: Writer,
    name: String,
}

type Writer = PcapNgWriter<BufWriter<File>>;

/// Running capture. Dropping it waits until the file is complete.
pub struct Capture {
    queue: Option<SyncSender<Record>>,
    writer: Option<JoinHandle<()>>,
    drops_only: bool,
    counts: Arc<[AtomicU64; 2]>,
}

/// Number of records kept and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records written, or waiting to be.
    pub kept: u64,
    /// Records lost because the disk was too slow.
    pub lost: u64,
}

impl Prepared {
    /// Opens the file and writes an interface block for each of `ports`, in their order. An existing file of
    /// this user is replaced, or is an error if `new` is set: [`super::files`].
    pub fn open(path: &Path, new: bool, ports: &[PortSetup]) -> Result<Prepared, String> {
        let name = path.display().to_string();
        let say = |e: &dyn Display| format!("capture {name}: {e}");
        let file = if new {
            files::create(path)
        } else {
            files::replace(path)
        };
        let file = file.map_err(|e| say(&e))?;
        let mut writer = PcapNgWriter::new(BufWriter::new(file)).map_err(|e| say(&e))?;
        for port in ports.iter().map(|p| p.name.as_str()).chain(["switch"]) {
            let mut block = InterfaceDescriptionBlock::new(DataLink::ETHERNET, 0);
            block.options = vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(port)),
                InterfaceDescriptionOption::IfTsResol(InterfaceTsResolution::NANO),
            ];
            writer.write_pcapng_block(block).map_err(|e| say(&e))?;
        }
        writer.get_mut().flush().map_err(|e| say(&e))?;
        Ok(Prepared { writer, name })
    }

    /// Starts the thread that writes.
    ///
    /// With `drops_only`, only drops, refusals, detours and trims are kept.
    pub fn start(mut self, drops_only: bool, log: Log) -> Result<Capture, String> {
        let (sender, receiver) = sync_channel(WAITING);
        let work = move || {
            if let Err(e) = write_all(&mut self.writer, &receiver) {
                log.say(format!("capture {}: {e}; it ends here", self.name));
            }
        };
        let writer = (std::thread::Builder::new().name("capture".into()))
            .spawn(work)
            .map_err(|e| format!("capture: cannot start a thread: {e}"))?;
        Ok(Capture {
            queue: Some(sender),
            writer: Some(writer),
            drops_only,
            counts: Arc::default(),
        })
    }
}

impl Capture {
    /// Keeps a record, or counts it as lost. Never waits.
    fn keep(queue: &SyncSender<Record>, counts: &[AtomicU64; 2], record: Record) {
        let lost = usize::from(queue.try_send(record).is_err());
        counts[lost].fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the observer of the switch's frames. `clock` is the switch's clock, `ports` the names of its
    /// ports.
    pub fn watcher(
        &self,
        clock: Clock,
        ports: &[String],
    ) -> impl for<'a> Sink<FrameEvent<'a>> + Send + use<> {
        let (queue, counts) = (self.queue.clone(), Arc::clone(&self.counts));
        let (drops_only, day_ns, ports) = (self.drops_only, clock.day_ns(), ports.to_vec());
        move |event: &FrameEvent<'_>| {
            let plain = match event.what {
                // Frames that are only marked count as plain.
                FrameAction::Switched(Event::Enqueue(joined) | Event::Move(joined)) => {
                    !joined.detoured() && joined.changes.and(Changes::MARKED) == Changes::MARKED
                }
                FrameAction::Answered => true,
                // The event of its arrival has been recorded.
                FrameAction::Left { .. } => return,
                _ => false,
            };
            let Some(queue) = queue.as_ref().filter(|_| !(drops_only && plain)) else {
                return;
            };
            let record = Record {
                at_ns: day_ns + event.at.as_ns(),
                port: event.from.map_or(ports.len(), PortId::index) as u32,
                frame: event.frame.into(),
                comment: comment(event.what, &ports),
            };
            Capture::keep(queue, &counts, record);
        }
    }

    /// Returns the number of records kept and lost so far.
    pub fn counts(&self) -> Counts {
        let [kept, lost] = &*self.counts;
        Counts {
            kept: kept.load(Ordering::Relaxed),
            lost: lost.load(Ordering::Relaxed),
        }
    }

    /// Ends the capture: the returned thread completes the file, and the caller may wait for it.
    pub fn finish(mut self) -> Option<JoinHandle<()>> {
        self.queue = None;
        self.writer.take()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Describes an event, as in "detoured from h0 to up1, 12 ahead, marked".
fn comment(what: FrameAction, ports: &[String]) -> String {
    let name = |port: PortId| ports.get(port.index()).map_or("?", String::as_str);
    match what {
        FrameAction::Switched(Event::Enqueue(joined) | Event::Move(joined)) => {
            let (wanted, port) = (name(joined.wanted), name(joined.port));
            let how = match joined.detoured() {
                true => format!("detoured from {wanted} to {port}"),
                false => format!("queued on {port}"),
            };
            let ahead = format!("{how}, {} ahead", joined.ahead.packets);
            let words = joined.changes.words();
            words.fold(ahead, |text, word| text + ", " + word)
        }
        FrameAction::Switched(Event::Drop { port, reason }) => {
            format!("dropped at {}: {}", name(port), reason.name())
        }
        FrameAction::Switched(Event::Evict { port, reason }) => {
            format!("waited at {}, dropped: {}", name(port), reason.name())
        }
        FrameAction::Refused(why) => format!("dropped: {}", why.name()),
        FrameAction::Left { port, .. } => format!("left {}", name(port)),
        FrameAction::Answered => "answered by the switch".into(),
    }
}

fn write_all(writer: &mut Writer, records: &Receiver<Record>) -> io::Result<()> {
    loop {
        let record = match records.try_recv() {
            Ok(record) => record,
            Err(_) => {
                // The queue is empty: make the records so far readable in the file.
                writer.get_mut().flush()?;
                match records.recv() {
                    Ok(record) => record,
                    Err(_) => return writer.get_mut().flush(),
                }
            }
        };
        let block = EnhancedPacketBlock {
            interface_id: record.port,
            timestamp: Duration::from_nanos(record.at_ns),
            original_len: record.frame.len() as u32,
            data: Cow::Borrowed(&record.frame),
            options: vec![EnhancedPacketOption::Common(CommonOption::Comment(
                Cow::Borrowed(&record.comment),
            ))],
        };
        (writer.write_pcapng_block(block)).map_err(io::Error::other)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcapng::PcapNgReader;
    use pcap_file::pcapng::blocks::block_common::Block;
    use sidestep_switch::DropReason;
    use sidestep_types::Time;

    #[test]
    fn a_capture_reads_back_with_its_ports_times_and_comments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pcapng");
        let config = "[switch]\n[[port]]\ninterface = \"h0\"\nrate = \"1 Gbps\"\n[[port]]\ninterface = \"up0\"\nrate = \"1 Gbps\"\n";
        let ports = crate::setup::Setup::read("x", config).unwrap().ports;
        let prepared = Prepared::open(&path, true, &ports).unwrap();
        let capture = prepared.start(false, Log::new("t")).unwrap();
        let names = ["h0".to_string(), "up0".to_string()];
        let clock = Clock::start();
        let mut watcher = capture.watcher(clock, &names);
        let event = |what| FrameEvent {
            at: Time::from_ns(123),
            from: Some(PortId(1)),
            frame: &[7; 61],
            what,
        };
        let (port, reason) = (PortId(0), DropReason::Full);
        let dropped = Event::Drop { port, reason };
        watcher.observe(&event(FrameAction::Switched(dropped)));
        drop(watcher);
        assert_eq!(capture.counts(), Counts { kept: 1, lost: 0 });
        drop(capture);
        let mut reader = PcapNgReader::new(File::open(&path).unwrap()).unwrap();
        let mut seen = Vec::new();
        while let Some(block) = reader.next_block() {
            if let (Block::EnhancedPacket(packet), _) = block.unwrap() {
                seen.push((
                    packet.timestamp.as_nanos() as u64,
                    packet.data.len(),
                    packet.options.len(),
                ));
                assert_eq!(packet.interface_id, 1);
                assert!(format!("{:?}", packet.options).contains("dropped at h0: full"));
            }
        }
        let at = clock.day_ns() + 123;
        assert_eq!(seen.len(), 1);
        assert!(seen[0].0.abs_diff(at) < 1_000_000, "{seen:?}, {at}");
        assert_eq!((seen[0].1, seen[0].2), (61, 1));
        let again = Prepared::open(&path, true, &ports).err().unwrap();
        assert!(again.contains("exists"), "{again}");
    }
}
