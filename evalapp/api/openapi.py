"""How drf-spectacular writes the description of the API. Read by the settings."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, Any] = {
    "TITLE": "EvalApp",
    "DESCRIPTION": "Collect ratings of texts, score the texts with metrics, and"
    " see which metrics agree with people.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    # Each call has a heading of its own: they are read in the order of the addresses.
    "SORT_OPERATIONS": False,
    "PREPROCESSING_HOOKS": ["evalapp.api.schema.current_only"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "evalapp.api.errors.document",
        "evalapp.api.schema.add_samples",
    ],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "ENUM_NAME_OVERRIDES": {
        # Runs and trainings share it.
        "RunStateEnum": "scoring.models.MetricRun.State",
        "RunOnEnum": "scoring.models.MetricRun.On",
        "RoleEnum": "annotation.models.Member.Role",
        "PolicyOnEnum": "annotation.models.Policy.On",
        "SeatStateEnum": "annotation.models.Seat.State",
        "MadeStateEnum": "scoring.publishing.api.STATES",
    },
}
