//! Registries: one line makes a transport, an estimator or a word available; the macros here write the rest.
//!
//! The name is in the `ENTRY` of the registered type; TOML, the command line, the docs and the page all use it.

use sidestep_types::{About, Entry, Settings};

/// Transport that can be chosen by its name: a congestion controller of TCP, or a separate sender.
///
/// ```
/// use sidestep_transport::Transport;
/// use sidestep_types::{About, Settings, Value, Values};
///
/// /// Keeps `segments` segments in the network, whatever happens.
/// #[derive(Debug, PartialEq, Settings)]
/// struct Fixed {
///     /// window; assumed
///     #[setting(default = "10", above = 0)]
///     segments: u64,
/// }
///
/// impl Transport for Fixed {
///     type Settings = Fixed;
///     const ABOUT: About = About {
///         name: "fixed",
///         summary: "a window that never moves",
///         source: "an example",
///     };
///
///     fn takes(param: &str) -> bool {
///         param != "initial_window"
///     }
/// }
///
/// let mut values = Values::defaults(Fixed::ENTRY.params);
/// assert_eq!(Fixed::read(&values), Ok(Fixed { segments: 10 }));
/// values.set("segments", Value::Count(0));
/// assert_eq!(Fixed::read(&values).unwrap_err().params, ["segments"]);
/// ```
pub trait Transport {
    /// Settings of the transport, beside those of every TCP. A controller's settings have the fields of its
    /// registry line.
    type Settings: Settings;
    /// Name, summary and source.
    const ABOUT: About;

    /// Registry entry, with the parameters that only this transport has.
    const ENTRY: Entry = Self::ABOUT.entry::<Self::Settings>();

    /// Returns true if the transport uses the parameter of [`crate::PARAMS`] called `param`.
    fn takes(_param: &str) -> bool {
        true
    }

    /// Parameter for the initial window of a TCP; the common one unless the controller has its own.
    const INITIAL_WINDOW: &'static str = "initial_window";

    /// True if a subflow of MPTCP can use this controller.
    const SUBFLOW: bool = true;

    /// True if a TCP with this controller can detect losses by time (RFC 8985).
    const RACK: bool = true;
}

/// Writes an enum whose variants are words of a setting: its names, and an entry for each.
macro_rules! words {
    (
        $(#[$doc:meta])*
        pub enum $enum:ident {
            $(
                $(#[$variant_doc:meta])*
                $variant:ident = $name:literal, $summary:literal, $source:literal;
            )*
        }
    ) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, sidestep_types::Words,
        )]
        pub enum $enum {
            $( $(#[$variant_doc])* #[word($name)] $variant, )*
        }

        impl $enum {
            /// All variants' entries, in the order of lists.
            pub const ENTRIES: &[sidestep_types::Entry] = &[
                $( sidestep_types::Entry {
                    name: $name,
                    summary: $summary,
                    source: $source,
                    params: &[],
                }, )*
            ];

            /// Returns the name used everywhere.
            pub fn name(self) -> &'static str {
                match self {
                    $( $enum::$variant => $name, )*
                }
            }
        }
    };
}

/// Writes `Estimator`, its names and `Rtt` from lines of `module::Type`.
macro_rules! estimators {
    ($( $(#[$doc:meta])* $module:ident :: $type:ident, )*) => {
        /// Estimator of the retransmission timeout from round-trip samples. Timeouts in the tail differ by
        /// orders of magnitude between estimators.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, sidestep_types::Words,
        )]
        pub enum Estimator {
            $( $(#[$doc])* #[word(<$module::$type as Estimate>::ENTRY.name)] $type, )*
        }

        impl Estimator {
            /// All estimators' entries, in the order of lists.
            pub const ENTRIES: &[sidestep_types::Entry] =
                &[$( <$module::$type as Estimate>::ENTRY, )*];

            /// Returns the name used everywhere.
            pub fn name(self) -> &'static str {
                match self {
                    $( Estimator::$type => <$module::$type as Estimate>::ENTRY.name, )*
                }
            }

            /// See [`Estimate::BACKOFF_ENDS_AT_ACK`].
            pub fn backoff_ends_at_ack(self) -> bool {
                match self {
                    $( Estimator::$type => <$module::$type as Estimate>::BACKOFF_ENDS_AT_ACK, )*
                }
            }
        }

        /// State of an estimator.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        enum Rtt {
            $( $type($module::$type), )*
        }

        impl Rtt {
            fn new(config: &RtoConfig) -> Rtt {
                match config.estimator {
                    $( Estimator::$type => Rtt::$type($module::$type::new(config)), )*
                }
            }
            #[inline]
            fn sample(&mut self, rtt: u64, first_unacked: u64, next_seq: u64) -> u64 {
                match self { $( Rtt::$type(e) => e.sample(rtt, first_unacked, next_seq), )* }
            }
        }
    };
}

/// Writes `Congestion`, its names and `Controller` from lines of
/// `module::Type { setting: type }`; `Type::new(setting)` creates each controller.
macro_rules! congestions {
    ($(
        $(#[$doc:meta])*
        $module:ident :: $type:ident {
            $( $(#[$field_doc:meta])* $field:ident : $field_type:ty, )*
        }
    )*) => {
        /// Entries of the controllers, each with the parameters that only it has, in the order of lists.
        pub(crate) const ENTRIES: &[sidestep_types::Entry] =
            &[$( <$module::$type as Transport>::ENTRY, )*];

        /// Flag of each controller: whether a subflow of MPTCP can use it.
        pub(crate) const OF_SUBFLOWS: &[bool] = &[$( <$module::$type as Transport>::SUBFLOW, )*];

        /// Returns true if a TCP with the controller called `kind` can detect losses by time.
        pub(crate) fn takes_rack(kind: &str) -> bool {
            $( (kind != <$module::$type as Transport>::ENTRY.name
                || <$module::$type as Transport>::RACK) && )* true
        }

        /// Returns the parameter for the initial window of a TCP with the controller called `kind`.
        pub(crate) fn initial_window(kind: &str) -> &'static str {
            $(
                if kind == <$module::$type as Transport>::ENTRY.name {
                    return <$module::$type as Transport>::INITIAL_WINDOW;
                }
            )*
            "initial_window"
        }

        /// Congestion controller of a TCP, with its settings.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum Congestion {
            $( $(#[$doc])* $type { $( $(#[$field_doc])* $field: $field_type, )* }, )*
        }

        impl Congestion {
            /// Returns the name used everywhere.
            pub fn name(self) -> &'static str {
                match self {
                    $( Congestion::$type { .. } => <$module::$type as Transport>::ENTRY.name, )*
                }
            }
        }

        /// State of a controller: an enum, so that the hot path is a jump and not a call.
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub(crate) enum Controller {
            $( $type($module::$type), )*
        }

        impl Controller {
            pub(crate) fn new(congestion: Congestion) -> Controller {
                match congestion {
                    $( Congestion::$type { $( $field, )* } =>
                        Controller::$type($module::$type::new($( $field, )*)), )*
                }
            }
            #[inline]
            pub(crate) fn echo(&self) -> Echo {
                match self { $( Controller::$type(c) => c.echo(), )* }
            }
            #[inline]
            pub(crate) fn ect(&self, retransmit: bool) -> bool {
                match self { $( Controller::$type(c) => c.ect(retransmit), )* }
            }
            #[inline]
            pub(crate) fn handle_ack(&mut self, acked: u64, ece: bool, first_unacked: u64, next_seq: u64) {
                match self { $( Controller::$type(c) => c.handle_ack(acked, ece, first_unacked, next_seq), )* }
            }
            #[inline]
            pub(crate) fn grow(&mut self, window: &mut Window, acked: u64) {
                match self { $( Controller::$type(c) => c.grow(window, acked), )* }
            }
            pub(crate) fn on_echo(&mut self, window: &mut Window, flight: u64) {
                match self { $( Controller::$type(c) => c.on_echo(window, flight), )* }
            }
            pub(crate) fn on_loss(&mut self, now: Time, window: &mut Window, flight: u64, cut: bool) {
                match self { $( Controller::$type(c) => c.on_loss(now, window, flight, cut), )* }
            }
            pub(crate) fn on_timeout(
                &mut self,
                now: Time,
                window: &mut Window,
                flight: u64,
                again: bool,
            ) {
                match self {
                    $( Controller::$type(c) => c.on_timeout(now, window, flight, again), )*
                }
            }
            pub(crate) fn begin(&mut self, window: &mut Window) {
                match self { $( Controller::$type(c) => c.begin(window), )* }
            }
            #[inline]
            pub(crate) fn delays(&self) -> bool {
                match self { $( Controller::$type(c) => c.delays(), )* }
            }
            pub(crate) fn on_delay(&mut self, window: &mut Window, delay: Delay) -> bool {
                match self { $( Controller::$type(c) => c.on_delay(window, delay), )* }
            }
            pub(crate) fn round_trip(&mut self, rtt: Time) {
                match self { $( Controller::$type(c) => c.round_trip(rtt), )* }
            }
            pub(crate) fn at_most(&mut self, window: &mut Window, bytes: u64) {
                match self { $( Controller::$type(c) => c.at_most(window, bytes), )* }
            }
            pub(crate) fn remember(&mut self) {
                match self { $( Controller::$type(c) => c.remember(), )* }
            }
            pub(crate) fn undo(&mut self, window: &mut Window) {
                match self { $( Controller::$type(c) => c.undo(window), )* }
            }
            pub(crate) fn gap(&self) -> Time {
                match self { $( Controller::$type(c) => c.gap(), )* }
            }
            pub(crate) fn packets(&self, window: &Window) -> f64 {
                match self { $( Controller::$type(c) => c.packets(window), )* }
            }
        }

        impl Congestion {
            /// Returns true if the controller reacts to delays.
            pub(crate) fn goes_by_delays(self) -> bool {
                Controller::new(self).delays()
            }

            /// Returns true if the controller reacts to marks, which means that it requests their echo.
            pub(crate) fn reacts_to_marks(self) -> bool {
                Controller::new(self).echo() != Echo::Never
            }

            /// Reads the settings of the controller called `name` from `values`; `None` when no controller has
            /// this name.
            pub(crate) fn read(name: &str, values: &Values) -> Option<Result<Congestion, Refusal>> {
                $(
                    if name == <$module::$type as Transport>::ENTRY.name {
                        let settings = <$module::$type as Transport>::Settings::read(values);
                        return Some(settings.map(|read| Congestion::$type { $($field: read.$field,)* }));
                    }
                )*
                None
            }
        }
    };
}

/// Writes `TransportConfig` and `AnySender` from lines of `module::Type as Variant from Settings`: senders
/// other than [`crate::TcpSender`].
macro_rules! transports {
    ($(
        $(#[$doc:meta])*
        $module:ident :: $type:ident as $variant:ident from $settings:ident,
    )*) => {
        /// Entries of the transports other than TCP.
        const OTHERS: &[Entry] = &[$( <$module::$type as Transport>::ENTRY, )*];

        /// Returns true if the transport called `kind` uses the parameter of [`crate::PARAMS`] called `param`.
        /// Setting a parameter that a transport does not use is no error: `[transport]` holds for all schemes.
        pub fn takes(kind: &str, param: &str) -> bool {
            $(
                if kind == <$module::$type as Transport>::ENTRY.name {
                    return <$module::$type as Transport>::takes(param);
                }
            )*
            param != "initial_window" || congestion::initial_window(kind) == param
        }

        /// Builds the settings of the transport called `kind` from a complete set of values: those of
        /// [`crate::PARAMS`] and of its entry.
        ///
        /// A refusal names the value that is not possible. Panics when no transport has this name.
        pub fn build(kind: &str, values: &Values) -> Result<TransportConfig, Refusal> {
            $(
                if kind == <$module::$type as Transport>::ENTRY.name {
                    return Ok(<$settings as Settings>::read(values)?.into());
                }
            )*
            tcp(kind, values)
        }

        /// Transport of a run's connections, with its settings: the same at both ends of each.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TransportConfig {
            /// TCP, with any congestion controller.
            Tcp(Arc<TcpConfig>),
            $( $(#[$doc])* $variant(Arc<$settings>), )*
        }

        $(
            impl From<$settings> for TransportConfig {
                fn from(settings: $settings) -> TransportConfig {
                    TransportConfig::$variant(Arc::new(settings))
                }
            }
        )*

        impl TransportConfig {
            /// Returns the name used everywhere.
            pub fn name(&self) -> &'static str {
                match self {
                    TransportConfig::Tcp(tcp) => tcp.congestion.name(),
                    $( TransportConfig::$variant(_) => <$module::$type as Transport>::ENTRY.name, )*
                }
            }

            /// Returns the payload bytes of a full segment.
            pub fn mss(&self) -> u32 {
                match self {
                    TransportConfig::Tcp(tcp) => tcp.mss,
                    $( TransportConfig::$variant(own) => own.mss(), )*
                }
            }

            /// Returns the bytes that the receiver allows beyond the cumulative acknowledgement.
            pub fn receive_window(&self) -> u64 {
                match self {
                    TransportConfig::Tcp(tcp) => tcp.receive_window,
                    $( TransportConfig::$variant(own) => own.receive_window(), )*
                }
            }

            /// Returns a lower bound of the retransmission timeout.
            pub fn shortest_timeout(&self) -> Time {
                match self {
                    TransportConfig::Tcp(tcp) => tcp.rto.min.min(tcp.rto.initial),
                    $( TransportConfig::$variant(own) => own.shortest_timeout(), )*
                }
            }

            /// Returns the properties that others need beside the parameters.
            pub fn nature(&self) -> Nature {
                match self {
                    TransportConfig::Tcp(tcp) => tcp.nature(),
                    $( TransportConfig::$variant(own) => own.nature(), )*
                }
            }

            /// Creates a sender of `size` bytes, or of an endless flow.
            pub fn sender(&self, size: Option<u64>) -> AnySender {
                self.sender_with(self.mss(), size)
            }

            /// Creates a sender like [`TransportConfig::sender`], with `mss` payload bytes in a full segment
            /// whatever the settings contain.
            pub fn sender_with(&self, mss: u32, size: Option<u64>) -> AnySender {
                match self {
                    TransportConfig::Tcp(tcp) =>
                        AnySender::Tcp(TcpSender::with_mss(Arc::clone(tcp), mss, size)),
                    $( TransportConfig::$variant(own) =>
                        AnySender::$variant(Box::new($module::$type::with_mss(own, mss, size))), )*
                }
            }

            /// Creates a receiver that has received nothing.
            pub fn receiver(&self) -> AnyReceiver {
                match self {
                    TransportConfig::Tcp(tcp) => AnyReceiver::Tcp(TcpReceiver::new(Arc::clone(tcp))),
                    $( TransportConfig::$variant(own) => own.receiver(), )*
                }
            }
        }

        /// Sender of this crate, or a custom one: an enum inside, `dyn` for custom senders.
        #[expect(
            clippy::large_enum_variant,
            reason = "nearly all are Tcp, and a box would cost a cache miss per acknowledgement"
        )]
        // With an explicit tag: a tag hidden in a field costs instructions at each of six matches per
        // acknowledgement.
        #[repr(u8)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum AnySender {
            /// TCP sender.
            Tcp(TcpSender),
            $( $(#[$doc])* $variant(Box<$module::$type>), )*
            /// Custom sender.
            #[serde(skip)]
            Custom(Box<dyn Sender + Send>),
        }

        /// Evaluates `$call` on the sender inside.
        macro_rules! of_sender {
            ($self:expr, $sender:ident => $call:expr) => {
                match $self {
                    AnySender::Tcp($sender) => $call,
                    // Four variants would compile to a jump table, at TCP's expense.
                    $( AnySender::$variant($sender) => {
                        std::hint::cold_path();
                        $call
                    } )*
                    AnySender::Custom($sender) => {
                        std::hint::cold_path();
                        $call
                    }
                }
            };
        }
    };
}

pub(crate) use congestions;
pub(crate) use estimators;
pub(crate) use transports;
pub(crate) use words;
