# SPDX-License-Identifier: GPL-2.0-only
"""Archives, which are files of the formats npz and sr."""

import zipfile
from typing import BinaryIO


class Archive(zipfile.ZipFile):
    """An archive that ends by close() alone. ZipFile also writes when the program
    forgets it, and that fails after an error."""

    def __init__(self, file: BinaryIO, compression: int) -> None:
        # Level 6 makes 7 MB/s of random samples, and files that are hardly smaller.
        super().__init__(file, "w", compression, compresslevel=1)

    def __del__(self) -> None:
        pass
