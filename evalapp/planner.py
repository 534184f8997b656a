"""What the database knows of its tables before it plans how to read them."""

from __future__ import annotations

from django.db import connection
from django.db.models import Model


def look_at(*models: type[Model]) -> None:
    """Let the database look at tables to which many rows were just added.

    PostgreSQL looks by itself, but up to minutes later. Until then it takes a table for
    as small as it was, and reads all of it where an index would do. Call it outside of
    a transaction: others see neither the rows nor the plan before that ends.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            names = (connection.ops.quote_name(one._meta.db_table) for one in models)
            cursor.execute(f"ANALYZE {', '.join(names)}")
        elif connection.vendor == "sqlite":
            # Looks at a sample only, and only where a table has grown a lot.
            cursor.execute("PRAGMA analysis_limit = 1000")
            cursor.execute("PRAGMA optimize")
