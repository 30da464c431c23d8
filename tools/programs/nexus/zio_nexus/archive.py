# SPDX-License-Identifier: GPL-2.0-only
"""Archives: files of the formats npz and sr."""

import zipfile
from typing import BinaryIO


class Archive(zipfile.ZipFile):
    """An archive that only close() completes. A plain ZipFile also writes when it is
    garbage-collected, which fails after an error.
    """

    def __init__(self, file: BinaryIO, compression: int) -> None:
        # Level 6 manages 7 MB/s of random samples, for files that are hardly smaller.
        super().__init__(file, "w", compression, compresslevel=1)

    def __del__(self) -> None:
        pass
