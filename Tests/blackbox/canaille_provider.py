"""Canaille, a provider of OpenID Connect, on a loopback port: one client, and people who sign in with a password.

usage: canaille_provider.py PORT REDIRECT_URI NAME…
"""

import logging
import sys

from canaille import create_app
from canaille.app import models
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT, SECRET, PASSWORD = "anthill", "a secret of the client", "the ants walk at 5"


def main(port, redirect_uri, *names):
    key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": "first"})
    app = create_app(
        {
            "SECRET_KEY": "only for these tests",
            "SERVER_NAME": f"127.0.0.1:{port}",
            "PREFERRED_URL_SCHEME": "http",
            "CANAILLE": {"DATABASE": "memory", "SMTP": None, "JAVASCRIPT": False},
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)], "TRUSTED_DOMAINS": []},
        }
    )
    with app.app_context():
        from canaille.backends import Backend

        for name in names:
            Backend.instance.save(
                models.User(user_name=name, family_name=name, formatted_name=name, emails=[f"{name}@example.org"], password=PASSWORD)
            )
        client = models.Client(
            client_id=CLIENT,
            client_secret=SECRET,
            client_name="Anthill",
            redirect_uris=[redirect_uri],
            token_endpoint_auth_method="client_secret_basic",
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "email"],
        )
        Backend.instance.save(client)
        # Its own tokens are for itself.
        client.audience = [client]
        Backend.instance.save(client)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", int(port), app, threaded=True)
    print("ready", flush=True)
    server.serve_forever()


main(*sys.argv[1:])
