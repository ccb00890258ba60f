// What the pods of a node are run with.

import type { Client } from "../../api/client/client.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { Informers } from "../../api/client/informer.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Commands } from "../../base/host/command.ts";
import type { Random } from "../../base/host/random.ts";
import type { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Containers, ImageRoots, Images } from "../runtime/runtime.ts";
import type { AdmissionPolicy } from "./admission/admit.ts";
import type { PodContainers, PodNetwork } from "./port.ts";

export interface PodsOptions {
  /** The name of the node. */
  readonly node: string;
  readonly client: Client;
  /** Run by the caller, as is the recorder. */
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly containers: Containers;
  readonly images: Images & ImageRoots;
  readonly network: PodNetwork;
  /** Run in the namespaces of the node. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
  readonly directories: PodDirectories;
  /** The node's own, at most one of each family is used. */
  readonly hostAddresses: readonly Address[];
  /** The family of the cluster's first service range: whose address of a pod comes first. */
  readonly firstFamily: Family;
  readonly dns: DnsSettings;
  /** What pods may ask for; nothing but what is safe when not given. */
  readonly admission?: Partial<AdmissionPolicy>;
  readonly confinement?: Confinement;
  /** Which of a pod's addresses probes are sent to; "none", its first, when not given. */
  readonly preferredProbeFamily?: ProbeFamily;
  /** What containers without limits are told they may use. */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** For containers that end and images that cannot be had; 10 s to 5 min when not given. */
  readonly restarts?: RestartDelays;
}

export interface PodDirectories {
  /** Ends with the machine's uptime: namespaces, secrets, what is known of sandboxes. */
  readonly run: string;
  /** Outlives reboots: volumes. */
  readonly data: string;
  readonly logs: string;
  /** Of static pods. */
  readonly manifests?: string;
  /** Of the seccomp profiles that pods may name. */
  readonly seccomp?: string;
}

/** What containers have that ask for nothing of the kind. */
export interface Confinement {
  /** The runtime's seccomp profile. */
  readonly seccompDefault?: boolean;
  /** The most processes of each container. */
  readonly pidsLimit?: number | undefined;
}

export interface DnsSettings {
  /** Where pods ask; the node's own servers when there are none. */
  readonly servers: readonly Address[];
  readonly domain: string;
  /** The node's own configuration; /etc/resolv.conf when not given. */
  readonly nodeFile?: string;
}

export type ProbeFamily = "ipv4" | "ipv6" | "none" | "dual-stack";

export interface RestartDelays {
  readonly initialMs: number;
  readonly maximumMs: number;
  /** One that ran so long begins anew. */
  readonly resetMs: number;
}

export interface Pods {
  readonly name: string;
  readonly containers: PodContainers;
  /** Pods run on when it ends: the next one finds them. */
  run(signal: AbortSignal): Promise<void>;
}
