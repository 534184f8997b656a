"""What an operator sees of a running site.

| file | what it does |
| --- | --- |
| `health.py` | is each part there? |
| `overview.py` | workers, queues, work in progress, failed work |
| `following.py` | gives each request a number |
| `logs.py` | puts that number into each line of the log |
| `checking.py` | tests a running site from outside and inside: `manage.py check_site` |
"""
