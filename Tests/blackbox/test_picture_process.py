"""The process that decodes a picture, alone: what it may do, and that its limits hold."""

import concurrent.futures
import random
import resource
import subprocess
import time
from pathlib import Path

import pytest
from drawing import MEDIA, QUARTERS, corners, encoded, exif, patient_jpeg, png, quarters
from person import expect
from service import PROGRAM, wait_until
from test_pictures import upload

MB = 1024 * 1024
MOST_PIXELS = 40_000_000


def alone(content, most_pixels=MOST_PIXELS, **limits):
    """How it ends and what it answers, under limits that are lower still."""

    def lower():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))

    command = [PROGRAM, "picture", "256", str(most_pixels)]
    done = subprocess.run(command, input=content, capture_output=True, env={}, preexec_fn=lower, timeout=60)
    assert done.stderr == b""
    return done.returncode, done.stdout


def test_the_process_is_confined_before_it_reads_anything():
    process = subprocess.Popen([PROGRAM, "picture", "256", str(MOST_PIXELS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
    folder = Path(f"/proc/{process.pid}")

    def status():
        return dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines())

    wait_until(lambda: status()["Seccomp"] == "2", what="the filter of system calls")
    assert status()["NoNewPrivs"] == "1" and status()["Threads"] == "1"
    limits = {line[:26].strip(): line[26:].split()[:2] for line in (folder / "limits").read_text().splitlines()[1:]}
    assert limits["Max address space"] == [str(512 * MB)] * 2
    assert limits["Max cpu time"] == ["5", "5"]
    assert (folder / "oom_score_adj").read_text() == "1000\n"
    assert limits["Max core file size"] == limits["Max file size"] == ["0", "0"]
    output, _ = process.communicate(encoded(quarters()))
    assert process.returncode == 0 and corners(output) == QUARTERS


def test_a_decoder_that_takes_long_is_killed():
    slow = patient_jpeg(6320, 2)
    assert len(slow) < 300_000
    began = time.monotonic()
    status, output = alone(slow, CPU=1)
    assert status < 0 and output == b"" and time.monotonic() - began < 20


def test_a_decoder_that_takes_much_memory_gets_none():
    content = encoded(quarters(8000, 5000))
    assert corners(alone(content)[1]) == QUARTERS
    assert alone(content, AS=200 * MB) == (3, b"")
    # As if there were no rule about the number of pixels.
    huge = png(65000, 65000, colour=0, depth=1, rows=bytes(65000 * 8126))
    assert alone(huge, most_pixels=10**12) == (3, b"")


def test_damage_never_makes_the_process_crash():
    """A crash would be contained. That there is none in thousands of files says that the readers around the decoders hold."""
    chance = random.Random(20261122)
    endings = {}
    for round in range(300):
        format = list(MEDIA)[round % 3]
        frames = {"save_all": True, "append_images": [quarters(64, 48)]} if format != "JPEG" and round % 2 else {}
        damaged = bytearray(encoded(quarters(64, 48), format, exif=exif(6), **frames))
        for _ in range(chance.randint(1, 6)):
            damaged[chance.randrange(8, len(damaged))] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
        status, output = alone(bytes(damaged))
        endings[status] = endings.get(status, 0) + 1
        assert (status, output == b"") in ((0, False), (3, True)), damaged.hex()
    assert set(endings) == {0, 3}


@pytest.mark.parametrize("arguments", [(), ("256",), ("0", "1"), ("256", "x"), ("256", "1", "1")])
def test_the_command_is_not_for_people(arguments):
    done = subprocess.run([PROGRAM, "picture", *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    assert "picture" not in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout


def test_while_decoders_are_busy_the_service_goes_on(service, people):

    service.cluster.sql("DELETE FROM rate_limits")
    uploaders, other = [people(service) for _ in range(4)], people(service)
    slow = patient_jpeg(6320, 2)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        uploads = [pool.submit(upload, person, slow, "image/jpeg") for person in uploaders]
        slowest, asked = 0, 0
        while not all(one.done() for one in uploads):
            began = time.monotonic()
            expect(other.get("/me"), 200)
            slowest, asked = max(slowest, time.monotonic() - began), asked + 1
            time.sleep(0.05)
        # They may be cut off on a slow machine, and are answered all the same.
        assert {one.result().status_code for one in uploads} <= {200, 422, 503}
    assert asked > 2 and slowest < 20
    expect(upload(other, encoded(quarters())), 200)


def test_a_process_that_is_killed_is_told_in_the_log(service, people):
    service.cluster.sql("DELETE FROM rate_limits")
    person = people(service)

    def kill():
        for child in Path(f"/proc/{service.process.pid}/task").glob("*/children"):
            for pid in child.read_text().split():
                subprocess.run(["kill", "-KILL", pid])
                return True

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        answer = pool.submit(upload, person, patient_jpeg(6320, 2), "image/jpeg")
        wait_until(kill, what="the process to begin")
        expect(answer.result(), 422, "invalid_picture")
    wait_until(lambda: "the process for a picture was killed by signal 9" in service.log(), what="a line in the log")
