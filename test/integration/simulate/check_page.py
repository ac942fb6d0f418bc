"""Checks that a report is one page by itself: check_page.py PAGE CHARTS."""

import html.parser
import re
import sys
import xml.dom.minidom

text = open(sys.argv[1]).read()


class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img", "iframe"), tag
        for name, _ in attributes:
            assert name not in ("src", "href") and not name.startswith("on"), name


Page().feed(text)
charts = re.findall(r"<svg.*?</svg>", text, re.S)
assert len(charts) == int(sys.argv[2]), len(charts)
for chart in charts:
    xml.dom.minidom.parseString(chart)
assert "nan" not in "".join(charts) and "inf" not in "".join(charts).replace("inside", "")
