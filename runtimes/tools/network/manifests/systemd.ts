/** systemd units: one template for the nodes of a chain, and a target for all of them. */
import { userInfo } from "node:os";
import { NODE_PROGRAM } from "../../../folder/node-package.ts";
import { NODE_ENVIRONMENT } from "../../../folder/node-scripts.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import type { LiveNetwork } from "../live-network.ts";
import { GRACE_SECONDS } from "./container.ts";

/** A path in a unit: `%` begins a specifier, and blanks end a word. */
function unitPath(path: string): string {
  const escaped = path.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return /\s/.test(path) ? `"${escaped}"` : escaped;
}

/**
 * The template. Programs that make code while they run, as JavaScript engines do, need memory that
 * can be written and run; all else that a node does not need is closed.
 */
function templateText({ spec }: LiveNetwork, unit: string, user: string): string {
  const home = `${spec.folder.replaceAll("%", "%%")}/%i`;
  const quoted = /\s/.test(home) ? `"${home}"` : home;
  const environment = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
  const program = unitPath(`${spec.folder}/`).replace(/"?$/, (end) => `%i/${NODE_PROGRAM}${end}`);
  return `[Unit]
Description=Node %i of the chain ${spec.name}
Wants=network-online.target
After=network-online.target time-sync.target
PartOf=${unit}.target

[Service]
Type=exec
User=${user}
WorkingDirectory=${home}
Environment=${environment.join(" ")}
ExecStart=/bin/bash ${program} start -c config.ini
Restart=on-failure
RestartSec=5
TimeoutStopSec=${GRACE_SECONDS}
UMask=0077
LimitNOFILE=65536

NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${quoted}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native

[Install]
WantedBy=${unit}.target
`;
}

function targetText({ spec, nodes }: LiveNetwork, unit: string): string {
  const here = nodes.filter(({ isHere }) => isHere).map((node) => node.spec.name);
  const wants = here.map((name) => `Wants=${unit}@${name}.service`);
  return `[Unit]
Description=Nodes of the chain ${spec.name} on this host
${wants.join("\n")}

[Install]
WantedBy=multi-user.target
`;
}

/** What units are called. */
export function unitName({ spec }: LiveNetwork): string {
  return `chain-node-${spec.name}`;
}

/** The units of the nodes of this host. */
export function systemdFiles(network: LiveNetwork): FileToWrite[] {
  const unit = unitName(network);
  const { username } = userInfo();
  return [
    { path: `${unit}@.service`, text: templateText(network, unit, username), use: "text" },
    { path: `${unit}.target`, text: targetText(network, unit), use: "text" },
  ];
}

/** What to do with them. */
export function systemdSteps(network: LiveNetwork, out: string): readonly string[] {
  const unit = unitName(network);
  return [
    `sudo cp ${out}/${unit}* /etc/systemd/system/ && sudo systemctl daemon-reload`,
    `sudo systemctl enable --now ${unit}.target`,
  ];
}
