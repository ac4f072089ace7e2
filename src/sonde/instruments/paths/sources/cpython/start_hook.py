"""Run by the measured interpreter before the program (`sonde.launch.start_hooks`): functions get probes of paths."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", k: str, most_nodes: str, by_events: str, *functions: str) -> None:
    """Have the paths of `functions` counted until the process ends."""
    agent = process.agent("_path_agent")

    def begin() -> None:
        import atexit

        from sonde.instruments.paths.sources.bytecode.traced_program import Settings, TracedProgram

        asked = Settings(process.folder, int(k), int(most_nodes), functions, process.launcher, bool(by_events))
        program = TracedProgram(agent, asked)
        program.begin()
        atexit.register(program.finish)

    process.with_sonde(begin)
