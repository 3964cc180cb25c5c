import signal

# Told to end, pytest stops what it started, as after Ctrl-C.
signal.signal(signal.SIGTERM, signal.default_int_handler)
