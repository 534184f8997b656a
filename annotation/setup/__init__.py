"""From texts to an open study: what is ready, what is missing, what becomes fixed."""

from annotation.setup.checklist import Point, Section, State, checklist
from annotation.setup.fixed import fixed

__all__ = ["Point", "Section", "State", "checklist", "fixed"]
