//! Changing JSON with comments in place.
//!
//! The text is parsed into a tree that holds every comment, comma and space. Where two values differ, the tree is
//! changed and nothing else, and the result is read again: a text that does not say exactly what was wanted is never
//! handed out.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

/// The mark that some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text of JSON in which there may be comments, and commas after the last entry.
pub(super) struct Document {
    is_marked: bool,
    root: CstRootNode,
}

impl Document {
    /// Reads it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let plain = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let root = CstRootNode::parse(plain, &options).map_err(|error| format!("it is not JSON ({error})"))?;
        Ok(Self { is_marked: plain.len() < text.len(), root })
    }

    /// What it says.
    pub(super) fn value(&self) -> Option<Value> {
        self.root.to_serde_value()
    }

    /// Whether somebody wrote something beside the values.
    pub(super) fn has_comments(&self) -> bool {
        let mut nodes = self.root.children();
        while let Some(node) = nodes.pop() {
            if node.is_comment() {
                return true;
            }
            nodes.extend(node.children());
        }
        false
    }

    /// The text that says `after` instead of `before`, and is the same otherwise.
    pub(super) fn changed_to(&self, before: &Value, after: &Value) -> Result<String, String> {
        let (Some(node), Value::Object(old), Value::Object(new)) = (self.root.object_value(), before, after) else {
            return Err("it is no JSON object".to_owned());
        };
        change_object(&node, old, new);
        let mark = if self.is_marked { BYTE_ORDER_MARK.to_string() } else { String::new() };
        let text = format!("{mark}{}", self.root);
        let said = Self::parse(&text)?.value();
        if said.as_ref() == Some(after) { Ok(text) } else { Err("it has a form that is not understood".to_owned()) }
    }
}

fn change_object(node: &CstObject, old: &Map<String, Value>, new: &Map<String, Value>) {
    for (name, former) in old {
        let Some(field) = node.get(name) else { continue };
        match (former, new.get(name)) {
            (_, None) => field.remove(),
            (former, Some(wanted)) if former == wanted => {}
            (Value::Object(former), Some(Value::Object(wanted))) if field.object_value().is_some() => {
                if let Some(inner) = field.object_value() {
                    change_object(&inner, former, wanted);
                }
            }
            (Value::Array(former), Some(Value::Array(wanted))) if field.array_value().is_some() => {
                if let Some(inner) = field.array_value() {
                    change_array(&inner, former, wanted);
                }
            }
            (_, Some(wanted)) => field.set_value(input(wanted)),
        }
    }
    for (name, wanted) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        node.append(name, input(wanted));
    }
}

// Entries are taken out or changed where they stand, and new ones come last: nothing else is ever wanted here.
fn change_array(node: &CstArray, old: &[Value], new: &[Value]) {
    let elements = node.elements();
    let mut wanted = new.iter().peekable();
    for (position, (former, element)) in old.iter().zip(elements).enumerate() {
        if wanted.peek() == Some(&former) {
            wanted.next();
            continue;
        }
        // As many are left as are wanted: this one is to be changed.
        let is_kept_later = wanted.clone().any(|wanted| old[position + 1..].contains(wanted));
        let is_changed = old.len() - position <= wanted.len() && !is_kept_later;
        match wanted.next_if(|_| is_changed) {
            Some(next) => change_element(element, former, next),
            None => element.remove(),
        }
    }
    for value in wanted {
        node.append(input(value));
    }
}

fn change_element(element: CstNode, old: &Value, new: &Value) {
    match (old, new, element.as_object()) {
        (Value::Object(old), Value::Object(new), Some(node)) => change_object(&node, old, new),
        _ => {
            if let Some(array) = element.parent().and_then(|parent| parent.as_array())
                && let Some(index) = element.element_index()
            {
                array.insert(index, input(new));
                element.remove();
            }
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
