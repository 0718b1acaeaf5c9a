# SPDX-License-Identifier: BSD-3-Clause
"""Runs of several processes, by mpirun on this machine, whatever it has of cores."""
import os
import unittest

from support import ROOST, SANITIZED, command

# For tests that use ranks.
unless_sanitized = unittest.skipIf(SANITIZED, "Open MPI's own leaks and races would be found")

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",   # more processes than cores
    "OMPI_MCA_mpi_yield_when_idle": "1",        # which then wait for each other
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_plm": "isolated",                 # neither asks for ssh nor for other machines
    "OMPI_MCA_btl": "self,vader",               # nor for a network
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",     # of which containers may keep a process
}


def mpirun(ranks, *words, env=None, **options):
    """Runs roost on so many ranks; `status` is the exit status that mpirun must have, 0 unless given."""
    return command("mpirun", "-n", ranks, ROOST, *words, env=os.environ | ENVIRONMENT | (env or {}), **options)
