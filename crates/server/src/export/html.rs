//! One page of HTML: no scripts, no addresses, everything that was written as text. A policy in the page itself keeps
//! any browser from loading or running anything, should this file ever be wrong.

use super::Source;
use super::part::{Part, What};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}h2{font-size:.85rem;font-weight:600;margin:2rem 0 .3rem}time{font-weight:400;opacity:.7}\
.text,.out{white-space:pre-wrap;overflow-wrap:anywhere}.person{border-left:3px solid;padding-left:.8rem}\
.out{font:13px/1.45 ui-monospace,monospace;border:1px solid;border-radius:6px;padding:.6rem}.thought,.host{opacity:.75}";

pub(super) fn write(source: &Source<'_>, parts: &[Part<'_>]) -> String {
    let title = escaped(source.title);
    let pieces: String = parts.iter().map(piece).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<p class=\"host\">Exported from Riad at {}.</p>\n{pieces}</body>\n</html>\n",
        source.now.rfc3339()
    )
}

fn piece(part: &Part<'_>) -> String {
    let head = |who: &str| format!("<h2>{} <time>{}</time></h2>\n", escaped(who), part.at.rfc3339());
    match &part.what {
        What::Said(text) => format!("{}<div class=\"text person\">{}</div>\n", head("Person"), escaped(text)),
        What::Thought(text) => {
            format!(
                "<details class=\"thought\"><summary>Reasoning</summary><div class=\"text\">{}</div></details>\n",
                escaped(text)
            )
        }
        What::Replied { model, text } => format!("{}<div class=\"text\">{}</div>\n", head(model), escaped(text)),
        What::Called { tool, label } => format!("<p class=\"host\">Call: {}</p>\n", escaped(label.unwrap_or(tool))),
        What::Returned { tool, text } => format!(
            "<details><summary>Result of {}</summary><div class=\"out\">{}</div></details>\n",
            escaped(tool),
            escaped(text)
        ),
        What::Host(line) => format!("<p class=\"host\">{}</p>\n", escaped(line)),
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // NUL and its like are no characters of an HTML text.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
