"""Source texts and spans, errors and warnings with stable codes, suggested fixes, and escaping of untrusted text."""

from pdedsl.diagnostics.diagnostic import NOWHERE as NOWHERE
from pdedsl.diagnostics.diagnostic import Diagnostic as Diagnostic
from pdedsl.diagnostics.diagnostic import Patch as Patch
from pdedsl.diagnostics.diagnostic import PdeError as PdeError
from pdedsl.diagnostics.diagnostic import Reporter as Reporter
from pdedsl.diagnostics.diagnostic import Severity as Severity
from pdedsl.diagnostics.diagnostic import Source as Source
from pdedsl.diagnostics.diagnostic import closest_match as closest_match
from pdedsl.diagnostics.diagnostic import render as render
from pdedsl.diagnostics.diagnostic import report as report
from pdedsl.diagnostics.diagnostic import sort_diagnostics as sort_diagnostics
from pdedsl.diagnostics.diagnostic import width as width
from pdedsl.diagnostics.fixes import Span as Span
