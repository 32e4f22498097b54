"""What a command is told about the place where it runs."""

import os

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # testbed/


def told(place, devices=(), addresses=()):
    """Returns environment variables: the place, its RDMA devices, and their IPv4 addresses if we made them."""
    return {"ISTHMUS_TESTBED": place,
            "ISTHMUS_DEVICES": " ".join(devices),
            "ISTHMUS_ADDRESSES": " ".join(addresses)}


def assigned(options):
    """Returns the environment variables that --env gives a value."""
    return dict(item.split("=", 1) for item in options.env if "=" in item)
