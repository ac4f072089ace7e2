"""Running passes one after the other: ours on the model, LLVM's in LLVM."""

from collections.abc import Collection
from dataclasses import dataclass

from sonde.base.errors import InternalError, SondeError
from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LlvmModule
from sonde.passes.change_log import Change, ChangeLog
from sonde.passes.llvm_steps import LlvmPipeline, LlvmSinglePass, LlvmStep
from sonde.passes.transformation import Pass

Step = Pass | LlvmStep


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of running a pipeline."""

    module: Module
    log: list[Change]
    """What each step did, in order."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A list of passes.

    >>> from sonde.passes import parse_recipe
    >>> outcome = parse_recipe("eliminate-dead-code").run(parse_module('''
    ... define i32 @f(i32 %x) {
    ...   %dead = mul i32 %x, 7
    ...   ret i32 %x
    ... }'''))
    >>> print(*outcome.log)
    eliminate-dead-code: @f: %dead deleted
    """

    steps: tuple[Step, ...]

    @property
    def level(self) -> int | None:
        """The highest of LLVM's levels among the steps; None when there is none."""
        return max((each.level for each in self.steps if isinstance(each, LlvmPipeline)), default=None)

    def run(
        self,
        module: Module,
        *,
        functions: Collection[str] | None = None,
        verifies: bool = True,
        explains: bool = True,
    ) -> Outcome:
        """Run every step.

        Args:
            module: is used up; the outcome has what was made of it.
            functions: what our own passes work on, names with sigil; None: all. LLVM's work on the module.
            verifies: let LLVM check the module after each step of ours, not only before its own.
            explains: log what LLVM's passes did too. They are run twice then.
        Raises:
            InternalError: `pass-broke-module`: what a pass of ours left does not verify. Without `verifies`, LLVM may
                find out before a later step of its own; then all passes since it looked last are named.
            InputError: what LLVM says of the module as it was given.
        """
        log: list[Change] = []
        hands = _Hands(module)
        for step in self.steps:
            changes = ChangeLog(step.name)
            if isinstance(step, LlvmPipeline | LlvmSinglePass):
                llvms = hands.llvms()
                if explains:
                    from sonde.passes.llvm_explanations import explain  # with what follows values, which few runs need

                    explain(step, hands.ours(), changes)
                step.run(llvms)
                hands.llvm_has_changed()
            else:
                for function in list(hands.ours().defined_functions()):
                    if functions is None or function.name in functions:
                        step.run(hands.ours(), function, changes)
                hands.we_have_changed(step)
                if verifies:
                    hands.llvms()
            log += changes
        return Outcome(hands.ours(), log)


class _Hands:
    """A module in our hands, in LLVM's, or in both while nobody has changed it."""

    def __init__(self, module: Module) -> None:
        self._ours: Module | None = module
        self._llvms: LlvmModule | None = None
        self._unverified: list[Pass] = []
        """The passes of ours that have run since LLVM verified the module."""

    def ours(self) -> Module:
        if self._ours is None:
            assert self._llvms is not None
            self._ours = parse_module(self._llvms.text())
        return self._ours

    def llvms(self) -> LlvmModule:
        """LLVM's module, verified.

        Raises:
            InternalError: `pass-broke-module`.
            InputError: no pass of ours has run.
        """
        if self._llvms is None:
            try:
                self._llvms = LlvmModule.from_text(print_module(self.ours()), "module")
            except SondeError as error:
                if not self._unverified:
                    raise
                blamed = " or ".join(f"'{each.name}'" for each in self._unverified)
                raise InternalError(
                    f"cannot go on after the pass {blamed}: {error.message}", slug="pass-broke-module"
                ) from error
            self._unverified.clear()
        return self._llvms

    def we_have_changed(self, step: Pass) -> None:
        self._unverified.append(step)
        self._llvms = None

    def llvm_has_changed(self) -> None:
        self._ours = None
