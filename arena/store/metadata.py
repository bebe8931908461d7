"""The collection of all tables of the newest revision. :mod:`arena.store.schema` has the tables."""

from __future__ import annotations

from sqlalchemy import MetaData

metadata = MetaData()
