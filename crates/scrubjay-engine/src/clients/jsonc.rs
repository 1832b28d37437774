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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn change(text: &str, wanted: &Value) -> String {
        let document = Document::parse(text).unwrap();
        let before = document.value().unwrap();
        document.changed_to(&before, wanted).unwrap_or_else(|error| panic!("{error}: {text} -> {wanted}"))
    }

    #[test]
    fn only_what_differs_is_changed() {
        let text =
            "// top\n{\n  \"a\": 1, // one\n  /* two */ \"b\": [1, 2, 3],\n  \"c\": {\"d\": true,},\n}\n// end\n";
        let added = change(text, &json!({"a": 1, "b": [1, 2, 3, {"x": "y"}], "c": {"d": true}, "e": {"f": [null]}}));
        for kept in ["// top\n", "\"a\": 1, // one", "/* two */ \"b\"", "// end"] {
            assert!(added.contains(kept), "{kept}: {added}");
        }
        let removed = change(&added, &json!({"a": 1, "b": [1, 2, 3], "c": {"d": true}}));
        let squeezed = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        assert_eq!(squeezed(&removed), squeezed(text));
        assert!(change("\u{feff}{\"a\": 1}", &json!({"a": 2})).starts_with('\u{feff}'));
        let windows = change("{\r\n\t\"a\": 1\r\n}\r\n", &json!({"a": 1, "b": {"c": 2}}));
        assert!(windows.contains("\t\"a\": 1,\r\n\t\"b\""), "{windows:?}");
        for bad in ["{'a': 1}", "{a: 1}", "{\"a\": 1 \"b\": 2}", "{\"a\": +1}", "{ torn", "", "{\"a\": NaN}"] {
            let is_value = Document::parse(bad).is_ok_and(|document| document.value().is_some());
            assert!(!is_value, "{bad}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\/*\n é]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-e]", inner, 0..4).prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    fn objects() -> impl Strategy<Value = Value> {
        prop::collection::btree_map("[a-e]", values(), 0..5).prop_map(|fields| fields.into_iter().collect())
    }

    // The text of a value with comments and, where there is room, a comma after the last entry.
    fn commented(value: &Value, number: &mut usize) -> String {
        let mut comment = || {
            *number += 1;
            if number.is_multiple_of(2) { format!("/* {number} */ ") } else { format!("// {number}\n") }
        };
        match value {
            Value::Array(values) => {
                let parts: Vec<String> =
                    values.iter().map(|value| format!("{}{},\n", comment(), commented(value, &mut 1))).collect();
                format!("[\n{}]", parts.concat())
            }
            Value::Object(fields) => {
                let parts: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{}{}: {},\n", comment(), json!(name), commented(value, &mut 1)))
                    .collect();
                format!("{{\n{}}}", parts.concat())
            }
            other => other.to_string(),
        }
    }

    proptest! {
        #[test]
        fn whatever_is_wanted_is_said_and_comments_of_the_rest_stay(before in objects(), after in objects()) {
            for text in [before.to_string(), format!("{before:#}"), format!("// mine\n{}\n", commented(&before, &mut 0))] {
                let document = Document::parse(&text).unwrap();
                prop_assert_eq!(document.value().unwrap(), before.clone());
                // It says what was wanted or nothing at all; `changed_to` reads it again.
                let changed = document.changed_to(&before, &after);
                prop_assert!(changed.is_ok(), "{:?}: {}", changed, text);
                let changed = changed.unwrap_or_default();
                if text.starts_with("// mine") {
                    prop_assert!(changed.starts_with("// mine"));
                }
                // Nothing is touched that stays the same.
                let same = Document::parse(&text).unwrap().changed_to(&before, &before);
                prop_assert_eq!(same.unwrap(), text);
            }
        }
    }
}
