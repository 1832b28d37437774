//! Tests of the configuration as a whole, on real files in a temporary folder.
//!
//! `home` makes the folder; `layers` asks which layer wins, `files` what a broken
//! or hostile file does, `edit` whether changing a setting keeps the rest.

mod edit;
mod files;
mod home;
mod layers;

use std::fs;
use std::path::Path;

use home::{Home, pairs};

use super::{ConfigError, Layers, load};
