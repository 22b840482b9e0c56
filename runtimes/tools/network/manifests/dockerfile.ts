/** The Dockerfile of the image that manifests name. */
import { NODE_ENVIRONMENT } from "../../../folder/node-scripts.ts";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";
import { CONTAINER_HOME, CONTAINER_PORTS, CONTAINER_UID } from "./container.ts";

/** Debian's libraries, for which the native parts have prebuilt binaries. */
const BASE_IMAGE = "node:20-bookworm-slim";

/**
 * Two stages: npm and its cache stay in the first. What runs is not root and writes to its home
 * only, so that the root file system can be read-only.
 */
export function dockerfileText(): string {
  const environment = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  const { rpc, channel, p2p, ws } = CONTAINER_PORTS;
  const alive =
    `fetch("http://127.0.0.1:${rpc}/healthz").then((answer) => process.exit(answer.ok ? 0 : 1),` +
    " () => process.exit(1))";
  const { version } = BUILD_INFO;
  return `# The image of chain-node ${version}. In a folder with this file and the package, which
# npm pack in a checkout makes:  docker build -t chain-node:${version} .
FROM ${BASE_IMAGE} AS install
ARG PACKAGE=chain-node-${version}.tgz
ARG PREFIX=/opt/chain-node
ARG SOURCE=/tmp
COPY \${PACKAGE} \${SOURCE}/
RUN npm install --global --prefix "\${PREFIX}" --omit=dev --no-audit --no-fund \\
    "\${SOURCE}/\${PACKAGE}"
RUN "\${PREFIX}/bin/chain-node" -v

FROM ${BASE_IMAGE}
ARG PREFIX=/opt/chain-node
ARG HOME_FOLDER=${CONTAINER_HOME}
ARG OWNER=${CONTAINER_UID}
COPY --from=install \${PREFIX} \${PREFIX}
RUN mkdir -p "\${HOME_FOLDER}" && chown "\${OWNER}" "\${HOME_FOLDER}"
ENV ${environment.join(" ")}
ENV PATH=/opt/chain-node/bin:$PATH NODE_ENV=production
USER ${CONTAINER_UID}:${CONTAINER_UID}
WORKDIR ${CONTAINER_HOME}
EXPOSE ${rpc} ${channel} ${p2p} ${ws}
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \\
  CMD ["node", "-e", ${JSON.stringify(alive)}]
STOPSIGNAL SIGTERM
ENTRYPOINT ["chain-node"]
CMD ["start", "-c", "config.ini"]
`;
}
