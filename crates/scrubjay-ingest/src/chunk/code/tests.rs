//! What each language's items are called, and what stays together.

use super::chunk;
use crate::chunk::Limits;
use crate::source::language::Language;

/// Small limits, so that short examples show how things are cut.
fn check(language: Language, text: &str, expected: &[(&str, u32, u32)]) {
    let chunks = chunk(language, text, &Limits::new(60, 0));
    let found: Vec<_> = chunks.iter().map(|c| (c.context.as_str(), c.start_line, c.end_line)).collect();
    assert_eq!(found, expected, "{}", language.name());
}

#[test]
fn rust() {
    check(
        Language::Rust,
        "//! The crate.\n\nuse std::fmt;\nuse std::io;\n\n/// A store.\n#[derive(Debug)]\npub struct Store {\n    path: String,\n}\n\nimpl Store {\n    /// Opens it.\n    #[must_use]\n    pub fn open(path: &str) -> Self {\n        Self { path: path.to_owned() }\n    }\n\n    /// Closes it, and says where it was.\n    pub fn close(self) -> String {\n        drop(self.path.clone());\n        self.path\n    }\n}\n",
        &[("", 1, 5), ("struct Store", 6, 11), ("impl Store > fn open", 12, 18), ("impl Store > fn close", 19, 24)],
    );
}

#[test]
fn a_big_function_is_cut_with_its_signature() {
    let body = "    let value = compute(value, 1);\n".repeat(20);
    let text = format!(
        "impl fmt::Display for Store {{\n    fn fmt(&self, f: &mut Formatter) -> fmt::Result {{\n{body}    }}\n}}\n"
    );
    let chunks = chunk(Language::Rust, &text, &Limits::new(60, 10));
    assert!(chunks.len() > 3);
    assert_eq!(chunks[0].context, "impl fmt::Display for Store > fn fmt");
    let last = chunks.last().unwrap();
    assert_eq!(last.context, "impl fmt::Display for Store > fn fmt(&self, f: &mut Formatter) -> fmt::Result");
}

#[test]
fn python() {
    check(
        Language::Python,
        "import os\nimport sys\n\n@cached\ndef first(a, b):\n    \"\"\"Adds two numbers, and then some more of them.\"\"\"\n    return a + b + os.getpid() + sys.maxsize\n\nclass Store:\n    \"\"\"Holds things.\"\"\"\n\n    # Opens it.\n    def open(self, path):\n        self.path = path\n        return self.path.strip().lower() or None\n\n    def close(self):\n        print('closing', self.path, self.path, self.path)\n        self.path = None\n",
        &[("", 1, 3), ("def first", 4, 8), ("class Store > def open", 9, 16), ("class Store > def close", 17, 19)],
    );
}

#[test]
fn javascript_and_typescript() {
    let text = "import x from 'x';\n\n/** Opens. */\nexport const open = async (path) => {\n  await x.open(path, { flag: 'r', mode: 0o644 });\n  return path;\n};\n\nexport default class Store {\n  constructor(path) { this.path = path; this.other = path; this.third = path; }\n\n  close() {\n    x.close(this.path); x.close(this.other); x.close(this.third);\n  }\n}\n\nfunction last() { return 1; }\n";
    let expected = [
        ("", 1, 2),
        ("open", 3, 8),
        ("class Store > method constructor", 9, 11),
        ("class Store > method close", 12, 16),
        ("function last", 17, 17),
    ];
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        check(language, text, &expected);
    }
}

#[test]
fn go() {
    check(
        Language::Go,
        "package store\n\nimport \"os\"\n\n// Store holds.\ntype Store struct {\n\tpath string\n\tfile *os.File\n\tcount int\n\tother map[string]string\n}\n\n// Open opens it.\nfunc (s *Store) Open(path string) error {\n\tf, err := os.Open(path)\n\ts.file = f\n\ts.path = path\n\treturn err\n}\n",
        &[("", 1, 4), ("type Store", 5, 12), ("func (s *Store) Open", 13, 19)],
    );
}

#[test]
fn java_and_csharp() {
    let text = "class Store {\n  private String path;\n\n  /** Opens the store at the path, whatever it is. */\n  @Override\n  public void open(String path) {\n    this.path = path;\n    System.out.println(path + path);\n  }\n\n  void close() {\n    this.path = null;\n    System.out.println(path + path + path + path);\n  }\n}\n";
    check(Language::Java, text, &[("class Store > method open", 1, 10), ("class Store > method close", 11, 15)]);
    let text = text.replace("  @Override\n", "  [Obsolete]\n");
    check(Language::CSharp, &text, &[("class Store > method open", 1, 10), ("class Store > method close", 11, 15)]);
}

#[test]
fn c_and_cpp() {
    check(
        Language::C,
        "#ifndef A_H\n#define A_H\n#include <stdio.h>\n\n/* Opens it. */\nstatic int *store_open(const char *path, int flags)\n{\n    printf(\"%s %d\\n\", path, flags);\n    return open_file(path, flags, 0644);\n}\n\nint store_close(int fd) {\n    printf(\"closing %d and nothing else\\n\", fd);\n    return close_file(fd, fd, fd);\n}\n#endif\n",
        &[("", 1, 4), ("store_open(const char *path, int flags)", 5, 11), ("store_close(int fd)", 12, 16)]
            .map(|(name, a, b)| (name.split('(').next().unwrap(), a, b)),
    );
    check(
        Language::Cpp,
        "namespace store {\ntemplate <typename T>\nclass Map {\n public:\n  // Finds it.\n  T find(const std::string& key) const {\n    auto it = items_.find(key);\n    return it == items_.end() ? T{} : it->second;\n  }\n private:\n  std::map<std::string, T> items_;\n};\n\nint Other::run(int a) { return a + 1 + 2 + 3 + a * a * a * a * a * a * a * a * a * a * a; }\n}\n",
        &[
            ("namespace store > class Map", 1, 4),
            ("namespace store > class Map > find", 5, 9),
            ("namespace store > class Map", 10, 13),
            ("namespace store > Other::run", 14, 15),
        ],
    );
}

#[test]
fn ruby_php_and_bash() {
    check(
        Language::Ruby,
        "module Store\n  class Map\n    # Finds it.\n    def find(key)\n      @items.fetch(key) { raise KeyError, \"no #{key} here, sorry\" }\n    end\n\n    def self.build(items)\n      new(items.map { |item| [item.key, item.value, item] }.to_h)\n    end\n  end\nend\n",
        &[("module Store > class Map > def find", 1, 7), ("module Store > class Map > def self.build", 8, 12)],
    );
    check(
        Language::Php,
        "<?php\nclass Store {\n  /** Opens. */\n  public function open(string $path): bool {\n    return file_exists($path) && is_readable($path) && $this->load($path);\n  }\n\n  public function close(): void {\n    $this->path = null; $this->other = null; $this->third = null;\n  }\n}\n",
        &[("", 1, 1), ("class Store > method open", 2, 7), ("class Store > method close", 8, 11)],
    );
    check(
        Language::Bash,
        "#!/bin/bash\nset -e\n\n# Opens it.\nopen_store() {\n  echo \"opening $1 and $2 and $3 with care\"\n  mkdir -p \"$1\" \"$2\" \"$3\" || exit 1\n}\n\nopen_store a b c\n",
        &[("", 1, 3), ("function open_store", 4, 9), ("", 10, 10)],
    );
}

#[test]
fn broken_code_still_has_items() {
    check(
        Language::Rust,
        "fn good() {\n    let a = one(two(three(four(five(six(seven(eight(nine()))))))));\n    let b = a + a + a + a;\n}\n\nfn broken( {{{ \n\nfn other() {\n    let c = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9;\n    c + c + c + c\n}\n",
        &[("fn good", 1, 5), ("", 6, 7), ("fn other", 8, 11)],
    );
}

#[test]
fn a_short_header_is_never_alone() {
    let doc = "    Says a lot about what this class does.\n".repeat(20);
    let text = format!("class Store:\n    \"\"\"\n{doc}    \"\"\"\n\n    def open(self):\n        return self.path\n");
    let chunks = chunk(Language::Python, &text, &Limits::new(60, 0));
    assert_eq!((chunks[0].context.as_str(), chunks[0].start_line), ("class Store", 1));
    assert!(chunks[0].end_line > 3);
    assert_eq!(chunks.last().unwrap().context, "class Store > def open");
}

#[test]
fn small_functions_have_chunks_of_their_own() {
    check(
        Language::Rust,
        "use a::b;\nfn one() -> u8 { 1 }\nfn two() -> u8 { 2 }\nconst THREE: u8 = 3;\nfn four() -> u8 { 4 }\n",
        &[("", 1, 1), ("fn one", 2, 2), ("fn two", 3, 3), ("", 4, 4), ("fn four", 5, 5)],
    );
}
