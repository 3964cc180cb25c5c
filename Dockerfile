# Two images: `anthill` is the program, `database` is PostgreSQL with Anthill's roles and a database, and with what looks
# after it: the backup, and the scripts of maintenance, in whose folder psql begins.

FROM postgres:15-bookworm AS database
RUN apt-get update \
    && apt-get install -y --no-install-recommends age \
    && rm -rf /var/lib/apt/lists/*
COPY script/backup script/cluster /opt/anthill/script/
COPY sql/maintenance /usr/share/anthill/maintenance
WORKDIR /usr/share/anthill/maintenance
# The volume with the secret belongs to the program's user, whichever container sees it first.
RUN install --directory --owner 10001 --group 10001 --mode 700 /var/lib/anthill
RUN printf '%s\n' 'CREATE ROLE anthill_owner LOGIN;' 'CREATE ROLE anthill_service LOGIN;' \
        'CREATE ROLE anthill_admin LOGIN IN ROLE pg_monitor, pg_signal_backend;' 'CREATE ROLE anthill_reader LOGIN;' \
        'CREATE DATABASE anthill OWNER anthill_owner;' \
    >/docker-entrypoint-initdb.d/anthill.sql
# Only containers that share the volume of the socket reach it. There is no network, so there is no password.
ENV POSTGRES_HOST_AUTH_METHOD=trust POSTGRES_INITDB_ARGS="--encoding=UTF8 --locale=C.UTF-8 --data-checksums"
CMD ["postgres", "-c", "listen_addresses="]

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libbrotli-dev libcurl4-openssl-dev libjose-dev libpng-dev libpq-dev \
        libqrencode-dev libseccomp-dev libsodium-dev libssl-dev libturbojpeg0-dev libwebp-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /anthill
COPY Package.swift ./
COPY Sources Sources
COPY sql sql
COPY Tests Tests
ARG ANTHILL_VERSION="built from a checkout"
RUN swift build --configuration release --product anthill --static-swift-stdlib \
    && mkdir /program \
    && cp --recursive "$(swift build --configuration release --show-bin-path)"/*.resources /program/ \
    && install --strip "$(swift build --configuration release --show-bin-path)/anthill" /program/ \
    && echo "$ANTHILL_VERSION" >/program/version

FROM debian:bookworm-slim AS files
RUN apt-get update \
    && apt-get install -y --no-install-recommends busybox-static ca-certificates libbrotli1 libcurl4 libjose0 libpng16-16 \
        libpq5 libqrencode4 libseccomp2 libsodium23 libssl3 libstdc++6 libturbojpeg0 libwebp7 tzdata zlib1g
COPY --from=build /program /opt/anthill
COPY package/image /usr/local/bin/
RUN image /image

FROM scratch AS anthill
COPY --from=files /image /
USER 10001:10001
ENV PATH=/bin ANTHILL_LISTEN=0.0.0.0:8080 ANTHILL_HOME=/var/lib/anthill
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=20s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/readyz"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/opt/anthill/anthill"]
CMD ["serve"]
