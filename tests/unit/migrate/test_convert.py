# SPDX-License-Identifier: GPL-2.0-only
"""zio-migrate convert: the examples, tables of attributes, and when it refuses"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import EXAMPLES, Runner

pytestmark = pytest.mark.usefixtures("spatch")
NAMES = ("digitiser", "tdc")


def converted(migrate: Runner, folder: Path, text: str) -> str:
    (folder / "driver.c").write_text(text)
    migrate("convert", "--in-place", "--force", "driver.c")
    return (folder / "driver.c").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_example(migrate: Runner, tmp_path: Path, name: str) -> None:
    """The file NAME-converted.c, which the guide shows, is what convert makes."""
    before = (EXAMPLES / name / f"{name}-1x.c").read_text()
    wanted = (EXAMPLES / name / f"{name}-converted.c").read_text()
    assert converted(migrate, tmp_path, before) == wanted


def test_twice(migrate: Runner, tmp_path: Path) -> None:
    text = (EXAMPLES / "digitiser/digitiser-converted.c").read_text()
    assert converted(migrate, tmp_path, text) == text


TABLES = """\
#define RW (S_IRUGO | S_IWUSR)
static ZIO_ATTR_DEFINE_STD(ZIO_DEV, set_std) = {
	ZIO_ATTR_RNG(zdev, ZIO_ATTR_GAIN, ZIO_RW_PERM, MY_GAIN, 1, 1, 10),
};
static struct zio_attribute set_ext[] = {
	[A] = ZIO_ATTR_EXT("a,b", RW, MY_A, 7),	/* a ZIO_ATTR_EXT(x, 1) */
	[B] = ZIO_PARAM_EXT("b", ZIO_WO_PERM, MY_B, 0),
	[C] = ZIO_ATTR_EXT("c", S_IRUGO, MY_C, f(1, 2))
};
static struct zio_attribute dev_ext[] = {
	ZIO_ATTR_EXT("d", 0444, MY_D, 0),
};
static struct zio_device dev = {
	.zattr_set = { .ext_zattr = dev_ext, .n_ext_attr = ARRAY_SIZE(dev_ext), },
};
static struct zio_cset set[] = {{
	.zattr_set = { .std_zattr = set_std, .ext_zattr = set_ext, },
}};
"""


TRIGGER = """\
static struct zio_attribute trig_ext[] = {
	[T_SRC] = ZIO_ATTR_EXT("source", 0644, MY_SRC, 0),
	[T_LAST] = ZIO_PARAM_EXT("last", 0444, MY_LAST, 0),
	[T_DELAY] =
		ZIO_ATTR_EXT("delay", 0644, MY_DELAY, 0),
};
static struct zio_attribute plain_ext[] = {
	ZIO_PARAM_EXT("last", 0444, MY_LAST, 0),
	ZIO_ATTR_EXT("source", 0644, MY_SRC, 0),
};
static struct zio_trigger_type trig = { .zattr_set = { .ext_zattr = trig_ext, }, };
static struct zio_trigger_type plain = { .zattr_set = { .ext_zattr = plain_ext, }, };
"""


def test_trigger_positions(migrate: Runner, tmp_path: Path) -> None:
    """Of a trigger 1.x took the places in the table, which may have another order."""
    text = converted(migrate, tmp_path, TRIGGER)
    assert '[T_SRC] = ZIO_ATTR_EXT("source", 0644, T_SRC, 0, MY_SRC)' in text
    assert 'ZIO_ATTR_EXT("delay", 0644, T_DELAY, 0, MY_DELAY)' in text
    assert '\tZIO_ATTR_EXT("source", 0644, 1, 0, MY_SRC)' in text


def test_tables(migrate: Runner, tmp_path: Path) -> None:
    """Positions count over device and set; those without one take none. Standard
    attributes go to the end, so that indices stay."""
    text = converted(migrate, tmp_path, TABLES)
    table = text[text.index("static const") : text.index("static struct zio_device")]
    assert table == (
        "static const struct zio_attr_desc set_ext[] = {\n"
        '\t[A] = ZIO_ATTR_EXT("a,b", 0644, 1, 7, MY_A),\t/* a ZIO_ATTR_EXT(x, 1) */\n'
        '\t[B] = ZIO_ATTR_PARAM("b", 0200, 0, MY_B),\n'
        '\t[C] = ZIO_ATTR_EXT("c", 0444, 2, f(1, 2), MY_C),\n'
        '\t{\n\t\t.name = "gain_factor",\n\t\t.mode = 0644,\n'
        "\t\t.place = ZIO_ATTR_PLACE_STD,\n\t\t.index = ZIO_ATTR_GAIN,\n"
        "\t\t.value = 1,\n\t\t.min = 1,\n\t\t.max = 10,\n\t\t.id = MY_GAIN,\n\t},\n};\n"
        "static const struct zio_attr_desc dev_ext[] = {\n"
        '\tZIO_ATTR_EXT("d", 0444, 0, 0, MY_D),\n};\n'
    )


LOOP = """\
static int fill(struct zio_cset *cset)
{
	struct zio_channel *chan;

	chan_for_each(chan, cset) {
		if (!chan->active_block)
			continue;
		memset(chan->active_block->data, 0, chan->active_block->datalen);
	}
	return -EAGAIN;
}
static int other(struct zio_cset *cset)
{
	cset->flags |= ZIO_CSET_HW_BUSY;
	return -EAGAIN;
}
static struct zio_cset set[] = {{ .raw_io = fill, }};
"""


def test_loop(migrate: Runner, tmp_path: Path) -> None:
    """Only raw_io() returns ZIO_PENDING. The loop gets its variables."""
    text = converted(migrate, tmp_path, LOOP)
    loop = "zio_for_each_block(cset, pos, chan, block) {\n\t\tmemset(block->data, 0, "
    assert f"{loop}block->len)" in text
    assert "struct zio_armed *pos;" in text and "struct zio_block *block;" in text
    assert "HW_BUSY" not in text
    assert text.count("return ZIO_PENDING") == 1 and text.count("return -EAGAIN") == 1


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)


def test_refusals(migrate: Runner, tmp_path: Path) -> None:
    """A diff changes nothing. Only a tree whose old text git has is changed in place."""
    folder = tmp_path / "driver"
    folder.mkdir()
    shutil.copy(EXAMPLES / "tdc/tdc-1x.c", folder)
    before = (folder / "tdc-1x.c").read_text()
    done = migrate("convert", "driver")
    assert done.stdout.startswith("--- a/driver/tdc-1x.c\n")
    assert done.stderr == "1 file would change\n"
    assert (
        "is not in a git tree"
        in migrate("convert", "--in-place", "driver", status=1).stderr
    )
    git(tmp_path, "init", "-q")
    assert "has changes" in migrate("convert", "--in-place", "driver", status=1).stderr
    assert (folder / "tdc-1x.c").read_text() == before
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    assert migrate("convert", "--in-place", "driver").stderr == "1 file changed\n"
    assert (folder / "tdc-1x.c").read_text() != before


def test_without_spatch(migrate: Runner, tmp_path: Path) -> None:
    (tmp_path / "driver.c").write_text(LOOP)
    said = migrate("convert", "driver.c", status=1, PATH=str(tmp_path)).stderr
    assert "apt-get install coccinelle" in said
