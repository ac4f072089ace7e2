"""LLVM's own passes as steps of a pipeline."""

from dataclasses import dataclass

from sonde.llvm import PIPELINE_PASSES, LlvmModule


@dataclass(frozen=True, slots=True)
class LlvmPipeline:
    """LLVM's pipeline of a level."""

    level: int

    @property
    def name(self) -> str:
        return f"O{self.level}"

    def run(self, module: LlvmModule) -> None:
        module.optimize(self.level)


@dataclass(frozen=True, slots=True)
class LlvmSinglePass:
    """One of `sonde.llvm.PASS_NAMES` or `PIPELINE_PASSES`."""

    name: str

    def run(self, module: LlvmModule) -> None:
        if self.name in PIPELINE_PASSES:
            module.run_pipeline_pass(self.name)
        else:
            module.run_passes([self.name])


LlvmStep = LlvmPipeline | LlvmSinglePass
