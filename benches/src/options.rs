//! What is asked for on the command line: names of benches, `--sizes 10000,100000`, `--plot FILE`.

use std::path::PathBuf;

/// Sizes that take a minute or two. A million is for those who ask for it.
const USUAL_SIZES: [u64; 2] = [10_000, 100_000];

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    /// The benches; none named means all.
    pub(crate) benches: Vec<String>,
    /// How many documents the search bench has.
    pub(crate) sizes: Vec<u64>,
    /// Where the picture of the search bench goes, if one is wanted.
    pub(crate) plot: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments after the name of the program.
    pub(crate) fn parse(arguments: &[String], known: &[&str]) -> anyhow::Result<Options> {
        let mut options = Options { benches: Vec::new(), sizes: USUAL_SIZES.to_vec(), plot: None };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| anyhow::anyhow!("`{argument}` needs a value"));
            match argument.as_str() {
                "--sizes" => options.sizes = sizes(value()?)?,
                "--plot" => options.plot = Some(PathBuf::from(value()?)),
                name if known.contains(&name) => options.benches.push(name.to_owned()),
                name => anyhow::bail!("there is no bench `{name}`; there are {}", known.join(", ")),
            }
        }
        Ok(options)
    }
}

fn sizes(text: &str) -> anyhow::Result<Vec<u64>> {
    let sizes: Vec<u64> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
    anyhow::ensure!(sizes.iter().all(|size| *size > 0), "an index of nothing answers nothing");
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> anyhow::Result<Options> {
        let arguments: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        Options::parse(&arguments, &["one", "other"])
    }

    #[test]
    fn names_and_values_are_told_apart() {
        let options = parse("one --sizes 5,1000000 --plot a.svg").unwrap();
        assert_eq!(options.benches, ["one"]);
        assert_eq!(options.sizes, [5, 1_000_000]);
        assert_eq!(options.plot, Some(PathBuf::from("a.svg")));
        assert_eq!(parse("").unwrap().sizes, USUAL_SIZES);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in ["another", "--sizes", "--sizes x", "--sizes 0", "--plot", "--size 5"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
