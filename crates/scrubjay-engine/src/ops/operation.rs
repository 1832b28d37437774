//! What an operation is, and how the surfaces see one.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use super::group::Group;
use super::spelled_out::{spell_out, task_meant};
use super::tool::Tool;
use crate::{Ctx, EngineError, Result};

/// What an operation can do to what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Risk {
    /// Changes no memory. It may count accesses, and where the operation says so ([`Operation::SYNCS_FILES`]), the store
    /// is brought in step with files first.
    Read,
    /// Changes something, and can be undone.
    Write,
    /// Destroys something for good.
    Destroy,
}

impl Risk {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
        }
    }
}

/// Who may ask for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever stands in a view; it works on what that view sees.
    View,
    /// Only the owner of the store; it concerns the store as a whole.
    Owner,
}

/// Where an operation is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surfaces {
    /// The words of its command; none if it has no command of its own.
    pub command: &'static [&'static str],
    /// Offered over HTTP.
    pub http: bool,
    /// The name of its MCP tool, if it has one.
    pub mcp: Option<&'static str>,
}

/// Everything a person or agent can do is one of these. The doc comment of the
/// input type is the operation's description, and the doc comment of each field
/// is that field's: on the command line, over HTTP and over MCP alike.
pub trait Operation: 'static {
    /// What it is given.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Output: Serialize + DeserializeOwned + JsonSchema + Send;

    /// Its name, `noun` or `noun.verb`.
    const NAME: &'static str;
    /// What it can do to what is stored.
    const RISK: Risk;
    /// Who may ask for it.
    const ACCESS: Access = Access::View;
    /// Where it is offered.
    const SURFACES: Surfaces;
    /// Under which heading the overview of commands has it.
    const GROUP: Group;
    /// Examples for the help of its command, one command a line; what stands before an empty line explains them.
    const EXAMPLES: &'static str;
    /// Whether files that changed are read again before it answers, so that what is stored of files may change.
    const SYNCS_FILES: bool = false;
    /// What it does, where the doc comment of its input speaks of several operations.
    const ABOUT: &'static str = "";
    /// What a model is told of it, if it has an MCP tool.
    const TOOL: Tool = Tool { about: "", required: &[], optional: &[] };

    /// Does it.
    fn run(ctx: &Ctx, input: Self::Input) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// What an operation that brings files in step first says about it.
const SYNCS_FILES: &str = "\n\nFiles that changed since they were read are read again first, for at most sync.search_budget_ms (sync.on_search = false turns that off): the operation changes no memory, but it can change what is stored of files.";

type Running<'a> = Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;

/// An operation without its types, as the surfaces handle it.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it can do to what is stored.
    pub risk: Risk,
    /// Who may ask for it.
    pub access: Access,
    /// Where it is offered.
    pub surfaces: Surfaces,
    /// Under which heading the overview of commands has it.
    pub group: Group,
    /// Examples for the help of its command.
    pub examples: &'static str,
    /// What a model is told of it, if it has an MCP tool.
    pub tool: Tool,
    /// Whether files that changed are read again before it answers.
    pub syncs_files: bool,
    about: &'static str,
    input: fn() -> Schema,
    // Made when it is first asked for: every call needs it.
    made_input: OnceLock<Value>,
    output: fn() -> Schema,
    named_input: fn(&mut SchemaGenerator) -> Schema,
    named_output: fn(&mut SchemaGenerator) -> Schema,
    run: for<'a> fn(&'a Ctx, &'a Value, Value) -> Running<'a>,
}

impl Entry {
    /// The entry of an operation.
    #[must_use]
    pub const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            risk: O::RISK,
            access: O::ACCESS,
            surfaces: O::SURFACES,
            group: O::GROUP,
            examples: O::EXAMPLES,
            tool: O::TOOL,
            syncs_files: O::SYNCS_FILES,
            about: O::ABOUT,
            input: schema::<O::Input>,
            made_input: OnceLock::new(),
            output: schema::<O::Output>,
            named_input: named::<O::Input>,
            named_output: named::<O::Output>,
            run: run_untyped::<O>,
        }
    }

    /// The schema of its input.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        self.made_input.get_or_init(|| (self.input)().to_value())
    }

    /// The schema of its output.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        (self.output)().to_value()
    }

    /// References to the schemas of its input and its output, which the generator
    /// collects under their names.
    pub(super) fn named_schemas(&self, generator: &mut SchemaGenerator) -> (Value, Value) {
        ((self.named_input)(generator).to_value(), (self.named_output)(generator).to_value())
    }

    /// What it does: the first sentence, and all of it.
    #[must_use]
    pub fn about(&self) -> (String, String) {
        let schema = self.input_schema();
        let shared = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut text = match self.about {
            "" => shared.to_owned(),
            about => format!("{about}\n\n{shared}"),
        };
        if self.syncs_files {
            text.push_str(SYNCS_FILES);
        }
        let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        (first.trim_end_matches('.').to_owned(), text)
    }

    /// Runs it on JSON.
    ///
    /// # Errors
    /// When the input does not fit, the caller may not, or it fails.
    pub async fn call(&self, ctx: &Ctx, input: Value) -> Result<Value> {
        (self.run)(ctx, self.input_schema(), input).await
    }
}

/// Runs an operation with its types.
///
/// # Errors
/// When the caller may not, or it fails.
pub async fn run<O: Operation>(ctx: &Ctx, input: O::Input) -> Result<O::Output> {
    if O::ACCESS == Access::Owner {
        ctx.need_owner(O::NAME)?;
    }
    O::run(ctx, input).await
}

fn run_untyped<'a, O: Operation>(ctx: &'a Ctx, schema: &'a Value, input: Value) -> Running<'a> {
    Box::pin(async move {
        refuse_unknown_fields(O::NAME, schema, &input)?;
        let mut input = input;
        if let Some(fields) = input.as_object_mut() {
            // Who may not ask is told so before anything is looked up.
            if O::ACCESS == Access::Owner {
                ctx.need_owner(O::NAME)?;
            }
            spell_out(ctx, schema, fields).await?;
        }
        let there = task_meant(ctx, &input).await?;
        let ctx = there.as_ref().unwrap_or(ctx);
        let input = serde_json::from_value::<O::Input>(input)
            .map_err(|error| EngineError::invalid(wrong_input(O::NAME, &error)))?;
        let output = run::<O>(ctx, input).await?;
        serde_json::to_value(output).map_err(|source| EngineError::Encode { operation: O::NAME, source })
    })
}

// A misspelt field must not be passed over in silence.
fn refuse_unknown_fields(operation: &str, schema: &Value, input: &Value) -> Result<()> {
    let Some(fields) = input.as_object() else { return Ok(()) };
    // An input without any field has no list of them in its schema.
    let none = serde_json::Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let Some(unknown) = fields.keys().find(|field| !known.contains_key(*field)) else { return Ok(()) };
    let likeness = |name: &&String| strsim::jaro_winkler(unknown, name);
    let nearest = known.keys().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = nearest
        .filter(|name| likeness(name) > 0.75)
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    Err(EngineError::invalid(format!("`{operation}` has no field `{unknown}`{hint}")))
}

fn wrong_input(operation: &str, error: &serde_json::Error) -> String {
    // Serde counts lines of a text that is not there any more.
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("`{operation}` does not take this input: {text}; `scrubjay call {operation} --schema` shows what it takes")
}

fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    SchemaGenerator::new(settings).into_root_schema_for::<T>()
}

fn named<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
