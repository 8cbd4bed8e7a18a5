//! Open recording, together with the bytes it reads from.

use sidestep_player::{Player, Refused};

/// Open recording, and its file.
pub struct Opened {
    /// Player of the file; `drop` below ends it before the file is freed.
    player: Option<Player<'static>>,
    file: *mut [u8],
}

impl Opened {
    /// Opens a recording, and keeps its bytes while it is open.
    pub fn open(file: Vec<u8>) -> Result<Opened, Refused> {
        let mut open = Opened {
            player: None,
            file: Box::into_raw(file.into_boxed_slice()),
        };
        // SAFETY: the box lives until `open` is dropped, which drops the player first; nothing writes to it,
        // and no answer of a player borrows from it.
        open.player = Some(Player::open(unsafe { &*open.file })?);
        Ok(open)
    }

    /// Returns the player.
    pub fn player(&mut self) -> &mut Player<'static> {
        self.player.as_mut().expect("a recording that is open")
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.player = None;
        // SAFETY: `file` is from `Box::into_raw` above, and nothing reads it after this.
        drop(unsafe { Box::from_raw(self.file) });
    }
}
