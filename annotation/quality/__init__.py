"""Quality control: is a page rated with care?"""

from annotation.quality.checking import CHECKS, Judge, judge

__all__ = ["CHECKS", "Judge", "judge"]
