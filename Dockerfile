# One image for API, worker, migrations, command line and sandbox bank: what differs is the command.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package's script runs: what is started here needs none of them.
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY . .
RUN npm run -s build && npm prune --omit=dev --omit=optional

FROM node:22-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# Owned by root: the process may read what it runs and change nothing of it.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/docs ./docs
RUN install -d -o node -g node /data
USER node
EXPOSE 3000
CMD ["node", "dist/api/main.js"]
