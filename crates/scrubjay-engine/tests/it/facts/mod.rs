//! From conversations to facts, end to end.
//!
//! - `talks`: three conversations in several sessions, written by hand, and how they are told to an engine.
//! - `by_rules`: what comes of them without a model; snapshots.
//! - `by_model`: the same with model replies that were written by hand, labelled as such; snapshots.
//! - `by_command`: a program in the place of a model, and how often it is asked.
//! - `chats`: what is learned where nobody works, and what is not.
//! - `hostile`: a model that lies, invents and commands.
//! - `crash`: consolidation that is cut off at every point where it waits.
//! - `deleted`: what a person deleted or corrected does not come back.
//! - `digest`: the last days at a glance.
//! - `fading`: a simulated year.
//! - `on_time`: the schedule over restarts, sleep and clocks that jump.
//! - `lifecycle`: sessions that end or are followed by another, upkeep by hand, enriching undone.
//! - `looking_over`: review, undo, summaries, names.
//! - `work_talk`: what is said in passing at work, and corrections of it.

mod by_command;
mod by_model;
mod by_rules;
mod chats;
mod crash;
mod deleted;
mod digest;
mod fading;
mod hostile;
mod lifecycle;
mod looking_over;
mod on_time;
mod talks;
mod work_talk;
