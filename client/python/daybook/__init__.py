"""Client of the Daybook API: requests, pandas in and out, learned models as arrays, tune and quality as programs."""

from .client import Daybook
from .errors import ProblemError, ProgramError, UnfinishedError
from .models import LearnedModels
from .programs import TuneResult, quality, tune

__all__ = [
    "Daybook",
    "LearnedModels",
    "ProblemError",
    "ProgramError",
    "TuneResult",
    "UnfinishedError",
    "quality",
    "tune",
]
