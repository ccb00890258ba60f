// A batch: transactions that become durable with one write. Each sees the changes of those before it.

import type { Committed, Operation, Revision, Transaction } from "../port.ts";
import type { FrameBuilder } from "./record.ts";
import type { Segment } from "./segment.system.ts";
import { Version, type Versions } from "./versions.ts";

interface Target {
  readonly versions: Versions;
  readonly frame: FrameBuilder;
  /** The segment to whose end the frame will be written. */
  readonly segment: Segment;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

/** The outcome of a put or delete once it is durable. */
export interface Written {
  readonly version: Version;
  readonly value: Uint8Array;
  /** The time of expiry in milliseconds since 1970; 0 for never. */
  readonly expires: number;
}

export class Batch {
  readonly written: Written[] = [];
  readonly #target: Target;
  readonly #changed = new Map<string, Version>();
  #revision: Revision;

  constructor(target: Target) {
    this.#target = target;
    this.#revision = target.versions.revision;
  }

  add({ compare, operations }: Transaction): Committed {
    const holds = compare.every(
      ({ key, modified }) => (this.#live(key)?.modified ?? 0) === modified,
    );
    if (!holds) return { ok: false, revision: this.#revision };
    const effective = operations.filter(({ type, key }) => type === "put" || this.#live(key));
    if (effective.length > 0) this.#revision += 1;
    for (const operation of effective) this.#write(operation);
    return { ok: true, revision: this.#revision };
  }

  /** Makes the batch visible to readers. */
  apply(): void {
    for (const { version } of this.written) this.#target.versions.add(version);
  }

  #write(operation: Operation): void {
    const { frame, segment, now } = this.#target;
    const { type, key } = operation;
    const modified = this.#revision;
    const created = this.#live(key)?.created ?? modified;
    const value = operation.type === "put" ? operation.value : nothing;
    const ttl = operation.type === "put" ? operation.ttlSeconds : undefined;
    const expires = ttl === undefined ? 0 : Math.ceil(now + ttl * 1000);
    const at = frame.add({ kind: type, key, created, modified, expires }, value);
    const length = type === "put" ? value.length : -1;
    const version = new Version({
      key,
      created,
      modified,
      segment,
      offset: segment.size + at,
      length,
    });
    this.#changed.set(key, version);
    this.written.push({ version, value, expires });
  }

  #live(key: string): Version | undefined {
    const version = this.#changed.get(key) ?? this.#target.versions.newest(key);
    return version?.isDeletion ? undefined : version;
  }
}

const nothing = new Uint8Array(0);
