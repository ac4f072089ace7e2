"""Lets LLVM print what it knows of a module: graphs into the current folder, debug output to stderr.

    python llvm_printers.py MODULE.ll DEBUG_TYPES pass ...

A process of its own, since LLVM's options are of the whole process and its files go to where one stands. DEBUG_TYPES
is a list with commas, or `-`; a pass is the name of llvmlite's method without `add_` and `_pass`.
"""

import sys

import llvmlite.binding as llvm

module_path, debug_types, *passes = sys.argv[1:]
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
if debug_types != "-":
    llvm.set_option("", f"-debug-only={debug_types}")
with open(module_path) as source:
    module = llvm.parse_assembly(source.read(), llvm.create_context())
machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
manager = llvm.create_new_module_pass_manager()
for name in passes:
    getattr(manager, f"add_{name}_pass")()
manager.run(module, builder)
sys.stdout.write(str(module))
