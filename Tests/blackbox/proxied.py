"""The samples of docs/proxies on Debian's HAProxy and nginx, with other ports, without root, before services of the test."""

import contextlib
import re
import socket
import subprocess

from service import ROOT, free_port, wait_until

HOST = "study.example.org"
SAMPLES = ROOT / "docs/proxies"


def certificate(folder):
    """A certificate for the sample's domain, and a file with its key, too."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        + ["-subj", f"/CN={HOST}", "-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"],
        check=True,
        capture_output=True,
    )
    (folder / f"{HOST}.pem").write_text((folder / "fullchain.pem").read_text() + (folder / "privkey.pem").read_text())


def placed(sample, ports, port, folder, told_addresses) -> str:
    """A sample with its addresses put where they are free, and every change made. With `told_addresses`, a client's address
    is the one that the PROXY protocol says."""
    assert len(ports) == 3, "the samples have three instances"
    changes = [(re.escape(f"10.0.0.{number}:8080"), f"127.0.0.1:{instance}") for number, instance in enumerate(ports, 1)]
    if sample == "haproxy":
        changes += [
            (r"bind :::443 v4v6", f"bind 127.0.0.1:{port}{' accept-proxy' if told_addresses else ''}"),
            (r" *bind :::80 v4v6\n", ""),
            (r"/etc/haproxy/", f"{folder}/"),
        ]
        changes += [(r" *(log|user|group|option httplog)\b.*\n", "")]
    else:
        changes += [
            (r" *listen \[::\].*\n", ""),
            (
                r"listen 443 ssl http2;",
                f"listen 127.0.0.1:{port} ssl http2 proxy_protocol; set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;"
                if told_addresses
                else f"listen 127.0.0.1:{port} ssl http2;",
            ),
            (r"listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ]
        changes += [(f"/etc/letsencrypt/live/{HOST}/", f"{folder}/")]
    name = {"haproxy": "haproxy-instances.cfg", "nginx": "nginx-instances.conf"}[sample]
    text = (SAMPLES / name).read_text()
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        assert count, f"{name} has no {pattern}"
    return text


@contextlib.contextmanager
def proxy(sample, ports, folder, port=None, told_addresses=False):
    """The port on which the proxy takes TLS."""
    port = port or free_port()
    text = placed(sample, ports, port, folder, told_addresses)
    if sample == "haproxy":
        (folder / "haproxy.cfg").write_text(text)
        command = ["/usr/sbin/haproxy", "-db", "-f", folder / "haproxy.cfg"]
    else:
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{text}}}\n"
        )
        command = ["/usr/sbin/nginx", "-e", folder / "error.log", "-c", folder / "nginx.conf"]
    with open(folder / f"{sample}.out", "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def answers():
        assert process.poll() is None, (folder / f"{sample}.out").read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True

    try:
        wait_until(answers, what=f"{sample} to answer")
        yield port
    finally:
        process.terminate()
        process.wait()
