// The services of a machine that systemd runs: the words of each command, and how far it is confined.

export interface Service {
  /** The name without the prefix: its unit is `tandem-NAME.service`, its configuration `NAME.yaml`. */
  readonly name: string;
  readonly description: string;
  /** The words behind `tandem` that run it; none for a program of another package. */
  readonly command: readonly string[];
  /** The program of another package, and its option that names a configuration file. */
  readonly foreign?: { readonly program: string; readonly option: string };
  /** Whether it goes on with the program it has when the package is upgraded, and why. */
  readonly outlivesUpgrade?: string;
  /** The services that start before it where both run. */
  readonly after?: readonly string[];
  readonly confinement: Confinement;
}

/**
 * What a service may do. A node's agent mounts file systems and makes namespaces for pods, which outlive it, so
 * it cannot be confined; every other service is kept to the capabilities it names.
 */
export type Confinement =
  | { readonly type: "none" }
  | {
      readonly type: "capabilities";
      readonly capabilities: readonly string[];
      /** Directories below /var/lib and /run that it writes. */
      readonly state?: string;
      readonly runtime?: string;
      /** Further paths that it writes. */
      readonly writes?: readonly string[];
    };

const networkAdministrator = ["CAP_NET_ADMIN", "CAP_NET_RAW"];

export const services: readonly Service[] = [
  {
    name: "etcd",
    description: "etcd member",
    command: [],
    foreign: { program: "/usr/bin/etcd", option: "--config-file" },
    outlivesUpgrade: "its program is of another package",
    confinement: { type: "capabilities", capabilities: [], state: "tandem/etcd" },
  },
  {
    name: "server",
    description: "API server and controllers",
    command: ["server"],
    after: ["etcd"],
    confinement: { type: "capabilities", capabilities: ["CAP_NET_BIND_SERVICE"], state: "tandem" },
  },
  {
    name: "agent",
    description: "node agent",
    command: ["agent"],
    confinement: { type: "none" },
  },
  {
    name: "proxy",
    description: "service proxy",
    command: ["proxy", "run"],
    confinement: { type: "capabilities", capabilities: networkAdministrator, writes: ["/run"] },
  },
  {
    name: "policy",
    description: "network policies",
    command: ["policy", "run"],
    confinement: { type: "capabilities", capabilities: networkAdministrator },
  },
  {
    name: "dns",
    description: "DNS server",
    command: ["dns"],
    confinement: { type: "capabilities", capabilities: ["CAP_NET_BIND_SERVICE"] },
  },
  {
    name: "balancer",
    description: "announcer of load balancers' addresses",
    command: ["balancer", "announce"],
    confinement: { type: "capabilities", capabilities: networkAdministrator },
  },
  {
    name: "balancer-assign",
    description: "allocator of load balancers' addresses",
    command: ["balancer", "assign"],
    confinement: { type: "capabilities", capabilities: [] },
  },
  {
    name: "vip",
    description: "virtual addresses",
    command: ["vip", "run"],
    outlivesUpgrade: "connections through a virtual address end when it moves",
    // keepalived and haproxy, which it starts, change to users of their own.
    confinement: {
      type: "capabilities",
      capabilities: [
        ...networkAdministrator,
        "CAP_NET_BIND_SERVICE",
        "CAP_SETUID",
        "CAP_SETGID",
        "CAP_CHOWN",
        "CAP_KILL",
        "CAP_SYS_CHROOT",
        // keepalived runs before others, so that a busy node does not lose its addresses.
        "CAP_SYS_NICE",
      ],
      state: "tandem/vip",
      writes: ["/run"],
    },
  },
  {
    name: "ipam",
    description: "IPAM daemon",
    command: ["ipam", "serve"],
    // Networks name the directories in which their addresses are reserved, so /var/lib is writable.
    confinement: {
      type: "capabilities",
      capabilities: ["CAP_DAC_OVERRIDE"],
      runtime: "tandem-ipam",
      writes: ["/var/lib", "/run"],
    },
  },
];

export function unitName({ name }: Service): string {
  return `tandem-${name}.service`;
}

/** The units that an upgrade of the package restarts. */
export const restartedUnits: readonly string[] = services
  .filter(({ outlivesUpgrade }) => outlivesUpgrade === undefined)
  .map(unitName);
