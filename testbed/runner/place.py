"""What a command is told about the place where it runs."""

import os

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # testbed/


def told(place, devices=(), addresses=(), ipv6=()):
    """Returns environment variables: the place, its RDMA devices, and their addresses if we made them."""
    return {"ISTHMUS_TESTBED": place,
            "ISTHMUS_DEVICES": " ".join(devices),
            "ISTHMUS_ADDRESSES": " ".join(addresses),
            "ISTHMUS_ADDRESSES_IPV6": " ".join(ipv6)}


def assigned(options):
    """Returns the environment variables that --env gives a value."""
    return dict(item.split("=", 1) for item in options.env if "=" in item)
