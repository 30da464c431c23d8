# SPDX-License-Identifier: GPL-2.0-only
"""Archives, which are files of the formats npz and sr."""

import zipfile
from typing import BinaryIO


class Archive(zipfile.ZipFile):
    """An archive that ends by close() alone. ZipFile also writes when the program
    forgets it, and that fails after an error."""

    def __init__(self, file: BinaryIO, compression: int) -> None:
        super().__init__(file, "w", compression)

    def __del__(self) -> None:
        pass
