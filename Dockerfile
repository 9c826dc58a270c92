# Daybook as a container: docker build --tag daybook .
# The first stage has the compilers that better-sqlite3 needs where no binary of it exists.
FROM node:20-bookworm AS build
WORKDIR /app
# Packages are installed before the sources are copied, so that a change of a source does not install them again.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY . .
RUN npm run -s build && rm -rf build/test build/bench build/examples && npm prune --omit=dev --ignore-scripts

FROM node:20-bookworm-slim
LABEL org.opencontainers.image.title=Daybook org.opencontainers.image.licenses=MIT
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
COPY --from=build /app/package.json /app/LICENSE /app/NOTICE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build build
RUN ln -s /app/build/adapters/cli/main.js /usr/local/bin/daybook && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# The service listens when its read models have caught up with the log.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--enable-source-maps", "build/adapters/cli/main.js", "serve"]
