"""One plan, outcome or report as text, Markdown, JSON, SARIF or annotations."""
