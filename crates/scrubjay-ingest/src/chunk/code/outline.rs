//! From a tree to segments: where each item begins and what it is called.

use tree_sitter::{Node, Tree};

use super::super::Limits;
use super::super::lines::Lines;
use super::super::segment::{Role, Segment, join};
use super::grammar::{Grammar, Item, Shape};
use super::names;

/// How deep items are looked for. Code by people stays far below; a tree may be as deep as its text is long.
const DEPTH: usize = 100;

/// The segments of a tree, in order of their lines.
pub(super) fn segments(tree: &Tree, grammar: &'static Grammar, lines: &Lines<'_>, limits: &Limits) -> Vec<Segment> {
    let mut outline = Outline { grammar, lines, limits, segments: Vec::new() };
    outline.children(tree.root_node(), "", 0);
    outline.segments
}

struct Outline<'a> {
    grammar: &'static Grammar,
    lines: &'a Lines<'a>,
    limits: &'a Limits,
    segments: Vec<Segment>,
}

impl Outline<'_> {
    /// Goes through what stands in a node, whose path is `parent`.
    fn children(&mut self, node: Node<'_>, parent: &str, depth: usize) {
        // The first line of comments and attributes that wait for their item, and the line they end in.
        let mut lead: Option<(usize, usize)> = None;
        for child in self.contents(node) {
            let (first, last) = (child.start_position().row, last_row(child));
            let adjacent = lead.filter(|(_, end)| first <= end + 1);
            if adjacent.is_none() {
                self.loose(lead.take(), parent);
            }
            let start = adjacent.map_or(first, |(start, _)| start);
            if !self.grammar.leads.contains(&child.kind()) {
                lead = None;
                self.node(child, start, parent, depth);
            } else if self.starts_its_line(child) {
                // A comment behind something else on its line is not about what follows.
                lead = Some((start, last));
            }
        }
        self.loose(lead, parent);
    }

    /// What stands in a node: what is in its body, and the comments before that, which some grammars leave outside.
    fn contents<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        let Some(body) = node.child_by_field_name("body") else { return node.named_children(&mut cursor).collect() };
        let before = node.named_children(&mut cursor).take_while(|child| child.id() != body.id());
        let mut contents: Vec<Node<'t>> = before.filter(|child| self.grammar.leads.contains(&child.kind())).collect();
        contents.extend(body.named_children(&mut body.walk()));
        contents
    }

    /// One node, with what leads to it from line `start` on.
    fn node(&mut self, whole: Node<'_>, start: usize, parent: &str, depth: usize) {
        let (inner, item) = self.unwrap(whole);
        if let Some(item) = item {
            let label = names::label(inner, &item, self.lines.text);
            let signature = names::signature(whole, inner, self.lines.text);
            self.item(inner, start, parent, label, signature, item.shape, depth);
            return;
        }
        if let Some(name) = names::variable(inner, self.grammar.values, self.lines.text) {
            let signature = names::signature(whole, inner, self.lines.text);
            self.item(inner, start, parent, name, signature, Shape::Leaf, depth);
            return;
        }
        self.push(start, parent, String::new(), String::new(), Role::Loose);
        // Something big that is no item may hold items: guards of headers, wrappers of modules, damaged code.
        let range = whole.start_position().row..last_row(whole) + 1;
        if depth < DEPTH && self.lines.tokens(range) > self.limits.tokens {
            self.children(whole, parent, depth + 1);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one caller each for items and variables, and every part is needed")]
    fn item(
        &mut self,
        node: Node<'_>,
        start: usize,
        parent: &str,
        label: String,
        signature: String,
        shape: Shape,
        depth: usize,
    ) {
        let range = start..last_row(node) + 1;
        let whole = shape == Shape::Leaf || depth >= DEPTH || self.lines.tokens(range) <= self.limits.tokens / 3;
        if whole {
            self.push(start, parent, label, signature, Role::Item);
            return;
        }
        let path = join(parent, &label);
        self.push(start, parent, label, signature, Role::Header);
        self.children(node, &path, depth + 1);
    }

    /// The item in a node that may only wrap it.
    fn unwrap<'t>(&self, node: Node<'t>) -> (Node<'t>, Option<Item>) {
        let mut inner = node;
        for _ in 0..4 {
            if let Some(item) = self.grammar.items.iter().find(|item| item.kind == inner.kind()) {
                // A declaration without a body, such as `struct a;`, is nothing to look for.
                let bare = item.shape == Shape::Container
                    && inner.child_by_field_name("body").is_none()
                    && inner.named_child_count() < 2;
                return (inner, (!bare).then_some(*item));
            }
            if !self.grammar.wrappers.contains(&inner.kind()) {
                break;
            }
            let field = ["declaration", "definition", "value"].iter().find_map(|name| inner.child_by_field_name(name));
            let Some(next) = field.or_else(|| inner.named_children(&mut inner.walk()).last()) else { break };
            inner = next;
        }
        (inner, None)
    }

    fn loose(&mut self, lead: Option<(usize, usize)>, parent: &str) {
        if let Some((start, _)) = lead {
            self.push(start, parent, String::new(), String::new(), Role::Loose);
        }
    }

    /// Adds a segment, unless its line already belongs to one: two items on a line cannot be told apart by lines.
    fn push(&mut self, first_line: usize, parent: &str, label: String, signature: String, role: Role) {
        if first_line < self.lines.len() && self.segments.last().is_none_or(|last| last.first_line < first_line) {
            self.segments.push(Segment { first_line, parent: parent.to_owned(), label, signature, role });
        }
    }

    fn starts_its_line(&self, node: Node<'_>) -> bool {
        let line = self.lines.bytes(node.start_position().row..node.start_position().row + 1);
        self.lines.text[line.start..node.start_byte()].trim().is_empty()
    }
}

/// The last line a node has text in. Some nodes end with a line end, and so at the beginning of the next line.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}
