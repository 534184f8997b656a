"""Quality control: is a page rated with care?"""

from annotation.quality.checking import CHECKS, Judge, judge
from annotation.quality.reaching import MoreLocks, due, reach_back

__all__ = ["CHECKS", "Judge", "MoreLocks", "due", "judge", "reach_back"]
