// The options that the pods of a node are run with.

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
  /** The informers and the recorder are run by the caller. */
  readonly informers: Informers;
  readonly recorder: EventRecorder;
  readonly containers: Containers;
  readonly images: Images & ImageRoots;
  readonly network: PodNetwork;
  /** Commands that run in the node's own namespaces. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
  readonly directories: PodDirectories;
  /** The node's own addresses; at most one of each family is used. */
  readonly hostAddresses: readonly Address[];
  /** The family of the cluster's first service range; a pod's address of this family comes first. */
  readonly firstFamily: Family;
  readonly dns: DnsSettings;
  /** The sysctls and host images that pods may use; only safe ones when not given. */
  readonly admission?: Partial<AdmissionPolicy>;
  readonly confinement?: Confinement;
  /** The names of the handlers that RuntimeClasses may have here; "runc" when not given. */
  readonly runtimeHandlers?: readonly string[];
  /**
   * The family of the pod addresses that probes are sent to; "none", a pod's first address, when not given.
   */
  readonly preferredProbeFamily?: ProbeFamily;
  /** The resources that containers without limits are told they may use (downward API). */
  readonly allocatable?: Readonly<Record<string, string>>;
  /** The back-off for containers that exit and images that cannot be pulled; 10 s to 5 min when not given. */
  readonly restarts?: RestartDelays;
}

export interface PodDirectories {
  /** The directory that is lost at a reboot: namespaces, secrets and sandbox records. */
  readonly run: string;
  /** The directory that outlives reboots: volumes. */
  readonly data: string;
  readonly logs: string;
  /** The directory of static pods' manifests. */
  readonly manifests?: string;
  /** The directory of the seccomp profiles that pods may name. */
  readonly seccomp?: string;
}

/** The confinement of containers that do not specify their own. */
export interface Confinement {
  /** Whether the runtime's default seccomp profile applies. */
  readonly seccompDefault?: boolean;
  /** The maximum number of processes in each container. */
  readonly pidsLimit?: number | undefined;
}

export interface DnsSettings {
  /** The DNS servers that pods ask; the node's own servers when there are none. */
  readonly servers: readonly Address[];
  readonly domain: string;
  /** The node's own resolver configuration; /etc/resolv.conf when not given. */
  readonly nodeFile?: string;
}

export type ProbeFamily = "ipv4" | "ipv6" | "none" | "dual-stack";

export interface RestartDelays {
  readonly initialMs: number;
  readonly maximumMs: number;
  /** A container that ran this long starts over with the first delay. */
  readonly resetMs: number;
}

export interface Pods {
  readonly name: string;
  readonly containers: PodContainers;
  /** Runs until the signal aborts. Containers keep running after that; the next agent adopts them. */
  run(signal: AbortSignal): Promise<void>;
}
