"""Loaded by the start-up of a measured interpreter, before the program: it runs the hooks that sonde has put there.

It stands on PYTHONPATH only until it has run: it takes itself out of the environment, `sys.path` and `sys.modules`,
runs the hooks, and lets the program's own `sitecustomize` run, if there is one. Hooks that follow stay in the
environment for the processes that the program starts. Whatever goes wrong in a hook is written to the folder of its
run; the program runs as it would have. `sonde.launch.start_hooks` writes `SONDE_START`, which is read here.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from typing import Any, Protocol

    class _Agent(Protocol):
        """Of an instrument that records whatever Python does."""

        def pause(self) -> None: ...
        def resume(self) -> None: ...
        def finder(self, name: str, find_spec: Callable[..., object], /) -> Callable[..., object]:
            """A `find_spec` that Python code need not run for each module: it calls this one for one of them."""


_IS_FREE_THREADED = "t" in getattr(sys, "abiflags", "")
"""Also where the GIL of such a build is on."""


class StartingProcess:
    """What a hook is given: this process, before its program, and where sonde lies."""

    def __init__(self, package: str, folder: str, launcher: int, is_followed: bool) -> None:
        self.package = package
        """Folder of sonde, with the agents for this interpreter."""
        self.folder = folder
        """Of the run: what cannot be done is told there."""
        self.launcher = launcher
        """Process that sonde started the program from."""
        self.is_followed = is_followed
        """Processes that this one starts run the hook, too."""

    def need_gil(self) -> None:
        """Refuse builds without a GIL: what loads there turns it on, or, where that is forbidden, runs without.

        Raises:
            ImportError: this is one.
        """
        if _IS_FREE_THREADED:
            raise ImportError("this Python is built without a GIL (free-threaded), and what sonde loads relies on one")

    def agent(self, name: str) -> "types.ModuleType":
        """Load the extension `sonde.NAME` that fits this interpreter, leaving no trace in `sys.modules`.

        Raises:
            ImportError: there is none, or there is no GIL.
        """
        import _imp
        from _frozen_importlib import ModuleSpec
        from _frozen_importlib_external import ExtensionFileLoader

        self.need_gil()
        path = os.path.join(self.package, f"{name}{_imp.extension_suffixes()[0]}")
        if not os.path.exists(path):
            raise ImportError(f"sonde has no agent for Python {sys.version.split()[0]}: there is no '{path}'")
        spec = ModuleSpec(f"sonde.{name}", ExtensionFileLoader(f"sonde.{name}", path), origin=path)
        module = _imp.create_dynamic(spec)
        _imp.exec_dynamic(module)
        sys.modules.pop(f"sonde.{name}", None)
        return module

    def with_sonde(self, do: "Callable[[], Any]") -> "Any":
        """Call `do`, in which sonde can be imported; it is in `sys.modules` no longer than that."""
        from importlib.util import module_from_spec, spec_from_file_location

        theirs = _take_sonde()
        try:
            init = os.path.join(self.package, "__init__.py")
            spec = spec_from_file_location("sonde", init, submodule_search_locations=[self.package])
            assert spec is not None and spec.loader is not None  # it is a file of ours
            package = sys.modules["sonde"] = module_from_spec(spec)
            spec.loader.exec_module(package)
            return do()
        finally:
            _take_sonde()
            sys.modules.update(theirs)

    def names_of(self, path: str) -> "dict[str, Any]":
        """What a file of Python defines, which needs the standard library only; it is no module of the program's."""
        from _frozen_importlib_external import SourceFileLoader

        name = os.path.basename(path).removesuffix(".py")
        names: dict[str, Any] = {"__name__": name, "__file__": path}
        code = SourceFileLoader(name, path).get_code(name)
        assert code is not None  # a file of Python has one
        exec(code, names)
        return names

    def when_loaded(self, name: str, do: "Callable[[types.ModuleType], None]", agent: "_Agent | None" = None) -> None:
        """Call `do` with a module once the program has loaded it, before the program has it.

        Args:
            agent: records nothing of `do`, and of looking for the module.
        """
        sys.meta_path.insert(0, _Finder(name, do, agent))

    def refuse(self, error: BaseException) -> None:
        """Tell sonde, in the folder of the run, why this process is not measured."""
        free = "t" if _IS_FREE_THREADED else ""
        reason = str(error) if isinstance(error, OSError | ImportError) else f"{type(error).__name__}: {error}"
        try:
            with open(os.path.join(self.folder, f"{os.getpid()}.refused"), "w", encoding="utf-8") as note:
                note.write(f"{sys.executable}\n{sys.version.split()[0]}{free}\n{reason}\n")
        except OSError:
            pass


class _Finder:
    """Stands before the finders of modules until one is looked for."""

    def __init__(self, name: str, do: "Callable[[types.ModuleType], None]", agent: "_Agent | None") -> None:
        self._name = name
        self._do = do
        self._pause, self._resume = (agent.pause, agent.resume) if agent is not None else (_go_on, _go_on)
        self.find_spec: Any = agent.finder(name, self._find) if agent is not None else self._find

    def _find(self, name: str, _path: object = None, _target: object = None) -> "ModuleSpec | None":
        if name != self._name:
            return None
        self._pause()
        try:
            sys.meta_path.remove(self)
            from importlib.util import find_spec

            spec: Any = find_spec(name)
            load = getattr(getattr(spec, "loader", None), "exec_module", None)
            if load is not None:

                def exec_module(module: "types.ModuleType") -> None:
                    load(module)
                    self._pause()
                    try:
                        self._do(module)
                    finally:
                        self._resume()

                spec.loader.exec_module = exec_module
            return spec  # type: ignore[no-any-return]
        finally:
            self._resume()


def _go_on() -> None:
    """Nothing is recorded that would have to pause."""


def _take_sonde() -> "dict[str, types.ModuleType]":
    names = [name for name in sys.modules if name == "sonde" or name.startswith("sonde.")]
    return {name: sys.modules.pop(name) for name in names}


def _begin() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    settings = os.environ.get("SONDE_START")
    sys.path[:] = [entry for entry in sys.path if entry != here]
    sys.path_importer_cache.pop(here, None)
    if settings is None:
        return
    had_path, *written = settings.split(";")
    hooks = []
    try:
        for hook in written:
            # Fields in hexadecimal: paths may hold any character, and bytes that are no characters.
            file, package, folder, launcher, follow, *fields = [
                os.fsdecode(bytes.fromhex(field)) for field in hook.split(":")
            ]
            hooks.append((file, StartingProcess(package, folder, int(launcher), bool(follow)), fields))
    except ValueError:
        return  # not set by sonde
    left = [hook for hook, (_, process, _) in zip(written, hooks, strict=True) if process.is_followed]
    if left:
        os.environ["SONDE_START"] = ";".join((had_path, *left))
    else:
        del os.environ["SONDE_START"]
        rest = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry != here]
        if any(rest) or had_path == "1":
            os.environ["PYTHONPATH"] = os.pathsep.join(rest)
        else:
            os.environ.pop("PYTHONPATH", None)
    for file, process, fields in hooks:
        try:
            process.names_of(file)["start"](process, *fields)
        except KeyboardInterrupt:
            _end_by_interrupt()
        except BaseException as error:
            process.refuse(error)


def _end_by_interrupt() -> None:
    """End as a program that is interrupted before it begins: going on would be to swallow what was meant for it."""
    import _signal  # type: ignore[import-not-found] # as in `sonde.__main__`: `signal` is more than is needed

    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    os.kill(os.getpid(), _signal.SIGINT)


_begin()

# Now the program's own, as if this one had never been: an ImportError that names this module
# is what the interpreter expects when there is none.
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402, F401 - the next one on sys.path
