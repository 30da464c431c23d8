# SPDX-License-Identifier: GPL-2.0-only
"""Formats other than HDF5."""

import importlib
import os

from .converter import Converter
from .failure import UsageFailure

# The module and the class of each format, imported only when needed.
FORMATS = {
    "wav": ("convert_wav", "WavConverter"),
    "sr": ("convert_sr", "SigrokConverter"),
    "csv": ("convert_csv", "CsvConverter"),
    "npy": ("convert_npy", "NpyConverter"),
    "npz": ("convert_npy", "NpzConverter"),
    "parquet": ("convert_parquet", "ParquetConverter"),
}
HDF_SUFFIXES = ("nxs", "h5", "hdf5", "hdf", "nx5")


def format_of(path: str) -> str:
    """Return the format for the name of a file."""
    suffix = os.path.splitext(path)[1].lstrip(".").lower()
    if suffix in FORMATS:
        return suffix
    if suffix in HDF_SUFFIXES:
        return "hdf5"
    raise UsageFailure(
        f"{path}: which format is that? Use --to, or a name that ends in "
        f"{', '.join('.' + name for name in ('nxs', 'h5', *FORMATS))}"
    )


def find_converter(to: str) -> type[Converter]:
    """Return the class for the format @to."""
    module, name = FORMATS[to]
    found: type[Converter] = getattr(
        importlib.import_module(f".{module}", __package__), name
    )
    return found
