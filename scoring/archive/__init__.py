"""A study's data as a folder of tables, and a study of such a folder again."""
