"""The functions that the service calls for a request, one for each statement. The log of PostgreSQL shows the statements, and
a function tells which one is meant.
"""

BOARD = ["board"]
GLOBAL_TOP = ["global_board_period", "global_board"]
GLOBAL_PLACE = ["global_board"]
TODAY = ["study_today"]
CALENDAR_MONTH = ["calendar_month"]
CALENDAR_YEAR = ["calendar_json"]
LOG_SESSION = ["record_session", "session_details"]
PAUSE_TIMER = ["pause_timer"]
RESUME_TIMER = ["resume_timer"]
