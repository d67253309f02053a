# The console as a container. docs/deployment.md says how to start it.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
RUN npm run pack && npm install --prefix /keyward --no-audit --no-fund .keyward/package/keyward-*.tgz

FROM node:22-bookworm-slim
# Docker would set HOSTNAME to the id of the container.
ENV NODE_ENV=production HOSTNAME=0.0.0.0 PORT=3000 KEYWARD_STATE_DIR=/state
COPY --from=build /keyward /keyward
RUN mkdir --mode=700 /state /backups && chown node:node /state /backups
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/keyward/node_modules/keyward/scripts/keyward.mjs"]
