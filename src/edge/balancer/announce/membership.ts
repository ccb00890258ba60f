// Which announcers live. Each renews a Lease of its own; who has not been heard of for the time of a lease
// is gone, by the clock of the one who listens.

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
  /** Where it can be asked whether it is in touch with the API. */
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

export class Membership {
  readonly #options: MembershipOptions;
  readonly #leases: Informer<Lease>;
  readonly #heard = new Map<string, Heard>();
  /** On the monotonic clock: when the last renewal that came through was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Until when it is too early to say who lives. */
  #settlingUntil = Number.NEGATIVE_INFINITY;

  constructor(options: MembershipOptions) {
    const { client, informers } = options;
    this.#options = options;
    this.#leases = informers.of(client.resource("coordination.k8s.io/v1", "Lease"), {
      namespace: leaseNamespace,
      labelSelector: label,
    });
  }

  get source(): Informer<Lease> {
    return this.#leases;
  }

  /** Whether the others hear of us. */
  get isMember(): boolean {
    return this.#left > 0;
  }

  /** Whether the API was reached just now: sooner lost than membership, so that others can be asked. */
  get isInTouch(): boolean {
    const { clock, times } = this.#options;
    return clock.monotonic() - this.#renewedAt < 2.5 * times.renewMs;
  }

  /**
   * Whether others may take it that the API is away for them alone. When it goes for all, the last renewals
   * of two nodes lie up to `renewMs` apart: who was last must have noticed before the other is no member.
   */
  get isWitness(): boolean {
    const { clock, times } = this.#options;
    return this.isSettled && clock.monotonic() - this.#renewedAt < 1.5 * times.renewMs;
  }

  /** Also for long enough to have heard of the others. */
  get isSettled(): boolean {
    return this.isMember && this.#options.clock.monotonic() >= this.#settlingUntil;
  }

  /** How long addresses can be held, in whole seconds: the kernel takes up to one more. */
  get secondsLeft(): number {
    return Math.max(1, Math.floor(this.#left / 1_000));
  }

  /** Where other announcers can be asked, be they alive or not. */
  get peers(): string[] {
    const { nodeName } = this.#options;
    return this.#leases.list().flatMap(({ metadata: { name, annotations = {} } }) => {
      const peer = annotations[peerAnnotation] ?? "";
      return name === `${nodeName}${suffix}` || peer === "" ? [] : [peer];
    });
  }

  /** Those that were heard of lately, this one included if it is one. */
  living(): Member[] {
    const { clock, times } = this.#options;
    const now = clock.monotonic();
    return this.#leases.list().flatMap((lease) => {
      const { name, resourceVersion = "", annotations = {} } = lease.metadata;
      const known = this.#heard.get(name);
      const heard =
        known?.version === resourceVersion ? known : { version: resourceVersion, at: now };
      this.#heard.set(name, heard);
      const node = name.endsWith(suffix) ? name.slice(0, -suffix.length) : "";
      if (node === "" || now - heard.at >= times.leaseMs) return [];
      const networks = parsed(annotations[networksAnnotation]);
      const kept = annotations[settlingAnnotation]?.split(",");
      const keeps = kept === undefined ? {} : { keeps: new Set(kept) };
      return [{ node, networks, peer: annotations[peerAnnotation] ?? "", ...keeps }];
    });
  }

  get #left(): number {
    const { clock, times } = this.#options;
    return this.#renewedAt + 1_000 * times.holdSeconds - clock.monotonic();
  }

  /** Says that this node lives, and what it can announce. */
  async renew(
    own: Omit<Member, "node" | "keeps"> & { readonly holds: readonly Address[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { client, nodes, nodeName, clock, times } = this.#options;
    const leases = client.resource("coordination.k8s.io/v1", "Lease");
    const asked = clock.monotonic();
    // Who was cut off heard of nobody; at the start everybody counts as living.
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

  /** The others need not wait. */
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

/** What another version writes there may not be readable. */
function parsed(text = ""): Prefix[] {
  try {
    return text === "" ? [] : parsePrefixList(text);
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}
