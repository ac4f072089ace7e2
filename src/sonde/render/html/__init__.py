"""What all HTML pages are made of: the document, its shell, styles and scripts that several pages have (`page/`)."""
