# Which files are in what: for the package (../CMakeLists.txt) and for the native tests (tests/CMakeLists.txt).
# Paths begin at the project's root.

# The core of the package: plain C, no Python.
set(SONDE_CORE_SOURCES
  native/core/addresses/address_text.c native/core/addresses/address_trace_reader.c
  native/core/addresses/address_trace_writer.c
  native/core/base/burst_page.c native/core/base/cells.c native/core/base/look_loop.c native/core/base/pages.c
  native/core/base/process_memory.c native/core/base/thread_clock.c native/core/base/thread_schedule.c
  native/core/base/word_map.c
  native/core/caches/cache_model.c native/core/caches/load_latency.c native/core/caches/miss_kinds.c
  native/core/contexts/burst_gate.c native/core/contexts/call_tree.c native/core/contexts/child_index.c
  native/core/contexts/compaction.c native/core/contexts/context_tree.c native/core/contexts/cursor_sampler.c
  native/core/contexts/function_sums.c native/core/contexts/hot_contexts.c native/core/contexts/hot_tree.c
  native/core/contexts/spool_file.c native/core/contexts/victim_queue.c native/core/contexts/watched_spool.c
  native/core/lines/line_sampler.c native/core/lines/python_lines.c
  native/core/native_stacks/call_sites.c native/core/native_stacks/code_ranges.c
  native/core/native_stacks/interpreter_symbols.c native/core/native_stacks/jit_map.c
  native/core/native_stacks/jit_objects.c native/core/native_stacks/libdw.c
  native/core/native_stacks/merged_stack.c native/core/native_stacks/module_symbols.c
  native/core/native_stacks/native_names.c native/core/native_stacks/native_stacks.c
  native/core/native_stacks/stack_copy.c native/core/native_stacks/system_threads.c
  native/core/native_stacks/thread_pause.c native/core/native_stacks/unwinder.c
  native/core/paths/path_forest.c native/core/paths/path_text.c native/core/paths/sibling_index.c
  native/core/paths/slab_file.c native/core/paths/slab_forest.c native/core/paths/slab_pruning.c
  native/core/phases/phase_log.c native/core/phases/thread_counters.c native/core/phases/thread_phases.c
  native/core/remarks/remark_bits.c native/core/remarks/remark_bitstream.c
  native/core/remarks/remark_columns.c native/core/remarks/remark_line_memory.c
  native/core/remarks/remark_scalars.c native/core/remarks/remark_strings.c native/core/remarks/remark_yaml.c
  native/core/samples/code_sampler.c native/core/samples/context_credit.c
  native/core/samples/context_sampler.c native/core/samples/current_context.c
  native/core/samples/message_trigger.c native/core/samples/spool_folder.c
  native/core/series/change_points.c
  native/core/stacks/asyncio_offsets.c native/core/stacks/asyncio_tasks.c native/core/stacks/await_chain.c
  native/core/stacks/code_copies.c native/core/stacks/code_pieces.c native/core/stacks/code_table.c
  native/core/stacks/debug_offsets.c native/core/stacks/elf_symbols.c native/core/stacks/instance_values.c
  native/core/stacks/interpreter_lock.c native/core/stacks/known_calls.c native/core/stacks/many_pieces.c
  native/core/stacks/object_types.c native/core/stacks/own_frames.c native/core/stacks/presence.c
  native/core/stacks/process_files.c native/core/stacks/python_check.c native/core/stacks/python_dict.c
  native/core/stacks/python_layout.c native/core/stacks/python_process.c native/core/stacks/python_stack.c
  native/core/stacks/ring_sampler.c native/core/stacks/stack_sampler.c native/core/stacks/stack_top.c
  native/core/stacks/stack_tree.c native/core/stacks/task_awaiters.c native/core/stacks/task_layout.c
  native/core/stacks/task_list.c native/core/stacks/task_sampler.c native/core/stacks/thread_list.c
  native/core/stacks/waiting_tasks.c native/core/stacks/watched_still.c native/core/stacks/watched_tasks.c
  native/core/stacks/watched_threads.c native/core/stacks/watched_time.c
  native/core/trace/trace_reader.c native/core/trace/trace_writer.c
  native/core/trees/leaf_edits.c native/core/trees/pair_costs.c native/core/trees/tree_edits.c
  native/core/trees/tree_shape.c)

# What of the core runs in the Valgrind tool.
set(SONDE_TOOL_CORE_SOURCES
  native/core/addresses/address_trace_writer.c
  native/core/advice/advice_none.c native/core/advice/advice_runtime.c
  native/core/base/word_map.c
  native/core/caches/cache_model.c native/core/caches/miss_kinds.c
  native/core/lines/python_lines.c
  native/core/objects/access_contexts.c native/core/objects/field_counts.c native/core/objects/ledger.c
  native/core/objects/line_sharing.c native/core/objects/lives.c native/core/objects/object_map.c
  native/core/objects/tallies.c)

# Probes in compiled code, each with what of the core it needs: of calls, of paths, of how long functions run, of phases.
set(SONDE_PROBES_SOURCES
  native/core/base/burst_page.c native/core/base/cells.c native/core/base/pages.c native/core/base/word_map.c
  native/core/contexts/child_index.c native/core/contexts/compaction.c native/core/contexts/context_tree.c
  native/core/contexts/hot_contexts.c native/core/contexts/hot_tree.c native/core/contexts/victim_queue.c
  native/probes/bursts.c native/probes/epilogue.c native/probes/linked_code.c native/probes/own_memory.c
  native/probes/probes.c native/probes/thread_spools.c native/probes/thread_tree.c)
set(SONDE_PATH_PROBES_SOURCES
  native/core/base/burst_page.c native/core/base/cells.c
  native/core/paths/sibling_index.c native/core/paths/slab_forest.c native/core/paths/slab_pruning.c
  native/core/paths/slab_states.c
  native/probes/own_memory.c native/probes/path_counts.c native/probes/path_forests.c
  native/probes/thread_spools.c)
set(SONDE_CYCLE_PROBES_SOURCES
  native/core/base/cells.c native/probes/own_memory.c native/probes/thread_spools.c native/probes/unit_cycles.c)
set(SONDE_PHASE_PROBES_SOURCES
  native/core/base/cells.c
  native/core/phases/phase_log.c native/core/phases/thread_counters.c native/core/phases/thread_phases.c
  native/probes/own_memory.c native/probes/phase_calls.c)
