"""One file that holds everything, made while people rate, and back again.

| file | what it does |
| --- | --- |
| `archive.py` | a tar whose last member lists all others with their SHA-256 |
| `database.py` | a consistent copy of SQLite or PostgreSQL, and back |
| `files.py` | which files are kept, and what they are called in an archive |
| `bucket.py` | those that lie in a bucket, and back into one |
| `writing.py` | `manage.py backup` |
| `restoring.py` | `manage.py restore` |
| `staging.py` | what it has extracted: from there it goes on after a kill |
| `placing.py` | moves that where the site reads it |

The secret key is not in the archive: whoever finds one must not be able to log in.
"""
