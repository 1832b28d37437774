//! The picture: CPU time of a search over the number of documents, both on scales of powers of ten.

use std::fmt::Write as _;

use super::contender::By;
use super::report::grouped;
use super::run::{Case, Measured};
use crate::measure::Taken;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 404.0;
/// Labels of lines that end closer together than this are moved apart.
const LABEL_HEIGHT: f64 = 18.0;

struct Line {
    label: &'static str,
    colour: &'static str,
    dashes: &'static str,
    /// Documents and milliseconds.
    points: Vec<(f64, f64)>,
}

/// The picture as SVG.
pub(super) fn plot(measured: &[Measured]) -> anyhow::Result<String> {
    let line = |label, colour, dashes, points| Line { label, colour, dashes, points };
    let (ours, other) = (|case: &Case| case.ours, |case: &Case| case.baseline);
    let (vectors, words, both) = ("#b45309", "#1d6fa5", "#15803d");
    let recalls = times(measured, |one| one.operations.first().map(|operation| operation.median));
    let lines = [
        line("sqlite-vec f32", vectors, "6 4", points(measured, By::Vector, other)),
        line("FTS5, 8 words", words, "6 4", points(measured, By::Words, other)),
        line("SQLite, both", both, "6 4", points(measured, By::Both, other)),
        line("Scrubjay, vector", vectors, "none", points(measured, By::Vector, ours)),
        line("Scrubjay, 8 words", words, "none", points(measured, By::Words, ours)),
        line("Scrubjay, whole recall", both, "none", recalls),
    ];
    draw(&lines)
}

/// The first case that asks this way is the one without a filter.
fn points(measured: &[Measured], by: By, pick: fn(&Case) -> Taken) -> Vec<(f64, f64)> {
    times(measured, |one| one.cases.iter().find(|case| case.by == by).map(pick))
}

fn times(measured: &[Measured], pick: impl Fn(&Measured) -> Option<Taken>) -> Vec<(f64, f64)> {
    let point = |one: &Measured| Some((one.size as f64, (pick(one)?.cpu.as_secs_f64() * 1e3).max(1e-3)));
    let mut points: Vec<(f64, f64)> = measured.iter().filter_map(point).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}

fn draw(lines: &[Line]) -> anyhow::Result<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (columns, rows) = (decades(points().map(|point| point.0)), decades(points().map(|point| point.1)));
    let x = |size: f64| LEFT + place(size, columns) * (RIGHT - LEFT);
    let y = |millis: f64| BOTTOM - place(millis, rows) * (BOTTOM - TOP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#333\">\n\
         <title>CPU milliseconds of one search over the number of items</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\" font-weight=\"600\">One search, best 10: CPU milliseconds by number of items</text>\n"
    );
    for decade in rows.0..=rows.1 {
        let (value, at) = (10_f64.powi(decade), y(10_f64.powi(decade)));
        writeln!(out, "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/>")?;
        writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", LEFT - 8.0, at + 4.5)?;
    }
    for decade in columns.0..=columns.1 {
        let (value, at) = (grouped(10_u64.pow(decade.unsigned_abs())), x(10_f64.powi(decade)));
        writeln!(out, "<path d=\"M{at:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/>")?;
        writeln!(out, "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>", BOTTOM + 20.0)?;
    }
    writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">items</text>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 42.0
    )?;
    writeln!(
        out,
        "<text transform=\"translate(20 {:.1}) rotate(-90)\" text-anchor=\"middle\">CPU ms</text>",
        (TOP + BOTTOM) / 2.0
    )?;
    for line in lines {
        let path: Vec<String> =
            line.points.iter().map(|(size, millis)| format!("{:.1} {:.1}", x(*size), y(*millis))).collect();
        writeln!(
            out,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
            path.join("L"),
            line.colour,
            line.dashes
        )?;
        for (size, millis) in &line.points {
            writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{}\"/>",
                x(*size),
                y(*millis),
                line.colour
            )?;
        }
    }
    for (line, at) in label_places(lines, y) {
        if let Some((_, millis)) = line.points.last() {
            let (start, millis) = (RIGHT + 12.0, short(*millis));
            writeln!(
                out,
                "<text x=\"{start}\" y=\"{:.1}\" fill=\"{}\">{}: {millis}</text>",
                at + 4.5,
                line.colour,
                line.label
            )?;
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// Where the labels go: beside the ends of their lines, from the top, none over another.
fn label_places(lines: &[Line], y: impl Fn(f64) -> f64) -> Vec<(&Line, f64)> {
    let ends = lines.iter().filter_map(|line| line.points.last().map(|(_, millis)| (line, y(*millis))));
    let mut places: Vec<(&Line, f64)> = ends.collect();
    places.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut free_from = f64::MIN;
    for (_, at) in &mut places {
        *at = at.max(free_from);
        free_from = *at + LABEL_HEIGHT;
    }
    places
}

/// The powers of ten around all values; at least one step.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for value in values {
        let exponent = value.log10();
        low = low.min(exponent.floor() as i32);
        high = high.max(exponent.ceil() as i32);
    }
    if low > high { (0, 1) } else { (low, high.max(low + 1)) }
}

/// Where a value lies between two powers of ten, from 0 to 1.
fn place(value: f64, (low, high): (i32, i32)) -> f64 {
    (value.log10() - f64::from(low)) / f64::from(high - low)
}

fn short(millis: f64) -> String {
    if millis < 10.0 { format!("{millis:.2}") } else { format!("{millis:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_axes_and_labels_do_not_meet() {
        let line = |label, points| Line { label, colour: "#000", dashes: "none", points };
        let lines = [
            line("one", vec![(1e4, 0.1), (1e5, 1.0), (1e6, 10.0)]),
            line("other", vec![(1e4, 0.2), (1e5, 1.0), (1e6, 10.5)]),
        ];
        let picture = draw(&lines).unwrap();
        // The smallest values are in the corner, and the middle size is in the middle.
        assert!(picture.contains(&format!("M{LEFT:.1} {BOTTOM:.1}L{:.1} ", (LEFT + RIGHT) / 2.0)), "{picture}");
        let places = label_places(&lines, |millis| -millis);
        assert_eq!((places[0].0.label, places[1].0.label), ("other", "one"));
        assert!(places[1].1 - places[0].1 >= LABEL_HEIGHT);
    }

    #[test]
    fn decades_surround_the_values() {
        assert_eq!(decades([0.05, 3.0].into_iter()), (-2, 1));
        assert_eq!(decades([1.0].into_iter()), (0, 1));
        assert_eq!(decades(std::iter::empty()), (0, 1));
    }
}
