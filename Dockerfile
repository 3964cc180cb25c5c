# Two images: `anthill` is the program, `database` is PostgreSQL with a database whose owner is not a superuser.

FROM postgres:15-bookworm AS database
RUN printf '%s\n' 'CREATE ROLE anthill LOGIN;' 'CREATE DATABASE anthill OWNER anthill;' \
    >/docker-entrypoint-initdb.d/anthill.sql
# Only containers that share the volume of the socket reach it. There is no network, so there is no password.
ENV POSTGRES_HOST_AUTH_METHOD=trust POSTGRES_INITDB_ARGS="--encoding=UTF8 --locale=C.UTF-8"
CMD ["postgres", "-c", "listen_addresses="]

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4-openssl-dev libjose-dev libpng-dev libpq-dev libqrencode-dev \
        libseccomp-dev libsodium-dev libturbojpeg0-dev libwebp-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /anthill
COPY Package.swift ./
COPY Sources Sources
COPY sql sql
COPY Tests Tests
RUN swift build --configuration release --product anthill --static-swift-stdlib \
    && mkdir /program \
    && cp --recursive "$(swift build --configuration release --show-bin-path)"/*.resources /program/ \
    && install --strip "$(swift build --configuration release --show-bin-path)/anthill" /program/

FROM debian:bookworm-slim AS anthill
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libcurl4 libjose0 libpng16-16 libpq5 libqrencode4 \
        libseccomp2 libsodium23 libturbojpeg0 libwebp7 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /var/lib/anthill --shell /usr/sbin/nologin anthill \
    && install --directory --owner anthill --mode 700 /var/lib/anthill
COPY --from=build /program /opt/anthill
RUN ln -s /opt/anthill/anthill /usr/local/bin/anthill
USER anthill
ENV ANTHILL_LISTEN=0.0.0.0:8080 ANTHILL_HOME=/var/lib/anthill
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=20s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 && grep -q '^HTTP/1.1 200' <&3"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/anthill/anthill"]
CMD ["serve"]
