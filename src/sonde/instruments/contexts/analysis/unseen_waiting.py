"""How long threads waited for something that no function is known to wait for."""

from sonde.instruments.contexts.profile import WAITING, ContextProfile, is_waiting


def unseen_waiting(profile: ContextProfile) -> int:
    """Time of functions that are not known to wait in which no processor ran for them.

    They waited in C functions (`time.sleep`, locks, a database), or for a file, the GIL or a processor.

    Args:
        profile: as it was counted.
    Returns:
        nanoseconds, at least so many; 0 where nothing is known of it: without wall-clock time, of samples, of several
        processes or a part of a run.
    Guarantee: never more than what was waited so: the processor time of the program is all taken to be of functions
        that are not known to wait, and of those only what was kept counts.
    Cost: O(n) for n contexts.
    """
    run = profile.run
    is_known = run.processor_ns > 0 and run.complete and profile.has_time and run.time_kind == "wall"
    if not is_known or profile.sampling is not None or len(profile.processes) != 1:
        return 0
    waits = [function == WAITING or is_waiting(function) for function in profile.functions]
    tree = profile.contexts
    own = sum(own for function, own in zip(tree.function, tree.self_ns, strict=True) if not waits[function])
    return max(0, own - run.processor_ns)
