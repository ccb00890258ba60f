// The announcers that are alive. Each renews a Lease of its own; one that has not been renewed for the
// duration of a lease is gone, by the clock of the observer.

import type { Client } from "../../../api/client/client.ts";
import { isAlreadyExists, isNotFound } from "../../../api/client/errors.ts";
import type { Informer, Informers } from "../../../api/client/informer.ts";
import { microTimestamp } from "../../../api/fields/timestamp.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Address } from "../../../base/net/address.ts";
import { parsePrefixList } from "../../../base/net/list.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Candidate } from "./placement.ts";
import type { AnnounceTimes } from "./times.ts";

export interface MembershipOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly nodes: Informer<Node>;
  readonly nodeName: string;
  readonly times: AnnounceTimes;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Member extends Candidate {
  /** The address at which it can be asked whether it is in touch with the API. */
  readonly peer: string;
}

const leaseNamespace = "kube-node-lease";
const suffix = ".announcer.tandem.internal";
const label = "tandem.internal/announcer";
const networksAnnotation = "tandem.internal/announced-networks";
const settlingAnnotation = "tandem.internal/announcer-keeps";
const peerAnnotation = "tandem.internal/announcer-address";
const goodbyeMs = 2_000;

interface Heard {
  readonly version: string;
  readonly at: number;
}

/** Tells the announcers that are alive from their leases, by when each was seen to be renewed. */
export class Hearing {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #heard = new Map<string, Heard>();

  constructor(clock: Clock, { leaseMs }: Pick<AnnounceTimes, "leaseMs">) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  living(leases: readonly Lease[]): Member[] {
    const now = this.#clock.monotonic();
    return leases.flatMap((lease) => {
      const { name, resourceVersion = "", annotations = {} } = lease.metadata;
      const known = this.#heard.get(name);
      const heard =
        known?.version === resourceVersion ? known : { version: resourceVersion, at: now };
      this.#heard.set(name, heard);
      const node = nodeOf(lease);
      if (node === "" || now - heard.at >= this.#leaseMs) return [];
      const networks = parsed(annotations[networksAnnotation]);
      const kept = annotations[settlingAnnotation]?.split(",");
      const keeps = kept === undefined ? {} : { keeps: new Set(kept) };
      return [{ node, networks, peer: annotations[peerAnnotation] ?? "", ...keeps }];
    });
  }
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #leases: Informer<Lease>;
  readonly #hearing: Hearing;
  /** The monotonic time at which the last successful renewal was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** The time until which it is too early to tell who is alive. */
  #settlingUntil = Number.NEGATIVE_INFINITY;

  constructor(options: MembershipOptions) {
    const { client, informers } = options;
    this.#options = options;
    this.#hearing = new Hearing(options.clock, options.times);
    this.#leases = informers.of(client.resource("coordination.k8s.io/v1", "Lease"), {
      namespace: leaseNamespace,
      labelSelector: label,
    });
  }

  get source(): Informer<Lease> {
    return this.#leases;
  }

  /** Whether the lease is valid, so that others count this node as alive. */
  get isMember(): boolean {
    return this.#left > 0;
  }

  /** Whether the API was reached recently; lost earlier than membership, so that peers can still be asked. */
  get isInTouch(): boolean {
    const { clock, times } = this.#options;
    return clock.monotonic() - this.#renewedAt < 2.5 * times.renewMs;
  }

  /**
   * Whether this node is evidence for others that the API is away for them alone. When it fails for all, the
   * last renewals of two nodes lie up to `renewMs` apart: the later one must have noticed before the other
   * stops being a member.
   */
  get isWitness(): boolean {
    const { clock, times } = this.#options;
    return this.isSettled && clock.monotonic() - this.#renewedAt < 1.5 * times.renewMs;
  }

  /** Whether this node has been a member for long enough to have heard of the others. */
  get isSettled(): boolean {
    return this.isMember && this.#options.clock.monotonic() >= this.#settlingUntil;
  }

  /** The time that addresses can be held, in whole seconds: the kernel adds up to one more. */
  get secondsLeft(): number {
    return Math.max(1, Math.floor(this.#left / 1_000));
  }

  /** The addresses at which other announcers can be asked, be they alive or not. */
  get peers(): string[] {
    const { nodeName } = this.#options;
    return this.#leases.list().flatMap(({ metadata: { name, annotations = {} } }) => {
      const peer = annotations[peerAnnotation] ?? "";
      return name === `${nodeName}${suffix}` || peer === "" ? [] : [peer];
    });
  }

  /** The members that were heard of lately, including this one if it is a member. */
  living(): Member[] {
    return this.#hearing.living(this.#leases.list());
  }

  get #left(): number {
    const { clock, times } = this.#options;
    return this.#renewedAt + 1_000 * times.holdSeconds - clock.monotonic();
  }

  /** Renews the lease, which carries the networks in which this node can announce addresses. */
  async renew(
    own: Omit<Member, "node" | "keeps"> & { readonly holds: readonly Address[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, nodes, nodeName, clock, times } = this.#options;
    const leases = client.resource("coordination.k8s.io/v1", "Lease");
    const asked = clock.monotonic();
    // A node that was cut off has heard of nobody; at the start everybody counts as alive.
    const wasCutOff = !this.isMember && this.#renewedAt > 0;
    if (wasCutOff) this.#settlingUntil = asked + times.leaseMs;
    const call = { signal, timeoutMs: times.answerMs };
    const spec = {
      holderIdentity: nodeName,
      leaseDurationSeconds: Math.ceil(times.leaseMs / 1_000),
      renewTime: microTimestamp(clock.now()),
    };
    const annotations = {
      [networksAnnotation]: own.networks.join(","),
      [settlingAnnotation]: asked < this.#settlingUntil ? own.holds.join(",") : null,
      [peerAnnotation]: own.peer,
    };
    const place = { namespace: leaseNamespace, name: `${nodeName}${suffix}` };
    try {
      await leases.patch(place, { merge: { metadata: { annotations }, spec } }, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const uid = nodes.get(nodeName)?.metadata.uid;
      const owner = { apiVersion: "v1", kind: "Node", name: nodeName };
      const metadata = {
        ...place,
        annotations: { [networksAnnotation]: own.networks.join(","), [peerAnnotation]: own.peer },
        labels: { [label]: "true" },
        ...(uid === undefined ? {} : { ownerReferences: [{ ...owner, uid }] }),
      };
      await leases.create({ metadata, spec }, call).catch((lost: unknown) => {
        if (!isAlreadyExists(lost)) throw lost;
      });
    }
    this.#renewedAt = asked;
  }

  /** Deletes the lease, so that the others need not wait for it to expire. */
  async leave(): Promise<void> {
    const { client, nodeName, log } = this.#options;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    try {
      await client
        .resource("coordination.k8s.io/v1", "Lease")
        .delete(
          { namespace: leaseNamespace, name: `${nodeName}${suffix}` },
          { timeoutMs: goodbyeMs },
        );
    } catch (error) {
      if (!isNotFound(error)) log.warn("Cannot take leave; others wait for the lease", { error });
    }
  }
}

/** The node of an announcer's lease; empty if the lease is none. */
export function nodeOf({ metadata: { name } }: Lease): string {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : "";
}

/** Parses prefixes; none when another version has written something unreadable. */
function parsed(text = ""): Prefix[] {
  try {
    return text === "" ? [] : parsePrefixList(text);
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}
