//! Colours, for those who can see them; nothing depends on them.

/// What a piece of text is, and so how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Like the rest.
    Plain,
    /// What the eye should find.
    Strong,
    /// What it should pass over.
    Dim,
    /// What introduces other lines.
    Heading,
    /// As it should be.
    Good,
    /// Worth a look.
    Careful,
    /// Wrong.
    Bad,
}

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Palette {
    /// There are.
    pub(crate) colour: bool,
}

impl Palette {
    /// The text in its style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Plain => "",
            Style::Strong => "1",
            Style::Dim => "2",
            Style::Heading => "1;4",
            Style::Good => "32",
            Style::Careful => "33",
            Style::Bad => "1;31",
        };
        if !self.colour || code.is_empty() || text.is_empty() {
            return text.to_owned();
        }
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colour_text_is_plain() {
        assert_eq!(Palette { colour: false }.paint(Style::Bad, "x"), "x");
        assert_eq!(Palette { colour: true }.paint(Style::Bad, "x"), "\u{1b}[1;31mx\u{1b}[0m");
        assert_eq!(Palette { colour: true }.paint(Style::Plain, "x"), "x");
    }
}
