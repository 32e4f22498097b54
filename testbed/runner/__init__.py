# SPDX-License-Identifier: Apache-2.0
"""How testbed/testbed gives a command RDMA devices.

    cli       options, and the choice of where to run
    place     what the command is told about where it runs
    local     on this machine: its own RDMA devices, or Soft-RoCE made for the command
    softroce  Soft-RoCE devices on this machine, and their end
    vm        in QEMU: the guest's life and its end
    streams   the streams of a command in a guest, and ours
    machine   QEMU's command line
    guest     the kernel to boot, and the initramfs that carries the command into the guest
    stay      the guest that stays: up, down, and a command in it
    control   the socket by which commands find it
    keeper    the process that holds it, and lets one command after the other in
    agent     the guest that stays, as the keeper uses it
    failure   what ends a run early
"""
