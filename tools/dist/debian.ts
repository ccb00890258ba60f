// The Debian package's own files: what it depends on, and what is done when it is installed and removed.

import { readFileSync } from "node:fs";
import { restartedUnits, services, unitName } from "../../src/install/machine/machine.ts";

/** What each package of tools/packages.txt is to the Debian package; those that only build or test are none. */
const relations: Readonly<Record<string, "Depends" | "Recommends" | "Suggests" | "none">> = {
  iproute2: "Depends",
  nftables: "Depends",
  iptables: "Depends",
  conntrack: "Depends",
  "containernetworking-plugins": "Depends",
  "etcd-server": "Suggests",
  "etcd-client": "none",
  procps: "Depends",
  "util-linux": "Depends",
  mount: "Depends",
  keepalived: "Suggests",
  haproxy: "Suggests",
  "bind9-dnsutils": "none",
  postgresql: "Suggests",
  runc: "Depends",
  conmon: "Depends",
  skopeo: "Recommends",
  umoci: "Recommends",
  socat: "Depends",
  uidmap: "Suggests",
  nginx: "Suggests",
  gcc: "none",
  "libc6-dev": "none",
  curl: "none",
  "iputils-ping": "none",
  openssl: "none",
};

/** Libraries that the Node inside is linked with. */
const libraries = ["libc6 (>= 2.28)", "libstdc++6", "libatomic1"];

export interface ControlOptions {
  readonly root: string;
  readonly version: string;
  readonly architecture: string;
  readonly installedKibibytes: number;
}

/** Name → content of the files of DEBIAN/. */
export function controlFiles(options: ControlOptions): Map<string, string> {
  const { root, version, architecture, installedKibibytes } = options;
  const related = relatedPackages(readFileSync(`${root}/tools/packages.txt`, "utf8"));
  const control = [
    "Package: tandem",
    `Version: ${debianVersion(version)}`,
    `Architecture: ${architecture}`,
    "Maintainer: The Tandem authors <tandem@localhost>",
    `Installed-Size: ${installedKibibytes}`,
    `Depends: ${[...libraries, ...related.Depends].join(", ")}`,
    `Recommends: ${related.Recommends.join(", ")}`,
    `Suggests: ${related.Suggests.join(", ")}`,
    "Section: admin",
    "Priority: optional",
    "Description: dual-stack cluster network on a Kubernetes-compatible API",
    " Pods and services with IPv4 and IPv6 side by side: an API server, a node agent,",
    " a service proxy, network policies, DNS, load balancers and virtual addresses.",
    " Services are installed stopped; each starts once it is enabled.",
  ];
  return new Map([
    ["control", `${control.join("\n")}\n`],
    ["postinst", afterInstall],
    ["prerm", beforeRemoval],
    ["postrm", afterRemoval],
  ]);
}

/** A prerelease sorts before its release, which Debian's versions say by a tilde. */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}

export function relatedPackages(
  list: string,
): Record<"Depends" | "Recommends" | "Suggests", string[]> {
  const related = { Depends: [] as string[], Recommends: [] as string[], Suggests: [] as string[] };
  for (const line of list.split("\n")) {
    const name = line.replace(/#.*/, "").trim().split(/\s/, 1)[0] ?? "";
    if (name === "") continue;
    const relation = relations[name];
    if (relation === undefined) {
      throw new Error(
        `Cannot tell whether the package depends on ${name}: tools/dist/debian.ts does not say`,
      );
    }
    if (relation !== "none") related[relation].push(name);
  }
  return related;
}

const units = services.map(unitName).join(" ");
const ifSystemd = "if [ -d /run/systemd/system ]; then";

/** An upgrade restarts services that run; pods go on, since their agent's unit ends nothing but itself. */
const afterInstall = `#!/bin/sh
set -e
${ifSystemd}
  systemctl daemon-reload
  if [ "$1" = configure ] && [ -n "$2" ]; then systemctl try-restart ${restartedUnits.join(" ")}; fi
fi
`;

const beforeRemoval = `#!/bin/sh
set -e
if [ "$1" = remove ]; then
  ${ifSystemd}
    systemctl disable --now --quiet ${units}
  fi
fi
`;

/** Data of clusters stays on purge, too: a package must not be able to destroy a cluster's only copy. */
const afterRemoval = `#!/bin/sh
set -e
${ifSystemd} systemctl daemon-reload; fi
if [ "$1" = purge ]; then
  rm -rf /var/cache/tandem
fi
`;
