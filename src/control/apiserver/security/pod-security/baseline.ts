// The checks of the level "baseline", which prevent known ways out of a container.
import {
  type Check,
  type CheckedPod,
  called,
  containersOf,
  distinct,
  hasOwnUsers,
  namesWhere,
  plural,
  quoted,
  setters,
  type Violation,
} from "./check.ts";
import { appArmor, seccompAnnotations, seccompProfiles } from "./profiles.ts";

const defaultCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);
const selinuxTypes = ["", "container_t", "container_init_t", "container_kvm_t"];
const firstSysctls = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctls27 = [...firstSysctls, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/** The checks, sorted by id, as messages name them. */
export const baseline: readonly Check[] = [
  { id: "appArmorProfile", versions: [{ since: 0, check: appArmor }] },
  { id: "capabilities_baseline", versions: [{ since: 0, check: capabilities }] },
  { id: "hostNamespaces", versions: [{ since: 0, check: hostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ since: 0, check: hostPathVolumes }] },
  { id: "hostPorts", versions: [{ since: 0, check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ since: 34, check: probedHosts }] },
  { id: "privileged", versions: [{ since: 0, check: privileged }] },
  {
    id: "procMount",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: (pod) => (hasOwnUsers(pod) ? undefined : procMount(pod)) },
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      { since: 0, check: (pod) => seLinux(pod, selinuxTypes) },
      { since: 31, check: (pod) => seLinux(pod, [...selinuxTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfiles },
    ],
  },
  {
    id: "sysctls",
    versions: [
      { since: 0, check: (pod) => sysctls(pod, firstSysctls) },
      { since: 27, check: (pod) => sysctls(pod, sysctls27) },
      { since: 29, check: (pod) => sysctls(pod, sysctls29) },
      { since: 32, check: (pod) => sysctls(pod, sysctls32) },
    ],
  },
  { id: "windowsHostProcess", versions: [{ since: 0, check: hostProcess }] },
];

function capabilities(pod: CheckedPod): Violation | undefined {
  const others = (container: { securityContext?: { capabilities?: { add?: string[] } } }) =>
    (container.securityContext?.capabilities?.add ?? []).filter(
      (capability) => !defaultCapabilities.has(capability),
    );
  const bad = namesWhere(pod, (container) => others(container).length > 0);
  if (bad.length === 0) return undefined;
  const added = quoted(distinct(containersOf(pod).flatMap(others)));
  return {
    reason: "non-default capabilities",
    detail: `${called("container", bad)} must not include ${added} in securityContext.capabilities.add`,
  };
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((field) => spec[field]);
  if (used.length === 0) return undefined;
  return { reason: "host namespaces", detail: used.map((field) => `${field}=true`).join(", ") };
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const names = (spec.volumes ?? [])
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: called("volume", names) };
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const portsOf = (container: { ports?: { hostPort?: number }[] }) =>
    (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = namesWhere(pod, (container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(containersOf(pod).flatMap(portsOf));
  const what = `${plural("hostPort", ports.length)} ${ports.join(", ")}`;
  return { reason: "hostPort", detail: `${called("container", bad)} ${uses(bad)} ${what}` };
}

interface Handler {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

function probedHosts(pod: CheckedPod): Violation | undefined {
  const hostsOf = (container: ReturnType<typeof containersOf>[number]): string[] =>
    [
      container.livenessProbe,
      container.readinessProbe,
      container.startupProbe,
      container.lifecycle?.postStart,
      container.lifecycle?.preStop,
    ].flatMap((handler: Handler | undefined) =>
      [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => !!host),
    ) as string[];
  const bad = distinct(namesWhere(pod, (container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = distinct(containersOf(pod).flatMap(hostsOf));
  const what = `${plural("probe or lifecycle host", hosts.length)} ${quoted(hosts)}`;
  return {
    reason: "probe or lifecycle host",
    detail: `${called("container", bad)} ${uses(bad)} ${what}`,
  };
}

function privileged(pod: CheckedPod): Violation | undefined {
  const bad = namesWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  const detail = `${called("container", bad)} must not set securityContext.privileged=true`;
  return { reason: "privileged", detail };
}

export function procMount(pod: CheckedPod): Violation | undefined {
  const mountOf = (container: { securityContext?: { procMount?: string } }) => {
    const { procMount: mount } = container.securityContext ?? {};
    return mount === undefined || mount === "Default" ? [] : [mount];
  };
  const bad = namesWhere(pod, (container) => mountOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const mounts = quoted(distinct(containersOf(pod).flatMap(mountOf)));
  const detail = `${called("container", bad)} must not set securityContext.procMount to ${mounts}`;
  return { reason: "procMount", detail };
}

interface SelinuxOptions {
  readonly type?: string;
  readonly user?: string;
  readonly role?: string;
}

function seLinux(pod: CheckedPod, allowed: readonly string[]): Violation | undefined {
  const isBad = (options: SelinuxOptions | undefined) =>
    options !== undefined &&
    (!allowed.includes(options.type ?? "") || !!options.user || !!options.role);
  const own = pod.spec.securityContext?.seLinuxOptions;
  const bad = namesWhere(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
  if (!isBad(own) && bad.length === 0) return undefined;
  const all: SelinuxOptions[] = [
    own ?? {},
    ...containersOf(pod).map(({ securityContext }) => securityContext?.seLinuxOptions ?? {}),
  ];
  const types = distinct(all.flatMap(({ type = "" }) => (allowed.includes(type) ? [] : [type])));
  const what = [
    ...(types.length > 0 ? [called("type", types)] : []),
    ...(all.some(({ user }) => !!user) ? ["user may not be set"] : []),
    ...(all.some(({ role }) => !!role) ? ["role may not be set"] : []),
  ];
  const who = setters(isBad(own), bad);
  return {
    reason: "seLinuxOptions",
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
  };
}

function sysctls({ spec }: CheckedPod, allowed: readonly string[]): Violation | undefined {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
  const bad = names.filter((name) => !allowed.includes(name));
  return bad.length === 0 ? undefined : { reason: "forbidden sysctls", detail: bad.join(", ") };
}

function hostProcess(pod: CheckedPod): Violation | undefined {
  const isSet = (context: { windowsOptions?: { hostProcess?: boolean } } | undefined) =>
    context?.windowsOptions?.hostProcess === true;
  const bad = namesWhere(pod, ({ securityContext }) => isSet(securityContext));
  const isPod = isSet(pod.spec.securityContext);
  if (!isPod && bad.length === 0) return undefined;
  const who = setters(isPod, bad);
  const detail = `${who} must not set securityContext.windowsOptions.hostProcess=true`;
  return { reason: "hostProcess", detail };
}

function uses(names: readonly string[]): string {
  return names.length === 1 ? "uses" : "use";
}
