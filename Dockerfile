# One image for API, worker, migrations, command line and sandbox bank: only the command differs.
# Base images are named by tag. `sh deploy/pin-images.sh` appends the digest: FROM name:tag@sha256:…
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts are disabled, because this image needs none.
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY . .
RUN npm run -s build && rm -r dist/bench && npm prune --omit=dev --omit=optional && sh deploy/slim-modules.sh node_modules
# The Temporal SDK trusts the system's certificate authorities, and a slim image has none: a worker could not reach Temporal Cloud.
RUN node -p "require('node:tls').rootCertificates.join('\n')" >ca-certificates.crt

# Contains only the node binary: npm, yarn and the headers are not needed here.
FROM debian:bookworm-slim
# Sets HOST, because the default loopback address cannot be reached from outside the container.
ENV NODE_ENV=production HOST=0.0.0.0
# By default, glibc keeps a heap for each of a worker's threads.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
# Owned by root: the process can read its program but not change it.
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /app/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN install -d -o 1000 -g 1000 /data && ln -s /app/dist/ops/main.js /usr/local/bin/payouts
# Uses a number, because an orchestrator that refuses root cannot check a user name.
USER 1000:1000
EXPOSE 3000
CMD ["node", "dist/api/main.js"]
