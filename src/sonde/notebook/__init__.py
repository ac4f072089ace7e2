"""sonde in a notebook: `%load_ext sonde`, then `%%sonde` above a cell, and `%sonde bench f() against g()`.

Nothing of IPython is imported: its shell loads the extension, and hands itself over.
"""

from sonde.notebook.magic import load_ipython_extension, unload_ipython_extension

__all__ = ["load_ipython_extension", "unload_ipython_extension"]
