//! What each language calls its items.

use crate::source::language::Language;

/// What a node is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A thing of its own, such as a function. What is in it stays with it.
    Leaf,
    /// A thing that holds others, such as a class.
    Container,
}

/// How the name of an item is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// In the field `name`.
    Field,
    /// In the field `type` with the field `trait` before it: a Rust implementation.
    Implementation,
    /// In the innermost `declarator`: C and C++.
    Declarator,
    /// In the field `name`, with the field `receiver` before it: Go.
    Receiver,
    /// In the first named child that has a `name`: Go's types.
    Inner,
}

/// One kind of item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) kind: &'static str,
    /// What stands before the name: `fn`, `class`.
    pub(super) word: &'static str,
    pub(super) shape: Shape,
    pub(super) name: Name,
}

/// A language as far as chunks need it.
#[derive(Debug)]
pub(super) struct Grammar {
    function: fn() -> tree_sitter::Language,
    pub(super) items: &'static [Item],
    /// Nodes that only wrap an item: an export, decorators, a template.
    pub(super) wrappers: &'static [&'static str],
    /// Nodes that belong to the item after them: comments and attributes.
    pub(super) leads: &'static [&'static str],
    /// Nodes that make a variable an item when they are its value: functions of JavaScript.
    pub(super) values: &'static [&'static str],
}

impl Grammar {
    pub(super) fn language(&self) -> tree_sitter::Language {
        (self.function)()
    }
}

/// The table of a language.
pub(super) fn of(language: Language) -> &'static Grammar {
    match language {
        Language::Bash => &BASH,
        Language::C => &C,
        Language::CSharp => &C_SHARP,
        Language::Cpp => &CPP,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::JavaScript => &JAVASCRIPT,
        Language::Php => &PHP,
        Language::Python => &PYTHON,
        Language::Ruby => &RUBY,
        Language::Rust => &RUST,
        Language::Tsx => &TSX,
        Language::TypeScript => &TYPESCRIPT,
    }
}

const fn leaf(kind: &'static str, word: &'static str) -> Item {
    Item { kind, word, shape: Shape::Leaf, name: Name::Field }
}

const fn container(kind: &'static str, word: &'static str) -> Item {
    Item { kind, word, shape: Shape::Container, name: Name::Field }
}

const fn named(item: Item, name: Name) -> Item {
    Item { name, ..item }
}

static RUST: Grammar = Grammar {
    function: || tree_sitter_rust::LANGUAGE.into(),
    items: &[
        leaf("function_item", "fn"),
        leaf("function_signature_item", "fn"),
        leaf("struct_item", "struct"),
        leaf("enum_item", "enum"),
        leaf("union_item", "union"),
        leaf("macro_definition", "macro"),
        container("trait_item", "trait"),
        named(container("impl_item", "impl"), Name::Implementation),
        container("mod_item", "mod"),
    ],
    wrappers: &[],
    leads: &["line_comment", "block_comment", "attribute_item"],
    values: &[],
};

static PYTHON: Grammar = Grammar {
    function: || tree_sitter_python::LANGUAGE.into(),
    items: &[leaf("function_definition", "def"), container("class_definition", "class")],
    wrappers: &["decorated_definition"],
    leads: &["comment"],
    values: &[],
};

const SCRIPT_ITEMS: &[Item] = &[
    leaf("function_declaration", "function"),
    leaf("generator_function_declaration", "function"),
    leaf("function_signature", "function"),
    leaf("method_definition", "method"),
    leaf("method_signature", "method"),
    leaf("abstract_method_signature", "method"),
    container("class_declaration", "class"),
    container("class", "class"),
    container("abstract_class_declaration", "class"),
    leaf("interface_declaration", "interface"),
    leaf("type_alias_declaration", "type"),
    leaf("enum_declaration", "enum"),
    container("internal_module", "namespace"),
    container("module", "module"),
];
const SCRIPT_WRAPPERS: &[&str] = &["export_statement", "ambient_declaration"];
const SCRIPT_LEADS: &[&str] = &["comment", "decorator"];
const SCRIPT_VALUES: &[&str] = &["arrow_function", "function_expression", "generator_function", "class"];

static JAVASCRIPT: Grammar = Grammar {
    function: || tree_sitter_javascript::LANGUAGE.into(),
    items: SCRIPT_ITEMS,
    wrappers: SCRIPT_WRAPPERS,
    leads: SCRIPT_LEADS,
    values: SCRIPT_VALUES,
};

static TYPESCRIPT: Grammar = Grammar {
    function: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    items: SCRIPT_ITEMS,
    wrappers: SCRIPT_WRAPPERS,
    leads: SCRIPT_LEADS,
    values: SCRIPT_VALUES,
};

static TSX: Grammar = Grammar {
    function: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    items: SCRIPT_ITEMS,
    wrappers: SCRIPT_WRAPPERS,
    leads: SCRIPT_LEADS,
    values: SCRIPT_VALUES,
};

static GO: Grammar = Grammar {
    function: || tree_sitter_go::LANGUAGE.into(),
    items: &[
        leaf("function_declaration", "func"),
        named(leaf("method_declaration", "func"), Name::Receiver),
        named(leaf("type_declaration", "type"), Name::Inner),
    ],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};

static JAVA: Grammar = Grammar {
    function: || tree_sitter_java::LANGUAGE.into(),
    items: &[
        container("class_declaration", "class"),
        container("interface_declaration", "interface"),
        container("enum_declaration", "enum"),
        container("record_declaration", "record"),
        container("annotation_type_declaration", "@interface"),
        leaf("method_declaration", "method"),
        leaf("constructor_declaration", "constructor"),
        leaf("compact_constructor_declaration", "constructor"),
    ],
    wrappers: &[],
    leads: &["line_comment", "block_comment"],
    values: &[],
};

static C: Grammar = Grammar {
    function: || tree_sitter_c::LANGUAGE.into(),
    items: &[
        named(leaf("function_definition", ""), Name::Declarator),
        named(leaf("type_definition", "typedef"), Name::Declarator),
        leaf("struct_specifier", "struct"),
        leaf("union_specifier", "union"),
        leaf("enum_specifier", "enum"),
        leaf("preproc_function_def", "#define"),
    ],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};

static CPP: Grammar = Grammar {
    function: || tree_sitter_cpp::LANGUAGE.into(),
    items: &[
        named(leaf("function_definition", ""), Name::Declarator),
        named(leaf("type_definition", "typedef"), Name::Declarator),
        container("struct_specifier", "struct"),
        container("class_specifier", "class"),
        container("namespace_definition", "namespace"),
        leaf("union_specifier", "union"),
        leaf("enum_specifier", "enum"),
        leaf("concept_definition", "concept"),
        leaf("preproc_function_def", "#define"),
    ],
    wrappers: &["template_declaration"],
    leads: &["comment"],
    values: &[],
};

static RUBY: Grammar = Grammar {
    function: || tree_sitter_ruby::LANGUAGE.into(),
    items: &[
        leaf("method", "def"),
        leaf("singleton_method", "def self."),
        container("class", "class"),
        container("module", "module"),
        container("singleton_class", "class << self"),
    ],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};

static C_SHARP: Grammar = Grammar {
    function: || tree_sitter_c_sharp::LANGUAGE.into(),
    items: &[
        container("namespace_declaration", "namespace"),
        container("class_declaration", "class"),
        container("struct_declaration", "struct"),
        container("interface_declaration", "interface"),
        container("record_declaration", "record"),
        leaf("enum_declaration", "enum"),
        leaf("delegate_declaration", "delegate"),
        leaf("method_declaration", "method"),
        leaf("constructor_declaration", "constructor"),
        leaf("destructor_declaration", "destructor"),
        leaf("property_declaration", "property"),
        leaf("local_function_statement", "function"),
    ],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};

static PHP: Grammar = Grammar {
    function: || tree_sitter_php::LANGUAGE_PHP.into(),
    items: &[
        container("namespace_definition", "namespace"),
        container("class_declaration", "class"),
        container("interface_declaration", "interface"),
        container("trait_declaration", "trait"),
        container("enum_declaration", "enum"),
        leaf("function_definition", "function"),
        leaf("method_declaration", "method"),
    ],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};

static BASH: Grammar = Grammar {
    function: || tree_sitter_bash::LANGUAGE.into(),
    items: &[leaf("function_definition", "function")],
    wrappers: &[],
    leads: &["comment"],
    values: &[],
};
