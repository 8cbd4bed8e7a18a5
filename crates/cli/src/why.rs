//! `sidestep why`

use crate::args::WhyArgs;
use crate::failure::{Failure, Outcome};
use crate::new_policy::plugins;
use crate::out;
use sidestep_study::why::{self, Recorded, RunSelector, Wanted};

/// Largest number of packets in a list.
const MOST: usize = 40;

/// Explains one packet of a recorded run, or lists packets to choose from.
pub fn why(args: &WhyArgs) -> Outcome {
    let recorded = Recorded::open(&args.dir, args.files.as_deref())?;
    let recorded = recorded.with_caller_schemes(plugins(&args.plugins)?);
    let which = RunSelector {
        scheme: args.scheme.clone(),
        seed: args.seed,
    };
    let class = args.class.as_deref();
    let wanted = Wanted::asked(args.flow, args.dropped, args.detoured, class);
    let (json, text, same) = match (&args.packet, wanted) {
        (Some(packet), _) => {
            let account = why::why(&recorded, &which, packet)?;
            let text = why::text(&account.json);
            (account.json, text, account.same)
        }
        (None, Some(wanted)) => {
            let listed = why::list(&recorded, &which, wanted, class)?;
            let text = why::list_text(&listed.json, MOST);
            (listed.json, text, listed.same)
        }
        (None, None) => {
            let how = recorded.how_to_find();
            return Err(Failure::input(format!(
                "why: expected --packet, like --packet 100:3; {how}"
            )));
        }
    };
    if args.json {
        out::say_json(&json);
    } else {
        out::say(&text);
    }
    Ok(u8::from(!same))
}
