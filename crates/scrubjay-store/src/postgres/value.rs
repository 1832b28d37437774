//! Values as they are bound to a statement and read from a row.
//!
//! Each value names its own type, so that a statement is sent together with its values in one message and the server
//! never guesses. Text cannot hold the character NUL there; it is replaced here, for what is stored and what is looked up
//! alike (`nul.rs` does the same before anything is hashed).

use std::error::Error;

use bytes::BytesMut;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::fault::Fault;
use crate::{StoreError, nul};

/// What may be bound to a statement.
pub(super) trait Value: Sync {
    /// The type of its column.
    fn column_type(&self) -> Type;

    /// Writes it as the server expects it.
    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>>;
}

/// A value on its way to the server.
pub(super) struct Bound<'a>(pub(super) &'a (dyn Value + 'a));

impl std::fmt::Debug for Bound<'_> {
    // What is bound may be somebody's memory.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, _column: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.0.write(out)
    }

    fn accepts(_column: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The type that the values of a Rust type have, also where there is none at hand.
pub(super) trait Column {
    /// The type of the column.
    const TYPE: Type;
}

macro_rules! plain {
    ($($rust:ty => $column:ident),* $(,)?) => {
        $(
            impl Column for $rust {
                const TYPE: Type = Type::$column;
            }

            impl Value for $rust {
                fn column_type(&self) -> Type {
                    Self::TYPE
                }

                fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
                    self.to_sql(&Self::TYPE, out)
                }
            }
        )*
    };
}

plain![
    i64 => INT8,
    f64 => FLOAT8,
    bool => BOOL,
    Uuid => UUID,
    Vec<i64> => INT8_ARRAY,
    Vec<f64> => FLOAT8_ARRAY,
    Vec<Uuid> => UUID_ARRAY,
    Vec<u8> => BYTEA,
    &[u8] => BYTEA,
];

impl Column for u32 {
    const TYPE: Type = Type::INT8;
}

impl Value for u32 {
    fn column_type(&self) -> Type {
        Self::TYPE
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        i64::from(*self).write(out)
    }
}

impl<const N: usize> Column for &[u8; N] {
    const TYPE: Type = Type::BYTEA;
}

impl<const N: usize> Value for &[u8; N] {
    fn column_type(&self) -> Type {
        Self::TYPE
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.as_slice().to_sql(&Type::BYTEA, out)
    }
}

impl Column for &str {
    const TYPE: Type = Type::TEXT;
}

impl Value for &str {
    fn column_type(&self) -> Type {
        Type::TEXT
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        nul::without_nul(self).as_ref().to_sql(&Type::TEXT, out)
    }
}

impl Column for String {
    const TYPE: Type = Type::TEXT;
}

impl Value for String {
    fn column_type(&self) -> Type {
        Type::TEXT
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.as_str().write(out)
    }
}

impl Column for Vec<String> {
    const TYPE: Type = Type::TEXT_ARRAY;
}

impl Value for Vec<String> {
    fn column_type(&self) -> Type {
        Type::TEXT_ARRAY
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let texts: Vec<_> = self.iter().map(|text| nul::without_nul(text)).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        texts.to_sql(&Type::TEXT_ARRAY, out)
    }
}

impl<T: Value + Column> Value for Option<T> {
    fn column_type(&self) -> Type {
        T::TYPE
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.as_ref().map_or(Ok(IsNull::Yes), |value| value.write(out))
    }
}

impl Value for Box<dyn Value + Send> {
    fn column_type(&self) -> Type {
        (**self).column_type()
    }

    fn write(&self, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        (**self).write(out)
    }
}

/// A column of a row.
pub(super) fn get<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, Fault> {
    Ok(row.try_get(column)?)
}

/// A column that counts something.
pub(super) fn count(row: &Row, column: usize) -> Result<u64, Fault> {
    Ok(get::<i64>(row, column)?.unsigned_abs())
}

/// A column that holds a small number.
pub(super) fn small(row: &Row, column: usize) -> Result<u32, Fault> {
    u32::try_from(get::<i64>(row, column)?).map_err(|error| unreadable(&error))
}

/// A text column with a meaning.
pub(super) fn parse<T>(row: &Row, column: usize) -> Result<T, Fault>
where
    T: std::str::FromStr,
    T::Err: Error,
{
    get::<&str>(row, column)?.parse().map_err(|error: T::Err| unreadable(&error))
}

/// A column of sixteen bytes.
pub(super) fn hash(row: &Row, column: usize) -> Result<[u8; 16], Fault> {
    get::<&[u8]>(row, column)?.try_into().map_err(|error| unreadable(&error))
}

/// A JSON column; NULL is the empty value.
pub(super) fn from_json<T: DeserializeOwned + Default>(row: &Row, column: usize) -> Result<T, Fault> {
    match get::<Option<&str>>(row, column)? {
        None => Ok(T::default()),
        Some(text) => serde_json::from_str(text).map_err(|error| unreadable(&error)),
    }
}

/// JSON text of a value.
pub(super) fn to_json<T: Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| unreadable(&error))
}

/// A count as the server holds it. Counts here never come near 2^63.
pub(super) fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A limit as the server holds it.
pub(super) fn limit(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A stored value that makes no sense.
pub(super) fn unreadable(error: &dyn Error) -> Fault {
    StoreError::Unreadable { what: "row", detail: error.to_string() }.into()
}
