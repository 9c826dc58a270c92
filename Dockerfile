# Daybook as a container: docker build --tag daybook .
# The first stage has the compilers that better-sqlite3 needs where no binary of it exists.
FROM node:20-bookworm AS packages
WORKDIR /app
# Packages are installed before the sources are copied, so that a change of a source does not install them again.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3

FROM packages AS build
COPY . .
# npm pack builds; the image has the files of the package and no others.
RUN npm pack --pack-destination /tmp && mkdir /package && tar -xzf /tmp/daybook-*.tgz -C /package --strip-components=1

FROM packages AS production
# Types, source maps and the sources of SQLite are not needed to run.
RUN npm prune --omit=dev --ignore-scripts && rm -r node_modules/better-sqlite3/deps \
  && find node_modules -type d -regex '.*/\(tests?\|bench\(mark\)?s?\|examples\)' -prune -exec rm -r {} + \
  && find node_modules -type f -regex '.*\.\(map\|[cm]?ts\)' -delete \
  && find node_modules/better-sqlite3/build ! -type d ! -path '*/build/Release/better_sqlite3.node' -delete

FROM node:20-bookworm-slim
LABEL org.opencontainers.image.title=Daybook org.opencontainers.image.licenses=MIT
WORKDIR /app
# SQLite sorts in files of TMPDIR: no other folder has to be writable.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data TMPDIR=/data
RUN ln -s /app/build/adapters/cli/main.js /usr/local/bin/daybook && mkdir /data && chown node:node /data
COPY --from=production /app/node_modules node_modules
COPY --from=build /package ./
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# The service listens when its read models have caught up with the log.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "build/adapters/cli/main.js", "serve"]
