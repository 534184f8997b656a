"""Quality control: is a page rated with care?"""

from annotation.quality.checking import Judge, judge, titles
from annotation.quality.reaching import MoreLocks, due, reach_back

__all__ = ["Judge", "MoreLocks", "due", "judge", "reach_back", "titles"]
