# SPDX-License-Identifier: GPL-2.0-only
"""The command line of zio-pva. The help needs no package except zio."""

from argparse import Namespace

from zio import cli

from .options import complete, make_parser


def main(words: list[str]) -> int:
    parser = make_parser()

    def work(options: Namespace) -> int:
        complete(parser, options)
        from .main import serve

        return serve(options)

    return cli.run(parser, words, work)
