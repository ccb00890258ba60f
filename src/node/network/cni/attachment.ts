import type { Address } from "../../../base/net/address.ts";
import { CniError } from "./error.ts";
import type { Json } from "./json.ts";

/** The key of an attachment: one interface of one container. */
export interface AttachmentKey {
  readonly container: string;
  readonly interface: string;
}

/** An attachment to be made: an interface, and all that plugins are told about it. */
export interface Attachment extends AttachmentKey {
  /** The path of the container's network namespace. */
  readonly namespace: string;
  /** The CNI_ARGS; `podArguments` returns those that plugins expect for pods. */
  readonly args?: Readonly<Record<string, string>>;
  /** The capability arguments; each is passed to the plugins that declare it. */
  readonly capabilities?: Capabilities;
  /** The `args.cni` of the plugins' configurations. */
  readonly cniArguments?: Json;
  /** The addresses to request through the `ips` capability; others are accepted if they are not free. */
  readonly preferredAddresses?: readonly Address[];
  /** The users' name for the network, such as `namespace/name`; the network's name if not given. */
  readonly label?: string;
  /** Whether this is the default network of pods. */
  readonly isDefault?: boolean;
  /** The controller whose services the addresses are for; the configuration decides if not given. */
  readonly serviceController?: string;
}

/** The capability arguments by their conventional names; plugins may know others. */
export interface Capabilities {
  readonly portMappings?: readonly PortMapping[];
  readonly ips?: readonly string[];
  readonly mac?: string;
  readonly bandwidth?: Bandwidth;
  readonly dns?: { readonly servers?: readonly string[]; readonly searches?: readonly string[] };
  readonly aliases?: readonly string[];
  readonly infinibandGUID?: string;
  readonly deviceID?: string;
  readonly cgroupPath?: string;
  readonly [other: string]: unknown;
}

export interface PortMapping {
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly hostIP?: string;
}

/** The rates are in bits per second, the bursts in bits. */
interface Bandwidth {
  readonly ingressRate?: number;
  readonly ingressBurst?: number;
  readonly egressRate?: number;
  readonly egressBurst?: number;
}

interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string;
}

/** Returns the CNI_ARGS by which plugins identify pods. */
export function podArguments({ namespace, name, uid, container }: PodIdentity) {
  return {
    IgnoreUnknown: "1",
    K8S_POD_NAMESPACE: namespace,
    K8S_POD_NAME: name,
    K8S_POD_INFRA_CONTAINER_ID: container,
    K8S_POD_UID: uid,
  };
}

export function checkKey({ container, interface: name }: AttachmentKey): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(container)) {
    throw invalid(
      "container",
      container,
      "letters, digits, dots, underscores and hyphens make one",
    );
  }
  if (!/^[^\s/:]{1,15}$/.test(name) || name === "." || name === "..") {
    throw invalid("interface", name, "a name has up to 15 characters, without spaces, / and :");
  }
}

export function formatArguments(args: Readonly<Record<string, string>>): string {
  for (const [key, value] of Object.entries(args)) {
    if (/[;=]/.test(key) || value.includes(";")) {
      throw invalid("CNI_ARGS", `${key}=${value}`, "no semicolon can be passed on");
    }
  }
  return Object.entries(args)
    .map(([key, value]) => `${key}=${value}`)
    .join(";");
}

function invalid(field: string, value: string, state: string): CniError {
  const message = `Cannot use ${field} ${JSON.stringify(value)}: ${state}`;
  return new CniError("invalid-environment", message);
}
