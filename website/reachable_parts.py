"""What is wide can be scrolled by the keyboard, what Material leaves without a name gets one, and options stay whole.

Material gives blocks of code a place in the order of the Tab key only once they have been seen, and tables none.
"""

import re

CHANGES = (
    (re.compile(r"<pre(?=[^>]*>(?:<span></span>)?<code)"), '<pre tabindex="0"'),
    (re.compile(r"(<table>.*?</table>)", re.DOTALL), r'<div class="scrolled" tabindex="0">\1</div>'),
    (re.compile(r"<code>(-[^<\s]{1,28})</code>"), r'<code class="whole">\1</code>'),
    (re.compile(r'<input class="md-toggle"(?= data-md-toggle="(\w+)")'), r'<input class="md-toggle" aria-label="\1"'),
)


def on_post_page(output: str, **_: object) -> str:
    """Change the whole page, as it is written."""
    for found, becomes in CHANGES:
        output = found.sub(becomes, output)
    return output


def on_post_template(output_content: str, **_: object) -> str:
    """The same for what is not a page of the documentation: 404.html."""
    return on_post_page(output_content)
