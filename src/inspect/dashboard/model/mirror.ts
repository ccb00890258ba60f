// A page's copy of the objects that the server tells of.

import { type ApiObject, keyOf } from "../../../api/client/objects.ts";
import type { Announcement } from "./announcements.ts";
import type { CheckRun } from "./check-runs.ts";
import { type ClusterObjects, type KindName, kindNames, noObjects } from "./cluster.ts";
import type { DenialCount } from "./denials.ts";
import { isShown, type Message, type ReadState } from "./wire.ts";

export interface KindReading {
  readonly state: ReadState;
  readonly reason: string;
}

/** The kinds that the server tells of without being objects of the API. */
interface ToldKinds {
  readonly announcements: Announcement;
  readonly checks: CheckRun;
  readonly denials: DenialCount;
  /** Nodes whose announcers are silent. */
  readonly silentAnnouncers: { readonly name: string };
}

export class Mirror {
  readonly #objects = new Map<string, Map<string, ApiObject>>();
  readonly #readings = new Map<string, KindReading>();
  /** The lists made of objects so far; those of a kind are made anew after a change. */
  readonly #lists = new Map<string, readonly ApiObject[]>();
  #cluster: ClusterObjects | undefined;

  apply(message: Message): void {
    if (message.type === "alive") return;
    this.#cluster = undefined;
    const { kind } = message;
    if (message.type === "state") {
      this.#readings.set(kind, { state: message.state, reason: message.reason ?? "" });
      if (!isShown(message.state)) this.#forget(kind);
      return;
    }
    const objects = this.#objects.get(kind) ?? new Map<string, ApiObject>();
    this.#objects.set(kind, objects);
    for (const object of message.put) objects.set(keyOf(object), object);
    for (const key of message.removed) objects.delete(key);
    this.#lists.delete(kind);
  }

  /** Forgets everything, before a new connection tells it all again. */
  clear(): void {
    for (const kind of this.#objects.keys()) this.#forget(kind);
    this.#readings.clear();
    this.#cluster = undefined;
  }

  reading(kind: string): KindReading {
    return this.#readings.get(kind) ?? { state: "reading", reason: "" };
  }

  told<K extends keyof ToldKinds>(kind: K): readonly ToldKinds[K][] {
    return this.list(kind) as unknown as readonly ToldKinds[K][];
  }

  list(kind: string): readonly ApiObject[] {
    const known = this.#lists.get(kind);
    if (known !== undefined) return known;
    const list = [...(this.#objects.get(kind)?.values() ?? [])];
    this.#lists.set(kind, list);
    return list;
  }

  /** All kinds of the views; the same value until something changes. */
  cluster(): ClusterObjects {
    this.#cluster ??= {
      ...noObjects,
      ...(Object.fromEntries(kindNames.map((kind) => [kind, this.list(kind)])) as Lists),
      unread: new Set(kindNames.filter((kind) => !isRead(this.reading(kind).state))),
      silentAnnouncers: new Set(this.told("silentAnnouncers").map(({ name }) => name)),
    };
    return this.#cluster;
  }

  #forget(kind: string): void {
    this.#objects.delete(kind);
    this.#lists.delete(kind);
  }
}

type Lists = Pick<ClusterObjects, KindName>;

function isRead(state: ReadState): boolean {
  return state === "current" || state === "failing" || state === "absent";
}
