// A service as a unit of systemd.

import type { Confinement, Service } from "./services.ts";

export interface UnitPlaces {
  /** The path of the program. */
  readonly program: string;
  /** The directory of the configuration files. */
  readonly configuration: string;
}

export function formatUnit(service: Service, { program, configuration }: UnitPlaces): string {
  const { name, description, command, confinement, foreign, after = [] } = service;
  const file = `${configuration}/${name}.yaml`;
  const words =
    foreign === undefined
      ? [program, ...command, "--config", file]
      : [foreign.program, foreign.option, file];
  const earlier = ["network-online.target", ...after.map((each) => `tandem-${each}.service`)];
  const sections = {
    Unit: [
      `Description=Tandem ${description}`,
      "Documentation=man:tandem(8)",
      "Wants=network-online.target",
      `After=${earlier.join(" ")}`,
      `ConditionPathExists=${file}`,
      // A program whose configuration is wrong is tried again for as long as it takes to mend it.
      "StartLimitIntervalSec=0",
    ],
    Service: [
      `ExecStart=${words.join(" ")}`,
      "Restart=always",
      "RestartSec=2",
      // Compiled code is kept between starts, below the cache directory that XDG_CACHE_HOME names.
      "CacheDirectory=tandem",
      "Environment=XDG_CACHE_HOME=/var/cache",
      "UMask=0077",
      "LimitNOFILE=1048576",
      ...(confinement.type === "none" ? forPods : confined(confinement)),
    ],
    Install: ["WantedBy=multi-user.target"],
  };
  const blocks = Object.entries(sections).map(([heading, lines]) =>
    [`[${heading}]`, ...lines].join("\n"),
  );
  return `${blocks.join("\n\n")}\n`;
}

/** Pods go on while their agent restarts: conmon and containers are in its unit, and only its own process ends. */
const forPods = [
  "KillMode=process",
  "Delegate=yes",
  "TasksMax=infinity",
  "LimitCORE=infinity",
  "OOMScoreAdjust=-900",
];

function confined(confinement: Extract<Confinement, { type: "capabilities" }>): string[] {
  const { capabilities, state, runtime, writes = [] } = confinement;
  return [
    `CapabilityBoundingSet=${capabilities.join(" ")}`,
    ...(state === undefined ? [] : [`StateDirectory=${state}`, "StateDirectoryMode=0700"]),
    ...(runtime === undefined
      ? []
      : [
          `RuntimeDirectory=${runtime}`,
          "RuntimeDirectoryMode=0700",
          "RuntimeDirectoryPreserve=yes",
        ]),
    ...(writes.length === 0 ? [] : [`ReadWritePaths=${writes.join(" ")}`]),
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=read-only",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectControlGroups=yes",
    ...(capabilities.includes("CAP_NET_ADMIN") ? [] : ["ProtectKernelTunables=yes"]),
    "RestrictSUIDSGID=yes",
    "RestrictRealtime=yes",
    "RestrictNamespaces=yes",
    "LockPersonality=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_PACKET",
    "SystemCallArchitectures=native",
  ];
}
