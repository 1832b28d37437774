//! Scopes as numbers. The only place where a view becomes a condition on rows.

use scrubjay_core::scope::{Scope, View};

use super::fault::Fault;
use super::value::get;
use super::work::{Counter, Work};

/// The numbers of the scopes a view sees, for `scope = ANY (…)`.
///
/// A scope that holds nothing yet has no number and is left out; an empty list matches nothing.
pub(super) async fn visible(work: &Work, view: &View) -> Result<Vec<i64>, Fault> {
    let names: Vec<String> = view.scopes().iter().map(Scope::to_string).collect();
    let mut numbers = Vec::with_capacity(names.len());
    let mut unknown = Vec::new();
    for name in names {
        match work.scope(&name) {
            Some(number) => numbers.push(number),
            None => unknown.push(name),
        }
    }
    if !unknown.is_empty() {
        let sql = "SELECT name, pk FROM scopes WHERE agent = $1 AND name = ANY ($2)";
        for row in work.rows(sql, &[&unknown]).await? {
            let number = get(&row, 1)?;
            work.know_scope(get(&row, 0)?, number);
            numbers.push(number);
        }
    }
    Ok(numbers)
}

/// The number of a scope, if it has one.
pub(super) async fn number(work: &Work, scope: &Scope) -> Result<Option<i64>, Fault> {
    let name = scope.to_string();
    if let Some(number) = work.scope(&name) {
        return Ok(Some(number));
    }
    let sql = "SELECT pk FROM scopes WHERE agent = $1 AND name = $2";
    let Some(row) = work.row(sql, &[&name]).await? else { return Ok(None) };
    let number = get(&row, 0)?;
    work.know_scope(name, number);
    Ok(Some(number))
}

/// The number of a scope, given one now if it has none.
pub(super) async fn number_or_new(work: &Work, scope: &Scope) -> Result<i64, Fault> {
    if let Some(number) = number(work, scope).await? {
        return Ok(number);
    }
    let (name, number) = (scope.to_string(), work.draw(Counter::Scopes)?);
    work.execute("INSERT INTO scopes (agent, pk, name) VALUES ($1, $2, $3)", &[&number, &name]).await?;
    work.know_scope(name, number);
    Ok(number)
}
