"""For the tests of code that is built on Treering.

- `treering.testing.stores`: the conformance suite that every session store must pass. Needs nothing but Treering.
- `treering.testing.trees`: hypothesis strategies that make session trees. Needs hypothesis.
- `treering.testing.damage`: hypothesis strategies that make damaged session files. Needs hypothesis.

    from treering.testing.stores import check_store

    def test_my_store(tmp_path):
        check_store(lambda header: MyStore.create(tmp_path / header["id"], header))
"""
