//! Connections on which nobody has shown a token yet.
//!
//! Anyone can open connections, send half a request and wait. There is room for
//! some of them; when another comes, the one that has waited longest has to go.
//! So the room never fills up, and whoever has a token and shows it is let in,
//! however many others wait.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Where a connection comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The network, loopback included.
    Network(IpAddr),
    /// The socket in the home folder, which only the user can reach.
    Socket,
}

impl Address {
    /// The address on the network, if it has one.
    #[must_use]
    pub fn network(self) -> Option<IpAddr> {
        match self {
            Self::Network(address) => Some(address),
            Self::Socket => None,
        }
    }
}

struct Waiting {
    number: u64,
    address: Address,
    leave: Arc<Notify>,
}

/// Those who wait, longest first.
pub struct Strangers {
    most: usize,
    most_per_address: usize,
    next: AtomicU64,
    waiting: Mutex<VecDeque<Waiting>>,
}

impl Strangers {
    /// Room for so many in all, and for so many from one address.
    #[must_use]
    pub fn new(most: usize, most_per_address: usize) -> Self {
        Self { most, most_per_address, next: AtomicU64::new(0), waiting: Mutex::default() }
    }

    /// A seat for a new connection. Whoever has waited longest may lose theirs:
    /// from the same address if that has too many, from any otherwise. The socket
    /// is the user's own, where nobody is a stranger.
    #[must_use]
    pub fn take_seat(self: &Arc<Self>, address: Address) -> Seat {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let leave = Arc::new(Notify::new());
        let seat = Seat { strangers: Arc::clone(self), number, address, leave: Arc::clone(&leave) };
        if address == Address::Socket {
            return seat;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let from_there = waiting.iter().filter(|one| one.address == address).count();
        let gone = if from_there >= self.most_per_address {
            waiting.iter().position(|one| one.address == address)
        } else {
            (waiting.len() >= self.most).then_some(0)
        };
        if let Some(gone) = gone.and_then(|place| waiting.remove(place)) {
            gone.leave.notify_one();
        }
        waiting.push_back(Waiting { number, address, leave });
        seat
    }

    fn remove(&self, number: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = waiting.iter().position(|one| one.number == number) {
            waiting.remove(place);
        }
    }
}

/// A connection's place among the strangers; given back when it ends.
pub struct Seat {
    strangers: Arc<Strangers>,
    number: u64,
    address: Address,
    leave: Arc<Notify>,
}

impl Seat {
    /// Where the connection comes from.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }

    /// Someone showed a token here: they are no stranger any more.
    pub fn welcome(&self) {
        self.strangers.remove(self.number);
    }

    /// Waits until the seat is needed for someone else.
    pub async fn lost(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.strangers.remove(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_lost(seat: &Seat) -> bool {
        let mut lost = std::pin::pin!(seat.lost());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        lost.as_mut().poll(&mut context).is_ready()
    }

    #[test]
    fn the_oldest_stranger_goes_and_those_with_a_token_stay() {
        let strangers = Arc::new(Strangers::new(3, 2));
        let [one, two] = ["10.0.0.1", "10.0.0.2"].map(|text| Address::Network(text.parse().unwrap()));
        let own = strangers.take_seat(Address::Socket);
        let known = strangers.take_seat(one);
        known.welcome();
        let seats: Vec<Seat> = (0..3).map(|_| strangers.take_seat(one)).collect();
        assert_eq!(seats.iter().map(is_lost).collect::<Vec<_>>(), [true, false, false], "two from one address");
        let others: Vec<Seat> = [two, two].map(|address| strangers.take_seat(address)).into();
        assert!(is_lost(&seats[1]), "three in all");
        assert!(![&known, &own, &seats[2]].into_iter().any(is_lost) && !others.iter().any(is_lost));
        drop((seats, others));
        assert!(strangers.waiting.lock().unwrap().is_empty(), "every seat is given back");
    }
}
