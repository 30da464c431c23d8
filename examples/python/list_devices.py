# SPDX-License-Identifier: LGPL-2.1-or-later
import zio

print(*zio.devices())
