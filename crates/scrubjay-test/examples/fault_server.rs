//! The fault server as a process: says where it listens and ends when its standard input does.

use std::io::Read;

#[expect(clippy::unwrap_used, reason = "a test that cannot be set up may as well stop")]
fn main() {
    let server = scrubjay_test::FaultServer::start().unwrap();
    #[expect(clippy::print_stdout, reason = "this is how a test in another language learns the address")]
    {
        println!("{}", server.address());
    }
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).unwrap();
}
