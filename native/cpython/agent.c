#include "agent.h"

sn_agent agent;
