//! What an item is called in a context.

use tree_sitter::Node;

use super::super::segment::shorten;
use super::grammar::{Item, Name};

const NAME_BYTES: usize = 80;
const SIGNATURE_BYTES: usize = 180;

/// `fn open`, `impl Display for Store`, `func (s *Store) Open`.
pub(super) fn label(node: Node<'_>, item: &Item, text: &str) -> String {
    let name = name(node, item.name, text);
    let words = if item.word.ends_with('.') { format!("{}{name}", item.word) } else { format!("{} {name}", item.word) };
    shorten(&words, NAME_BYTES)
}

/// The item from its first word to its body, on one line. The text of `whole` counts, so that `export` is in it.
pub(super) fn signature(whole: Node<'_>, node: Node<'_>, text: &str) -> String {
    let end = node.child_by_field_name("body").map_or_else(|| first_line_end(node, text), |body| body.start_byte());
    let from = whole.start_byte().min(end);
    // Attributes and annotations that are part of the node make poor signatures, so at most the last lines are used.
    let head = text.get(from..end).unwrap_or("");
    let head =
        head.lines().skip_while(|line| line.trim_start().starts_with(['@', '#', '['])).collect::<Vec<_>>().join(" ");
    shorten(head.trim_end_matches(['{', ':', ' ']), SIGNATURE_BYTES)
}

/// The name of a variable that holds a function: `const open = () => …`, or a field of a class that does.
pub(super) fn variable(node: Node<'_>, values: &[&str], text: &str) -> Option<String> {
    let holds = |declarator: Node<'_>| {
        declarator.child_by_field_name("value").is_some_and(|value| values.contains(&value.kind()))
    };
    let declarator = match node.kind() {
        "lexical_declaration" | "variable_declaration" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find(|child| child.kind() == "variable_declarator" && holds(*child))?
        }
        "public_field_definition" | "field_definition" if holds(node) => node,
        _ => return None,
    };
    let name = declarator.child_by_field_name("name").or_else(|| declarator.child_by_field_name("property"))?;
    Some(shorten(&text[name.byte_range()], NAME_BYTES))
}

fn name(node: Node<'_>, how: Name, text: &str) -> String {
    let field = |node: Node<'_>, name: &str| {
        node.child_by_field_name(name).map(|found| text[found.byte_range()].to_owned()).unwrap_or_default()
    };
    match how {
        Name::Field => field(node, "name"),
        Name::Implementation => {
            let (of, on) = (field(node, "trait"), field(node, "type"));
            if of.is_empty() { on } else { format!("{of} for {on}") }
        }
        Name::Receiver => format!("{} {}", field(node, "receiver"), field(node, "name")),
        Name::Inner => {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).map(|child| field(child, "name")).find(|name| !name.is_empty());
            name.unwrap_or_default()
        }
        Name::Declarator => {
            let mut innermost = node;
            // Pointers, arrays and parameters wrap the name, a handful of times at most.
            for _ in 0..16 {
                let Some(next) = innermost.child_by_field_name("declarator") else { break };
                innermost = next;
            }
            if innermost.id() == node.id() { String::new() } else { text[innermost.byte_range()].to_owned() }
        }
    }
}

fn first_line_end(node: Node<'_>, text: &str) -> usize {
    let rest = &text[node.byte_range()];
    node.start_byte() + rest.find('\n').unwrap_or(rest.len())
}
