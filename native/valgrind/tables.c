/* What has been found out so far: the tables that all parts of the tool share.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool.h"

struct totals totals;
struct collections collections[GENERATIONS];
struct sn_cache *cache;
struct sn_lives lives;
struct sn_ledger ledger;
struct sn_line_sharing sharing;
struct sn_field_counts field_counts;
uint64_t clock_, instructions_run;
uint64_t next_snapshot = ~(uint64_t)0;
Bool window_open;
