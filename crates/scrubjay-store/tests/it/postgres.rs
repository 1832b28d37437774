//! The store on a PostgreSQL server that the test starts by itself.

use std::cell::Cell;
use std::sync::Arc;

use scrubjay_store::postgres::{Options, PostgresStore};
use scrubjay_store::{Store, conformance};
use scrubjay_test::postgres::PostgresServer;

// Every case has an agent of its own in one database, so that a row of another agent anywhere would be seen.
#[tokio::test]
async fn postgres_conforms() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("conformance");
    let number = Cell::new(0);
    let make = || {
        number.set(number.get() + 1);
        let options = Options::new(&url, format!("agent-{}", number.get())).unwrap();
        async { Arc::new(PostgresStore::open(options).await.unwrap()) as Arc<dyn Store> }
    };
    let failures = conformance::run(make).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
