//! One line of a registry makes a policy choosable; the macros here write the rest.
//!
//! The line names the policy as TOML, the command line, the docs and the page do. From it
//! come the public enum, the names, construction by name and the dispatch on the hot path.

/// One choosable thing, as `sidestep list` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name everywhere: TOML, command line, docs, page.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub source: &'static str,
}

/// Writes `Congestion`, its names and `Controller` from lines of
/// `"name" => module::Type as Variant { setting: type = default, }`.
macro_rules! congestions {
    ($(
        $(#[$doc:meta])*
        $name:literal => $module:ident :: $type:ident as $variant:ident {
            $( $(#[$field_doc:meta])* $field:ident : $field_type:ty = $default:expr, )*
        }
    )*) => {
        /// How the window grows and shrinks.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Congestion {
            $( $(#[$doc])* $variant { $( $(#[$field_doc])* $field: $field_type, )* }, )*
        }

        impl Congestion {
            /// The controller of this name with its default settings.
            pub fn from_name(name: &str) -> Option<Congestion> {
                match name {
                    $( $name => Some(Congestion::$variant { $( $field: $default, )* }), )*
                    _ => None,
                }
            }

            /// Its name everywhere.
            pub fn name(self) -> &'static str {
                match self {
                    $( Congestion::$variant { .. } => $name, )*
                }
            }
        }

        /// Every congestion controller.
        pub fn congestions() -> &'static [Entry] {
            &[ $( Entry {
                name: $name,
                summary: <$module::$type as Control>::SUMMARY,
                source: <$module::$type as Control>::SOURCE,
            }, )* ]
        }

        /// A controller at work: the enum inside, so that the hot path is a jump and not a call.
        #[derive(Clone, Debug)]
        pub(crate) enum Controller {
            $( $variant($module::$type), )*
        }

        impl Controller {
            pub(crate) fn new(congestion: Congestion) -> Controller {
                match congestion {
                    $( Congestion::$variant { $( $field, )* } =>
                        Controller::$variant($module::$type::new($( $field, )*)), )*
                }
            }
            #[inline]
            pub(crate) fn echo(&self) -> Echo {
                match self { $( Controller::$variant(c) => c.echo(), )* }
            }
            #[inline]
            pub(crate) fn ect(&self, retransmit: bool) -> bool {
                match self { $( Controller::$variant(c) => c.ect(retransmit), )* }
            }
            #[inline]
            pub(crate) fn hear(&mut self, acked: u64, ece: bool, una: u64, nxt: u64) {
                match self { $( Controller::$variant(c) => c.hear(acked, ece, una, nxt), )* }
            }
            #[inline]
            pub(crate) fn grow(&mut self, window: &mut Window, acked: u64) {
                match self { $( Controller::$variant(c) => c.grow(window, acked), )* }
            }
            pub(crate) fn on_echo(&mut self, window: &mut Window, flight: u64) {
                match self { $( Controller::$variant(c) => c.on_echo(window, flight), )* }
            }
            pub(crate) fn on_loss(&mut self, window: &mut Window, flight: u64, cut: bool) {
                match self { $( Controller::$variant(c) => c.on_loss(window, flight, cut), )* }
            }
            pub(crate) fn on_timeout(&mut self, window: &mut Window, flight: u64, again: bool) {
                match self { $( Controller::$variant(c) => c.on_timeout(window, flight, again), )* }
            }
        }
    };
}

/// Writes `Estimator`, its names and `Rtt` from lines of `"name" => module::Type as Variant`.
macro_rules! estimators {
    ($( $(#[$doc:meta])* $name:literal => $module:ident :: $type:ident as $variant:ident, )*) => {
        /// How round-trip samples become a timeout. They differ by orders of magnitude in the tail.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Estimator {
            $( $(#[$doc])* $variant, )*
        }

        impl Estimator {
            /// The estimator of this name.
            pub fn from_name(name: &str) -> Option<Estimator> {
                match name {
                    $( $name => Some(Estimator::$variant), )*
                    _ => None,
                }
            }

            /// Its name everywhere.
            pub fn name(self) -> &'static str {
                match self {
                    $( Estimator::$variant => $name, )*
                }
            }
        }

        /// Every estimator.
        pub fn estimators() -> &'static [Entry] {
            &[ $( Entry {
                name: $name,
                summary: <$module::$type as Estimate>::SUMMARY,
                source: <$module::$type as Estimate>::SOURCE,
            }, )* ]
        }

        /// An estimator at work.
        #[derive(Clone, Debug)]
        enum Rtt {
            $( $variant($module::$type), )*
        }

        impl Rtt {
            fn new(config: &RtoConfig) -> Rtt {
                match config.estimator {
                    $( Estimator::$variant => Rtt::$variant($module::$type::new(config)), )*
                }
            }
            #[inline]
            fn sample(&mut self, rtt: u64, una: u64, nxt: u64) -> u64 {
                match self { $( Rtt::$variant(e) => e.sample(rtt, una, nxt), )* }
            }
        }
    };
}

pub(crate) use congestions;
pub(crate) use estimators;
