"""Programs whose functions are replaced while they run: stubs and slots, versions, calls, the workbench."""

from sonde.machine.calls import CallResult, Timing
from sonde.machine.descriptions import CodeAddress, FunctionInfo, ModuleInfo, PassReport, VersionInfo
from sonde.machine.unit import Unit, UnitObjects
from sonde.machine.versions import BASE, MachineCode, ManagedFunction, Version, body_name
from sonde.machine.virtual_machine import VirtualMachine
from sonde.machine.workbench import Workbench

__all__ = [
    "BASE",
    "CallResult",
    "CodeAddress",
    "FunctionInfo",
    "MachineCode",
    "ManagedFunction",
    "ModuleInfo",
    "PassReport",
    "Timing",
    "Unit",
    "UnitObjects",
    "Version",
    "VersionInfo",
    "VirtualMachine",
    "Workbench",
    "body_name",
]
